// SPDX-License-Identifier: Apache-2.0
// pliant run: one compile, then a run for every shape asked for.
#include "command.h"
#include "compare.h"
#include "files/files.h"
#include "files/list_proto.h"
#include "inputs.h"
#include "repro.h"
#include "session.h"
#include "trace.h"
#include "verify.h"
#include <algorithm>
#include <filesystem>

namespace pliant::tool {
namespace {

namespace fs = std::filesystem;

/// Where outputs go: a folder for all, or a file per output.
struct Destination {
  std::string folder;
  std::map<std::string, std::string> files;
};

Result<Destination> destination(const Arguments &arguments, const Program &program) {
  Destination out;
  for (const std::string &word : arguments.all("--output")) {
    size_t equals = word.find('=');
    if (equals == std::string::npos) {
      out.folder = word;
      continue;
    }
    std::string name = word.substr(0, equals);
    if (std::none_of(program.outputs.begin(), program.outputs.end(),
                     [&](const Argument &o) { return o.name == name; })) {
      std::string names;
      for (const Argument &o : program.outputs)
        names += (names.empty() ? "" : ", ") + o.name;
      return userError("command line", "--output: the model has no output '" + name + "'", "", "it has: " + names);
    }
    out.files[name] = word.substr(equals + 1);
  }
  return out;
}

Status writeValue(const std::string &path, const Argument &output, const RunValue &value) {
  if (!value.list)
    return files::writeTensor(path, {output.name, value.tensor});
  if (!path.ends_with(".pb"))
    return userError("output", "'" + output.name + "' is a " + output.list->str() + ", which is written as .pb only");
  return files::writeListProto(path, output.name, *value.list, *output.list);
}

Status write(const Destination &to, const Program &program, const std::vector<RunValue> &outputs) {
  if (!to.folder.empty()) {
    std::error_code failure;
    fs::create_directories(to.folder, failure);
    if (failure)
      return userError("output", "the folder '" + to.folder + "' cannot be made: " + failure.message());
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string &name = program.outputs[i].name;
    if (!to.folder.empty()) {
      std::string file = name; // names come from the model: they must not leave the folder
      std::replace(file.begin(), file.end(), '/', '_');
      if (file.empty() || file[0] == '.')
        file = "_" + file;
      file += outputs[i].list || outputs[i].tensor.dtype() == DType::String ? ".pb" : ".npy";
      PLIANT_CHECK(writeValue((fs::path(to.folder) / file).string(), program.outputs[i], outputs[i]));
    }
    if (auto file = to.files.find(name); file != to.files.end())
      PLIANT_CHECK(writeValue(file->second, program.outputs[i], outputs[i]));
  }
  return ok();
}

void jsonTensor(files::JsonWriter &json, const std::string &name, const DenseTensor &tensor) {
  json.field("name", name);
  json.field("type", pliant::name(tensor.dtype()));
  json.field("shape", tensor.dims());
}

constexpr int64_t textsShown = 100;

void jsonSummary(files::JsonWriter &json, const DenseTensor &tensor) {
  if (tensor.dtype() == DType::String) {
    json.key("texts");
    json.beginArray();
    for (int64_t i = 0; i < std::min(tensor.size(), textsShown); ++i)
      json.value(tensor.text(i));
    return json.endArray();
  }
  Summary s = summarize(tensor);
  json.field("min", s.min);
  json.field("max", s.max);
  json.field("mean", s.mean);
  json.field("nans", s.nans);
  json.field("infinities", s.infinities);
}

/// A tensor as one object; a list as one with `items`, null for the empty optional.
void jsonValue(files::JsonWriter &json, const Argument &argument, const RunValue &value, bool summaries) {
  json.beginObject();
  if (!value.list) {
    jsonTensor(json, argument.name, value.tensor);
    if (summaries)
      jsonSummary(json, value.tensor);
  } else {
    json.field("name", argument.name);
    json.field("type", argument.list->str());
    json.field("present", value.list->present);
    json.key("items");
    json.beginArray();
    for (size_t k = 0; k < value.list->items.size(); ++k) {
      json.beginObject();
      jsonTensor(json, std::to_string(k), value.list->items[k]);
      if (summaries)
        jsonSummary(json, value.list->items[k]);
      json.endObject();
    }
    json.endArray();
  }
  json.endObject();
}

void printOutput(const std::string &name, const DenseTensor &tensor) {
  Summary s = summarize(tensor);
  std::printf("  %s: %s%s", name.c_str(), std::string(pliant::name(tensor.dtype())).c_str(),
              pliant::str(tensor.dims()).c_str());
  if (tensor.dtype() == DType::String) {
    std::printf("%s", tensor.size() ? "  =" : "");
    for (int64_t i = 0; i < std::min<int64_t>(tensor.size(), 8); ++i)
      std::printf(" %s", onnx_file::quote(tensor.text(i)).c_str()); // without what controls a terminal
    std::printf("%s", tensor.size() > 8 ? " ..." : "");
  } else if (tensor.size() && tensor.size() <= 8) {
    std::printf("  = ");
    for (int64_t i = 0; i < tensor.size(); ++i)
      std::printf("%s%s", i ? " " : "", shortNumber(elementAsDouble(tensor, i)).c_str());
  } else if (tensor.size()) {
    std::printf("  min %s, max %s, mean %s", shortNumber(s.min).c_str(), shortNumber(s.max).c_str(),
                shortNumber(s.mean).c_str());
  }
  if (s.nans)
    std::printf(", %ld NaN", static_cast<long>(s.nans));
  if (s.infinities)
    std::printf(", %ld infinite", static_cast<long>(s.infinities));
  std::printf("\n");
}

void printOutput(const Argument &output, const RunValue &value) {
  if (!value.list)
    return printOutput(output.name, value.tensor);
  if (!value.list->present) {
    std::printf("  %s: %s: empty\n", output.name.c_str(), output.list->str().c_str());
    return;
  }
  std::printf("  %s: %s, %zu elements\n", output.name.c_str(), output.list->str().c_str(), value.list->items.size());
  for (size_t k = 0; k < value.list->items.size(); ++k)
    printOutput("  " + std::to_string(k), value.list->items[k]);
}

/// What is fed back from step to step: output and input by index. What grows stays in a block with room for more.
struct Feedback {
  int64_t steps = 1;
  std::vector<std::pair<size_t, size_t>> pairs;

