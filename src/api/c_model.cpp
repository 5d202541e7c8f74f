// SPDX-License-Identifier: Apache-2.0
// The C surface: ONNX models.
#include "api/c.h"
#include "pliant/model.h"

using namespace pliant;
using namespace pliant::api::c;

struct pliant_model {
  Model value;
};
struct pliant_model_run {
  Model::Call value;
  size_t outputs;
};

namespace {
const Model &modelOf(const pliant_model *model, pliant_site site = {}) {
  if (!model)
    refuseNull("a model", site);
  return model->value;
}

const char *nameAt(const std::vector<std::string> &names, size_t index, const char *what) {
  if (index >= names.size())
    refuse("model", std::string(what) + " " + std::to_string(index) + " of " + std::to_string(names.size()));
  return names[index].c_str();
}

std::vector<Tensor> inputsOf(const pliant_tensor *const *inputs, size_t count, pliant_site site) {
  std::vector<Tensor> given;
  for (const pliant_tensor *each : listOf(inputs, count, "the inputs", site))
    given.push_back(tensorOf(each, site));
  return given;
}

/// Room for as many outputs as there are.
std::span<pliant_tensor *> placesOf(pliant_tensor **outputs, size_t count, size_t needed, pliant_site site) {
  const std::span<pliant_tensor *> places = listOf(outputs, count, "the outputs", site);
  if (count != needed)
    refuse("model", std::to_string(needed) + " outputs, room for " + std::to_string(count), site);
  return places;
}

const pliant_model_run &runOf(const pliant_model_run *run, pliant_site site = {}) {
  if (!run)
    refuseNull("a run of a model", site);
  return *run;
}
} // namespace

extern "C" {

pliant_status pliant_model_open(const char *path, const pliant_rename *renames, size_t rename_count,
                                const char *const *facts, size_t fact_count, int threads, pliant_model **out) {
  return giving(out, [&] {
    if (!path)
      refuse("model", "a null pointer in the place of a path");
    Model::Options options;
    for (const pliant_rename &each : listOf(renames, rename_count, "the renames")) {
      if (!each.from || !each.to)
        refuse("model", "a null pointer in the place of a symbol");
      options.rename.emplace(each.from, each.to);
    }
    for (const char *each : listOf(facts, fact_count, "the facts")) {
      if (!each)
        refuse("model", "a null pointer in the place of a fact");
      options.facts.emplace_back(each);
    }
    options.threads = threads;
    return new pliant_model{Model(path, options)};
  });
}
void pliant_model_close(pliant_model *model) { delete model; }

pliant_status pliant_model_input_count(const pliant_model *model, size_t *out) {
  return giving(out, [&] { return modelOf(model).inputs().size(); });
}
pliant_status pliant_model_output_count(const pliant_model *model, size_t *out) {
  return giving(out, [&] { return modelOf(model).outputs().size(); });
}
pliant_status pliant_model_input_name(const pliant_model *model, size_t index, const char **out) {
  return giving(out, [&] { return nameAt(modelOf(model).inputs(), index, "input"); });
}
pliant_status pliant_model_output_name(const pliant_model *model, size_t index, const char **out) {
  return giving(out, [&] { return nameAt(modelOf(model).outputs(), index, "output"); });
}

pliant_status pliant_model_call(const pliant_model *model, const pliant_tensor *const *inputs, size_t input_count,
                                pliant_tensor **outputs, size_t output_count, pliant_site site) {
  return guarded([&] {
    const Model &called = modelOf(model, site);
    const auto places = placesOf(outputs, output_count, called.outputs().size(), site);
    const std::vector<Tensor> given = inputsOf(inputs, input_count, site);
    putAll(places, called(std::span<const Tensor>(given), siteOf(site)));
  });
}

pliant_status pliant_model_start(const pliant_model *model, const pliant_tensor *const *inputs, size_t input_count,
                                 pliant_model_run **out, pliant_site site) {
  return giving(out, site, [&] {
    const Model &called = modelOf(model, site);
    const std::vector<Tensor> given = inputsOf(inputs, input_count, site);
    return new pliant_model_run{called.start(given, siteOf(site)), called.outputs().size()};
  });
}
pliant_status pliant_model_ready(const pliant_model_run *run, bool *out) {
  return giving(out, [&] { return runOf(run).value.ready(); });
}
pliant_status pliant_model_results(const pliant_model_run *run, pliant_tensor **outputs, size_t output_count,
                                   pliant_site site) {
  return guarded([&] {
    const pliant_model_run &begun = runOf(run, site);
    putAll(placesOf(outputs, output_count, begun.outputs, site), begun.value.results());
  });
}
void pliant_model_run_close(pliant_model_run *run) { delete run; }
}
