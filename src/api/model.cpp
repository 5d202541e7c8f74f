// SPDX-License-Identifier: Apache-2.0
#include "pliant/model.h"
#include "api/compile.h"
#include "api/record.h"
#include "executable/executable.h"

namespace pliant {

struct Model::State {
  std::unique_ptr<Executable> executable;
  std::vector<std::string> inputs, outputs;
};

static std::vector<std::string> namesOf(const std::vector<Argument> &arguments, const std::string &path) {
  std::vector<std::string> names;
  for (const Argument &each : arguments) {
    if (each.type.dtype == DType::String)
      api::raise(userError("model",
                           path + ": `" + each.name + "` is " + each.type.str() + ": tensors hold numbers, not strings",
                           "", "`pliant run` takes models of strings"));
    names.push_back(each.name);
  }
  return names;
}

Model::Model(const std::string &path, const Options &options) {
  if (options.threads < 0)
    api::raise("model", std::to_string(options.threads) + " threads", {}, "0 takes as many as there are processors");
  driver::Options how;
  how.rename = options.rename;
  how.facts = options.facts;
  driver::Compiled compiled = api::checked(compile(path, how));
  auto made = std::make_shared<State>();
  made->inputs = namesOf(compiled.program->inputs, path);
  made->outputs = namesOf(compiled.program->outputs, path);
  made->executable = api::checked(
      Executable::load(compiled.program, compiled.image, compiled.hostOnlyImage, std::move(compiled.weights)));
  if (options.threads > 0)
    made->executable->setThreads(options.threads);
  state = std::move(made);
}

std::vector<Tensor> Model::operator()(std::span<const Tensor> inputs, Site site) const {
  std::vector<DenseTensor> given;
  for (const trace::Handle &value :
       inputs.empty() ? std::vector<trace::Handle>() : api::valuesOf("run", inputs, false, site))
    given.push_back(api::checked(api::Session::value(value.get(), site)));
  auto results = state->executable->run(given);
  if (!results)
    api::raise(results.takeError().at(trace::str(site)));
  std::vector<Tensor> out;
  for (DenseTensor &result : *results)
    out.push_back(api::Access::make(api::Session::current().leaf(std::move(result))));
  return out;
}

const std::vector<std::string> &Model::inputs() const { return state->inputs; }
const std::vector<std::string> &Model::outputs() const { return state->outputs; }

} // namespace pliant