  /// The states of the program that are pairs, from what the inputs are before the first step.
  Result<std::vector<GrowingTensor>> states(const Program &program, const std::vector<RunValue> &inputs) const {
    std::vector<GrowingTensor> list(program.states.size());
    for (size_t k = 0; k < list.size(); ++k) {
      const State &state = program.states[k];
      const std::pair<size_t, size_t> pair(state.output, state.input);
      if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end())
        continue;
      PLIANT_TRY(list[k], GrowingTensor::copyOf(inputs[pair.second].tensor, static_cast<size_t>(state.axis)));
    }
    return list;
  }
};

Result<Feedback> feedback(const Arguments &arguments, const Program &program) {
  Feedback out;
  PLIANT_TRY(out.steps, arguments.integer("--steps", 1, 1, INT64_MAX));
  PLIANT_TRY(auto pairs, arguments.pairs("--loop", "OUT=IN"));
  auto find = [](const std::vector<Argument> &list, const std::string &name) {
    return static_cast<size_t>(
        std::find_if(list.begin(), list.end(), [&](const Argument &a) { return a.name == name; }) - list.begin());
  };
  for (auto &[from, to] : pairs) {
    const size_t output = find(program.outputs, from), input = find(program.inputs, to);
    if (output == program.outputs.size() || input == program.inputs.size())
      return userError("command line", "--loop " + from + "=" + to + ": the model has no " +
                                           (output == program.outputs.size() ? "output '" + from : "input '" + to) +
                                           "'");
    if (std::any_of(out.pairs.begin(), out.pairs.end(), [&](const auto &pair) { return pair.second == input; }))
      return userError("command line", "--loop feeds input '" + to + "' twice");
    out.pairs.emplace_back(output, input);
  }
  return out;
}

Status runModel(const Arguments &arguments, ReproBundle *bundle) {
  PLIANT_TRY(driver::Options options, compileOptions(arguments));
  options.observed = arguments.has("--verify") || arguments.has("--trace");
  Trace trace;
  PLIANT_TRY(Model model, loadModel(arguments, options, bundle));
  trace.compiled(model);
  Executable::Observer verify = arguments.has("--verify") ? verifier(model.program()) : nullptr;
  if (arguments.has("--trace"))
    trace.watch(model, std::move(verify));
  else if (verify)
    model.executable->observe(std::move(verify));
  const Program &program = model.program();
  PLIANT_TRY(Inputs inputs, Inputs::read(arguments, program, false));
  PLIANT_TRY(Destination to, destination(arguments, program));
  PLIANT_TRY(Feedback loop, feedback(arguments, program));
  const std::vector<std::string> symbols = modelSymbols(program.inputs);
  std::vector<SymbolValues> shapes{inputs.known()};
  if (arguments.has("--shapes")) {
    PLIANT_TRY(shapes, parseShapes(arguments.get("--shapes"), symbols, inputs.known()));
  }
  if (shapes.size() > 1 && (!to.folder.empty() || !to.files.empty()))
    return userError("command line",
                     "--output takes the outputs of one run, but --shapes asks for " + std::to_string(shapes.size()));
  if (bundle)
    PLIANT_CHECK(bundle->inputs(program, shapes));
  const bool asJson = arguments.has("--json");
  files::JsonWriter json;
  json.beginObject();
  json.field("model", model.path);
  json.field("target", options.target);
  const size_t compiles = json.later("compiles");
  json.field("compile_ms", model.compileMs);
  json.field("load_ms", model.loadMs);
  json.field("fallbacks", model.executable->fallbacks());
  json.key("runs");
  json.beginArray();
  for (const SymbolValues &values : shapes) {
    Inputs fed = inputs;
    std::vector<RunValue> given, outputs;
    std::vector<GrowingTensor> states;
    std::vector<double> times;
    const int64_t copiedBefore = model.executable->pastCopied();
    for (int64_t step = 0; step < loop.steps; ++step) {
      SymbolValues now = values;
      for (const auto &[output, input] : loop.pairs)
        if (step > 0 && (outputs[output].tensor || outputs[output].list)) // not a state
          PLIANT_CHECK(fed.feed(input, std::move(outputs[output])));
      for (size_t k = 0; k < states.size(); ++k)
        if (states[k]) // for its extents: a run reads the state
          PLIANT_CHECK(fed.feed(static_cast<size_t>(program.states[k].input),
                                {DenseTensor::borrow(states[k].dtype(), states[k].dims(), states[k].data()), {}}));
      if (step > 0)
        for (const auto &[symbol, value] : fed.known())
          now[symbol] = value;
      PLIANT_TRY(given, fed.make(now));
      if (step == 0) {
        PLIANT_TRY(states, loop.states(program, given));
      }
      trace.beginRun(str(now, symbols));
      const double start = nowMs();
      auto result = model.executable->runValues(given, states);
      times.push_back(nowMs() - start);
      trace.endRun();
      if (arguments.has("--trace") && (!result || step + 1 == loop.steps)) // a failed run leaves its timeline too
        PLIANT_CHECK(trace.write(arguments.get("--trace"), model));
      PLIANT_TRY(outputs, std::move(result));
    }
    for (size_t k = 0; k < states.size(); ++k)
      if (states[k]) {
        PLIANT_TRY(outputs[program.states[k].output].tensor, states[k].tensor());
      }
    std::sort(times.begin(), times.end());
    const double ms = times[times.size() / 2];
    PLIANT_CHECK(write(to, program, outputs));
    if (!asJson) {
      std::string shown = str(values, symbols);
      std::printf("%s%s%s ms%s%s\n", shown.c_str(), shown.empty() ? "" : ": ", shortNumber(ms).c_str(),
                  loop.steps > 1 ? (" (median of " + std::to_string(loop.steps) + " steps)").c_str() : "",
                  arguments.has("--verify") ? ", verified" : "");
      for (size_t i = 0; i < outputs.size(); ++i)
        printOutput(program.outputs[i], outputs[i]);
      continue;
    }
    json.beginObject();
    json.key("symbols");
    json.beginObject();
    for (const std::string &symbol : symbols)
      if (auto value = values.find(symbol); value != values.end())
        json.field(symbol, value->second);
    json.endObject();
    json.field("ms", ms);
    if (loop.steps > 1) {
      json.field("steps", loop.steps);
      json.field("past_copied_bytes", model.executable->pastCopied() - copiedBefore);
    }
    json.key("inputs");
    json.beginArray();
    for (size_t i = 0; i < given.size(); ++i)
      jsonValue(json, program.inputs[i], given[i], false);
    json.endArray();
    json.key("outputs");
    json.beginArray();
    for (size_t i = 0; i < outputs.size(); ++i)
      jsonValue(json, program.outputs[i], outputs[i], true);
    json.endArray();
    if (arguments.has("--verify"))
      json.field("verified", true);
    json.endObject();
  }
  json.endArray();
  const ProgramsMade made = model.made();
  json.field("cached", model.compiled.cached);
  json.field("loads", made.read);
  json.field("weights_ms", model.executable->weightsMs());
  json.endObject();
  json.fill(compiles, made.compiled + made.read);
  if (asJson)
    std::fputs(json.text().c_str(), stdout);
  else
    std::printf("%s in %s ms%s\n",
                model.compiled.cached ? "read from the cache"
                : made.compiled == 1  ? "compiled once"
                                      : ("compiled " + std::to_string(made.compiled) + " times, first").c_str(),
                shortNumber(model.compileMs).c_str(),
                model.executable->fallbacks()
                    ? (", " + std::to_string(model.executable->fallbacks()) + " steps run as references").c_str()
                    : "");
  return ok();
}

Status run(const Arguments &arguments) {
  if (arguments.has("--repro")) {
    PLIANT_TRY(std::vector<std::string> words, reproArguments(arguments, *findCommand("run")));
    PLIANT_TRY(Arguments again, Arguments::parse("run", findCommand("run")->options, words));
    return runModel(again, nullptr);
  }
  if (!arguments.has("--save-repro"))
    return runModel(arguments, nullptr);
  PLIANT_TRY(ReproBundle bundle, ReproBundle::begin(arguments, *findCommand("run")));
  Status status = runModel(arguments, &bundle);
  PLIANT_CHECK(bundle.finish(status ? nullptr : &status.error()));
  return status;
}

} // namespace

