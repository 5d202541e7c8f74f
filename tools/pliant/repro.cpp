// SPDX-License-Identifier: Apache-2.0
// Writing and reading of repro bundles.
#include "repro.h"
#include "api/compile.h"
#include "api/compiler.h"
#include "command.h"
#include "files/bytes.h"
#include "files/json.h"
#include "runtime/target.h"
#include <filesystem>
#include <fstream>
#include <set>

namespace pliant::tool {
namespace {

namespace fs = std::filesystem;

std::string at(const std::string &folder, const char *name) { return (fs::path(folder) / name).string(); }

/// The options of a command line as words, but some.
std::vector<std::string> optionWords(const Arguments &arguments, const Command &command,
                                     const std::set<std::string_view> &but) {
  std::vector<std::string> words;
  for (const Option &option : command.options) {
    if (but.contains(option.name) || !arguments.has(option.name))
      continue;
    if (!option.value) {
      words.emplace_back(option.name);
      continue;
    }
    for (const std::string &value : arguments.all(option.name))
      words.push_back(std::string(option.name) + "=" + value);
  }
  return words;
}

} // namespace

Result<ReproBundle> ReproBundle::begin(const Arguments &arguments, const Command &command) {
  const std::string folder = arguments.get("--save-repro");
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure)
    return userError("command line", "--save-repro: the folder '" + folder + "' cannot be made: " + failure.message());
  if (!fs::is_empty(folder, failure) || failure)
    return userError("command line", "--save-repro: the folder '" + folder + "' is not empty");
  fs::create_directories(fs::path(folder) / "stages", failure);
  ReproBundle bundle;
  bundle.folder = folder;
  bundle.command = command.name;
  bundle.words = optionWords(
      arguments, command,
      {"--input", "--output", "--save-repro", "--repro", "--trace", "--json", "--random", "--shapes", "--no-cache"});
  bundle.words.insert(bundle.words.end(), {"--no-cache", "--random=" + arguments.get("--random", "0")});
  PLIANT_TRY(TargetDescription description, TargetDescription::forced(arguments.get("--target")));
  bundle.target = description.json();
  PLIANT_CHECK(bundle.writeArguments(arguments.has("--shapes")
                                         ? std::vector<std::string>{"--shapes=" + arguments.get("--shapes")}
                                         : std::vector<std::string>{}));
  PLIANT_CHECK(bundle.writeInfo());
  return bundle;
}

Result<driver::Compiled> ReproBundle::compile(const std::string &model, driver::Options options) {
  if (model.ends_with(".mlir")) { // has no weights
    std::error_code failure;
    fs::copy_file(model, at(folder, "model.mlir"), failure);
  } else if (auto stripped = withoutWeights(model)) { // else the importer says what is wrong with it
    PLIANT_CHECK(files::writeFile(at(folder, "model.onnx"), *stripped));
  }
  PLIANT_TRY(const driver::CompilerApi *api, compiler());
  options.cache = false;
  const auto stages = api->stages();
  driver::Options all = options;
  for (const auto &[stage, text] : stages)
    all.printAfter.insert(stage);
  auto compiled = pliant::compile(model, all);
  if (compiled) {
    PLIANT_CHECK(writeStages(compiled->prints));
    return compiled;
  }
  std::vector<std::pair<std::string, std::string>> prints;
  for (const auto &[stage, text] : stages) {
    driver::Options some = options;
    some.stopAfter = stage;
    auto part = pliant::compile(model, some);
    if (!part)
      break;
    for (auto &print : part->prints)
      prints.push_back(std::move(print));
    PLIANT_CHECK(writeStages(prints));
  }
  return compiled;
}

Status ReproBundle::inputs(const Program &program, const std::vector<SymbolValues> &shapes) {
  arguments = program.inputs;
  std::string list;
  for (const SymbolValues &values : shapes) {
    std::string one;
    for (const auto &[symbol, value] : values)
      one += (one.empty() ? "" : ",") + symbol + "=" + std::to_string(value);
    list += (list.empty() ? "" : ";") + one;
    runs.push_back(one);
  }
  PLIANT_CHECK(
      writeArguments(list.empty() ? std::vector<std::string>{} : std::vector<std::string>{"--shapes=" + list}));
  return writeInfo();
}

Status ReproBundle::finish(const Error *error) {
  outcome = error ? error->text() : "no error";
  return writeInfo();
}

Status ReproBundle::writeStages(const std::vector<std::pair<std::string, std::string>> &prints) const {
  std::vector<std::pair<std::string, std::string>> files; // texts of one stage in one file
  for (const auto &[stage, text] : prints)
    if (!files.empty() && files.back().first == stage)
      files.back().second += "\n" + text;
    else
      files.emplace_back(stage, text);
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string name = (i < 10 ? "0" : "") + std::to_string(i) + "_" + files[i].first + ".txt";
    PLIANT_CHECK(files::writeFile((fs::path(folder) / "stages" / name).string(), files[i].second));
  }
  return ok();
}

Status ReproBundle::writeArguments(const std::vector<std::string> &more) const {
  std::string text;
  for (const std::vector<std::string> *list : {&words, &more})
    for (const std::string &word : *list) {
      if (word.find('\n') != std::string::npos)
        return userError("command line", "--save-repro: a word of the command line has a line end in it");
      text += word + "\n";
    }
  return files::writeFile(at(folder, "arguments"), text);
}

Status ReproBundle::writeInfo() const {
  files::JsonWriter json;
  json.beginObject();
  json.field("version", PLIANT_VERSION);
  json.field("command", command);
  json.field("outcome", outcome);
  json.key("inputs");
  json.beginArray();
  for (const Argument &input : arguments) {
    json.beginObject();
    json.field("name", input.name);
    json.field("type", input.list ? input.list->str() : input.type.str());
    json.endObject();
  }
  json.endArray();
  json.key("shapes");
  json.beginArray();
  for (const std::string &run : runs)
    json.value(run);
  json.endArray();
  json.key("target");
  json.raw(target);
  json.endObject();
  return files::writeFile(at(folder, "info.json"), json.text());
}

Result<std::vector<std::string>> reproArguments(const Arguments &arguments, const Command &command) {
  const std::string folder = arguments.get("--repro");
  if (!arguments.operands().empty())
    return userError("command line",
                     "--repro brings a model of its own: '" + arguments.operands()[0] + "' is too many");
  std::ifstream stream(at(folder, "arguments"));
  const bool isText = fs::exists(at(folder, "model.mlir"));
  std::vector<std::string> words{at(folder, isText ? "model.mlir" : "model.onnx")};
  for (std::string line; std::getline(stream, line);)
    words.push_back(line);
  if (words.size() == 1)
    return userError("command line", "--repro: '" + folder + "' holds no bundle: its file 'arguments' cannot be read");
  if (!isText)
    PLIANT_CHECK(drawWeights(folder));
  for (std::string &word : optionWords(arguments, command, {"--repro"}))
    words.push_back(std::move(word));
  return words;
}

} // namespace pliant::tool
