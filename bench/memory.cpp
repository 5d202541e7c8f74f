// SPDX-License-Identifier: Apache-2.0
// pliant-bench-memory MODEL --draw DIR | --feed DIR [--peer ort] | --walk: what one process needs for a model, as JSON.
// --feed: the peak of resident memory over what the process held before it loaded the model, until it is ready and
// until a run is done; and the milliseconds to both. A process measures one of the two, ours (from the disk cache where
// it is there) or ONNX Runtime's (PLIANT_ORT), since a peak is the whole process's. Libraries are opened and inputs
// read before, of either. The inputs are from a process of its own: --draw writes those of the shape in --shapes that
// needs most memory. --walk: what is resident after each run of --shapes, over what was there when the model was
// loaded.
#include "memory.h"
#include "command.h"
#include "files/files.h"
#include "inputs.h"
#include "ort.h"
#include "session.h"
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <malloc.h>

namespace pliant::bench {
namespace {

using tool::Arguments;
using tool::Option;

/// A line of /proc/self/status in bytes. The peak (VmHWM) and what is resident now (VmRSS) count pages of files too.
int64_t statusBytes(const char *field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field))
      return std::strtoll(line.c_str() + std::strlen(field) + 1, nullptr, 10) * 1024;
  return 0;
}

struct Moments {
  int64_t before = 0, readyPeak = 0, ready = 0, runPeak = 0, run = 0;
  double readyMs = 0, weightsMs = 0, runMs = 0;
  bool cached = false; ///< ours, from the disk cache
};

void begin(Moments &m) {
  malloc_trim(0);                                // what reading the inputs left would be used again
  std::ofstream("/proc/self/clear_refs") << "5"; // the peak from here on
  m.before = statusBytes("VmRSS");
}
void ready(Moments &m) {
  m.readyPeak = statusBytes("VmHWM");
  m.ready = statusBytes("VmRSS");
}
void ran(Moments &m) {
  m.runPeak = statusBytes("VmHWM");
  m.run = statusBytes("VmRSS");
}

std::string fileOf(const std::string &folder, size_t input) {
  return (std::filesystem::path(folder) / (std::to_string(input) + ".pb")).string();
}

/// Inputs of that shape of the list which needs most memory: they and the arena.
Status draw(const Arguments &arguments) {
  PLIANT_TRY(driver::Options options, tool::compileOptions(arguments));
  PLIANT_TRY(tool::Model model, tool::compileModel(arguments, options));
  const Program &program = model.program();
  PLIANT_TRY(tool::Inputs inputs, tool::Inputs::read(arguments, program, true));
  PLIANT_TRY(auto shapes,
             tool::parseShapes(arguments.get("--shapes"), tool::modelSymbols(program.inputs), inputs.known()));
  int64_t most = -1;
  std::vector<DenseTensor> largest;
  for (const tool::SymbolValues &values : shapes) {
    PLIANT_TRY(std::vector<DenseTensor> tensors, inputs.tensors(values));
    int64_t bytes = 0;
    for (const DenseTensor &tensor : tensors)
      bytes += static_cast<int64_t>(tensor.bytes());
    if (auto use = tool::arenaUse(program, values))
      bytes += use->arenaBytes;
    if (bytes > most)
      most = bytes, largest = std::move(tensors);
  }
  for (size_t i = 0; i < largest.size(); ++i)
    PLIANT_CHECK(files::writeTensor(fileOf(arguments.get("--draw"), i), {program.inputs[i].name, largest[i]}));
  return ok();
}

/// What draw() has written, in the program's order.
Result<std::vector<files::NamedTensor>> drawn(const std::string &folder) {
  std::vector<files::NamedTensor> out;
  for (std::error_code failure; std::filesystem::exists(fileOf(folder, out.size()), failure);) {
    PLIANT_TRY(files::NamedTensor tensor, files::readTensor(fileOf(folder, out.size())));
    out.push_back(std::move(tensor));
  }
  return out;
}

Result<Moments> measureOurs(const Arguments &arguments) {
  PLIANT_TRY(driver::Options options, tool::compileOptions(arguments));
  PLIANT_TRY(auto named, drawn(arguments.get("--feed")));
  std::vector<DenseTensor> inputs;
  for (const files::NamedTensor &input : named)
    inputs.push_back(input.second);
  Moments m;
  begin(m);
  const double start = tool::nowMs();
  PLIANT_TRY(tool::Model model, tool::loadModel(arguments, options));
  m.readyMs = tool::nowMs() - start;
  m.weightsMs = model.executable->weightsMs();
  m.cached = model.compiled.cached;
  ready(m);
  const double run = tool::nowMs();
  PLIANT_TRY(std::vector<DenseTensor> outputs, model.executable->run(inputs));
  m.runMs = tool::nowMs() - run;
  ran(m);
  return m;
}