Command runCommand() {
  std::vector<Option> options = inputOptionList();
  options.push_back({"--output", "DIR|NAME=FILE",
                     "writes all outputs as DIR/NAME.npy, or one as .npy, .npz, .pb or .png; sequences as .pb"});
  options.push_back({"--threads", "N", "all CPUs of the process, unless PLIANT_THREADS says else"});
  options.push_back({"--flush-denormals", nullptr, "takes and gives zero for numbers too small to be normal"});
  options.push_back({"--loop", "OUT=IN", "feeds an output back as an input of the next step; repeated"});
  options.push_back({"--steps", "N", "runs N steps (default 1); inputs that are not fed back are drawn anew"});
  options.push_back({"--verify", nullptr, "compares with the reference evaluators and names the first wrong step"});
  options.push_back(
      {"--trace", "FILE", "writes a timeline in Chrome's trace format: launches, host flow, compilation"});
  options.push_back({"--save-repro", "DIR",
                     "writes what is needed to look at an error of Pliant elsewhere: the model without its weights, "
                     "the command, the stages"});
  options.push_back({"--repro", "DIR", "runs what --save-repro has written, on made-up weights and inputs"});
  return {
      "run",
      "model.onnx [options]",
      "runs a model on files or random inputs, at any shape",
      "A picture (u8, height times width times 3) is converted to the input's type and layout: channels go where the\n"
      "input has an extent of 3 or 1, else first; element = (pixel - mean) * scale. It is scaled only when asked.\n"
      "PP-OCR recognition takes `--resize 48x --mean 127.5 --scale 1/127.5 --bgr`.",
      modelOptions(std::move(options)),
      run};
}

} // namespace pliant::tool
