// SPDX-License-Identifier: Apache-2.0
#include "pliant/model.h"
#include "api/calls.h"
#include "api/compile.h"
#include "api/record.h"
#include "executable/executable.h"
#include "runtime/background_thread.h"
#include <unistd.h>

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

using Results = Result<std::vector<DenseTensor>>;

struct Model::Call::State {
  std::shared_ptr<const Model::State> model;
  std::vector<trace::Handle> inputs;
  Site site;
  pid_t process = getpid(); ///< a forked child has no thread that would ever be done
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::vector<DenseTensor> outputs;
  std::optional<Error> error;

  Results run() {
    std::vector<DenseTensor> given;
    for (const trace::Handle &value : inputs) {
      PLIANT_TRY(DenseTensor tensor, api::Session::value(value.get(), site));
      given.push_back(std::move(tensor));
    }
    return model->executable->run(given);
  }
  void take(Results made) {
    std::lock_guard lock(mutex);
    if (made)
      outputs = std::move(*made);
    else
      error = made.takeError();
    inputs.clear();
    done = true;
    changed.notify_all();
  }
};

Model::Call Model::start(std::span<const Tensor> inputs, Site site) const {
  Call call;
  call.state = std::make_shared<Call::State>();
  call.state->model = state;
  call.state->site = site;
  if (!inputs.empty())
    call.state->inputs = api::valuesOf("run", inputs, false, site);
  for (const trace::Handle &value : call.state->inputs) // by this thread, which may have forbidden it
    api::checked(api::Session::request(value.get(), site));
  using Held = std::shared_ptr<Call::State>;
  auto *held = new Held(call.state);
  api::Calls::all().add(1);
  auto body = [](void *data) -> void * {
    {
      const std::unique_ptr<Held> own(static_cast<Held *>(data));
      (*own)->take((*own)->run());
    }
    api::Calls::all().add(-1);
    return nullptr;
  };
  if (!startBackgroundThread("pliant-model", body, held))
    body(held);
  return call;
}

bool Model::Call::ready() const {
  std::lock_guard lock(state->mutex);
  return state->done;
}

/// The outputs as leaves of the calling thread.
static std::vector<Tensor> leaves(std::vector<DenseTensor> outputs) {
  std::vector<Tensor> out;
  for (DenseTensor &output : outputs)
    out.push_back(api::Access::make(api::Session::current().leaf(std::move(output))));
  return out;
}

std::vector<Tensor> Model::Call::results() const {
  if (state->process != getpid())
    api::raise("fork", "the process was forked before this run of a model was done", state->site,
               "ask for its results before fork()");
  std::unique_lock lock(state->mutex);
  state->changed.wait(lock, [&] { return state->done; });
  if (state->error)
    api::raise(Error(*state->error).at(trace::str(state->site)));
  return leaves(state->outputs);
}

std::vector<Tensor> Model::operator()(std::span<const Tensor> inputs, Site site) const {
  Call::State now{.model = state, .inputs = {}, .site = site};
  if (!inputs.empty())
    now.inputs = api::valuesOf("run", inputs, false, site);
  Results results = now.run();
  if (!results)
    api::raise(results.takeError().at(trace::str(site)));
  return leaves(std::move(*results));
}

const std::vector<std::string> &Model::inputs() const { return state->inputs; }
const std::vector<std::string> &Model::outputs() const { return state->outputs; }

} // namespace pliant