Result<Moments> measurePeer(const Arguments &arguments) {
  PLIANT_TRY(std::string path, arguments.single("model"));
  PLIANT_TRY(int64_t threads, tool::threadCount(arguments));
  PLIANT_TRY(auto inputs, drawn(arguments.get("--feed")));
  PLIANT_TRY(std::string library, findOrt(""));
  PLIANT_CHECK(openOrt(library));
  Moments m;
  begin(m);
  const double start = tool::nowMs();
  PLIANT_TRY(OrtSession session, OrtSession::open(library, path, static_cast<int>(threads)));
  m.readyMs = tool::nowMs() - start;
  ready(m);
  const double run = tool::nowMs();
  PLIANT_TRY(OrtSession::Call call, session.prepare(inputs));
  PLIANT_CHECK(call.run()); // its results stay where they are, as ours do
  m.runMs = tool::nowMs() - run;
  ran(m);
  return m;
}

Status feed(const Arguments &arguments) {
  PLIANT_TRY(Moments m, arguments.has("--peer") ? measurePeer(arguments) : measureOurs(arguments));
  files::JsonWriter json;
  json.beginObject();
  json.field("before_bytes", m.before);
  json.field("ready_ms", m.readyMs);
  json.field("weights_ms", m.weightsMs);
  json.field("ready_peak_bytes", m.readyPeak - m.before);
  json.field("ready_bytes", m.ready - m.before);
  json.field("run_ms", m.runMs);
  json.field("run_peak_bytes", m.runPeak - m.before);
  json.field("run_bytes", m.run - m.before);
  json.field("cached", m.cached);
  json.endObject();
  std::fputs(json.text().c_str(), stdout);
  return ok();
}

Status walk(const Arguments &arguments) {
  PLIANT_TRY(driver::Options options, tool::compileOptions(arguments));
  PLIANT_TRY(tool::Model model, tool::loadModel(arguments, options));
  PLIANT_TRY(tool::Inputs inputs, tool::Inputs::read(arguments, model.program(), true));
  PLIANT_TRY(auto shapes,
             tool::parseShapes(arguments.get("--shapes"), tool::modelSymbols(model.program().inputs), inputs.known()));
  std::vector<int64_t> resident;
  resident.reserve(shapes.size());
  const int64_t loaded = statusBytes("VmRSS");
  for (const tool::SymbolValues &values : shapes) {
    {
      PLIANT_TRY(std::vector<DenseTensor> tensors, inputs.tensors(values));
      PLIANT_TRY(std::vector<DenseTensor> outputs, model.executable->run(tensors));
    }
    resident.push_back(statusBytes("VmRSS") - loaded);
  }
  files::JsonWriter json;
  json.beginObject();
  json.field("loaded_bytes", loaded);
  json.field("cached", model.compiled.cached);
  json.field("resident_bytes", resident);
  json.endObject();
  std::fputs(json.text().c_str(), stdout);
  return ok();
}

Status run(int argc, char **argv) {
  std::vector<Option> options = tool::inputOptionList();
  options.push_back({"--draw", "DIR", "writes inputs"});
  options.push_back({"--feed", "DIR", "measures the model's loading and a run on these inputs"});
  options.push_back({"--walk", nullptr, "runs all of --shapes, one after the other"});
  options.push_back({"--peer", "ort", "ONNX Runtime instead of ours"});
  options.push_back({"--threads", "N", ""});
  options = tool::modelOptions(std::move(options));
  const std::vector<std::string> words(argv + 1, argv + argc);
  PLIANT_TRY(Arguments arguments, Arguments::parse("memory", options, words));
  if (arguments.has("--draw"))
    return draw(arguments);
  if (arguments.has("--feed"))
    return feed(arguments);
  if (arguments.has("--walk"))
    return walk(arguments);
  return userError("command line", "one of --draw, --feed and --walk says what is to be done");
}

} // namespace
} // namespace pliant::bench

int main(int argc, char **argv) {
  auto status = pliant::bench::run(argc, argv);
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.error().text().c_str());
  return status ? 0 : 1;
}
