// SPDX-License-Identifier: Apache-2.0
// pliant compile: the program between any two stages, as text.
#include "api/compiler.h"
#include "command.h"
#include "session.h"

namespace pliant::tool {
namespace {

Status checkStage(const std::string &name, const std::vector<std::pair<std::string, std::string>> &stages) {
  std::vector<std::string> names;
  std::string all;
  for (const auto &[stage, text] : stages) {
    names.push_back(stage);
    all += (all.empty() ? "" : ", ") + stage;
    if (stage == name)
      return ok();
  }
  std::string near = nearest(name, names);
  return userError("command line", "there is no stage '" + name + "'", "",
                   near.empty() ? "the stages are: " + all : "did you mean '" + near + "'? the stages are: " + all);
}

Status compile(const Arguments &arguments) {
  PLIANT_TRY(const driver::CompilerApi *api, compiler());
  const auto stages = api->stages();
  if (arguments.has("--stages")) {
    for (const auto &[stage, text] : stages)
      std::printf("%-14s %s\n", stage.c_str(), text.c_str());
    return ok();
  }
  PLIANT_TRY(driver::Options options, compileOptions(arguments));
  options.cache = false; // its stages and their times are those of a compile
  options.stopAfter = arguments.get("--stop-after");
  if (!options.stopAfter.empty())
    PLIANT_CHECK(checkStage(options.stopAfter, stages));
  options.startAfter = arguments.get("--start-after");
  if (!options.startAfter.empty())
    PLIANT_CHECK(checkStage(options.startAfter, stages));
  for (const std::string &list : arguments.all("--print-after"))
    for (const std::string &stage : split(list, ',')) {
      PLIANT_CHECK(checkStage(stage, stages));
      options.printAfter.insert(stage);
    }
  PLIANT_TRY(Model model, compileModel(arguments, options));
  const driver::Stats &stats = model.compiled.stats;
  const std::pair<const char *, double> times[] = {{"import_ms", stats.importMs}, {"passes_ms", stats.passesMs},
                                                   {"plan_ms", stats.planMs},     {"kernels_ms", stats.kernelsMs},
                                                   {"link_ms", stats.linkMs},     {"total_ms", stats.totalMs}};
  if (arguments.has("--json")) {
    files::JsonWriter json;
    json.beginObject();
    json.field("model", model.path);
    json.field("target", options.target);
    for (const auto &[name, ms] : times)
      json.field(name, ms);
    json.field("kernels", stats.kernels);
    json.field("image_bytes", model.compiled.image.size());
    json.key("prints");
    json.beginArray();
    for (const auto &[stage, text] : model.compiled.prints) {
      json.beginObject();
      json.field("stage", stage);
      json.field("text", text);
      json.endObject();
    }
    json.endArray();
    json.endObject();
    std::fputs(json.text().c_str(), stdout);
    return ok();
  }
  const bool titles = model.compiled.prints.size() > 1;
  std::string title;
  for (const auto &[stage, text] : model.compiled.prints) {
    if (titles && stage != title)
      std::printf("// after %s\n", stage.c_str());
    title = stage;
    std::fputs(text.c_str(), stdout);
    if (!text.ends_with('\n'))
      std::printf("\n");
  }
  if (model.compiled.prints.empty()) {
    std::printf("%ld kernels, image of %s\n", static_cast<long>(stats.kernels),
                bytesText(static_cast<double>(model.compiled.image.size())).c_str());
    for (const auto &[name, ms] : times)
      std::printf("  %-10s %10.2f\n", name, ms);
  }
  return ok();
}

} // namespace

Command compileCommand() {
  return {"compile",
          "model.onnx|file.mlir [options]",
          "compiles and prints the program between stages",
          "",
          modelOptions({{"--start-after", "STAGE", "the text of file.mlir is what this stage has printed"},
                        {"--stop-after", "STAGE", "stops there and prints the program"},
                        {"--print-after", "STAGE[,STAGE]", "prints the program after these stages"},
                        {"--stages", nullptr, "lists the stages"}}),
          compile};
}

} // namespace pliant::tool
