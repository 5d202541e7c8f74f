// SPDX-License-Identifier: Apache-2.0
// The C surface: ONNX models.
#include "api/c.h"
#include "pliant/model.h"

using namespace pliant;
using namespace pliant::api::c;

struct pliant_model {
  Model value;
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
    const std::span<pliant_tensor *> places = listOf(outputs, output_count, "the outputs", site);
    if (output_count != called.outputs().size())
      refuse("model", std::to_string(called.outputs().size()) + " outputs, room for " + std::to_string(output_count),
             site);
    std::vector<Tensor> given;
    for (const pliant_tensor *each : listOf(inputs, input_count, "the inputs", site))
      given.push_back(tensorOf(each, site));
    putAll(places, called(std::span<const Tensor>(given), siteOf(site)));
  });
}
}
