// SPDX-License-Identifier: Apache-2.0
// pliant-bench-memory MODEL [--shapes S] [--peer ort]: what one process needs for a model, as JSON: the peak of
// resident memory over what the process held before it loaded the model, until it is ready and until a first run is
// done; and the milliseconds to both. A process measures one of the two, ours (from the disk cache where it is there)
// or ONNX Runtime's (PLIANT_ORT), since a peak is the whole process's.
#include "inputs.h"
#include "ort.h"
#include "session.h"
#include <cstdio>
#include <cstring>
#include <fstream>

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
};

void begin(Moments &m) {
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

Result<std::vector<DenseTensor>> inputsFor(const Program &program, const Arguments &arguments) {
  PLIANT_TRY(Arguments none, Arguments::parse("memory", tool::inputOptionList(), {}));
  PLIANT_TRY(tool::Inputs inputs, tool::Inputs::read(none, program, true));
  PLIANT_TRY(auto shapes, tool::parseShapes(arguments.get("--shapes"), tool::modelSymbols(program.inputs)));
  return inputs.tensors(shapes.at(0));
}

Result<Moments> measureOurs(const Arguments &arguments) {
  PLIANT_TRY(driver::Options options, tool::compileOptions(arguments));
  Moments m;
  begin(m);
  const double start = tool::nowMs();
  PLIANT_TRY(tool::Model model, tool::loadModel(arguments, options));
  m.readyMs = tool::nowMs() - start;
  m.weightsMs = model.executable->weightsMs();
  ready(m);
  if (!arguments.has("--shapes"))
    return m;
  PLIANT_TRY(std::vector<DenseTensor> inputs, inputsFor(model.program(), arguments));
  const double run = tool::nowMs();
  PLIANT_TRY(std::vector<DenseTensor> outputs, model.executable->run(inputs));
  m.runMs = tool::nowMs() - run;
  ran(m);
  return m;
}

Result<Moments> measurePeer(const Arguments &arguments) {
  PLIANT_TRY(std::string path, arguments.single("model"));
  std::vector<std::pair<std::string, DenseTensor>> named;
  if (arguments.has("--shapes")) { // the program, to know the inputs
    PLIANT_TRY(driver::Options options, tool::compileOptions(arguments));
    PLIANT_TRY(tool::Model model, tool::compileModel(arguments, options));
    PLIANT_TRY(std::vector<DenseTensor> inputs, inputsFor(model.program(), arguments));
    for (size_t i = 0; i < inputs.size(); ++i)
      named.emplace_back(model.program().inputs[i].name, inputs[i]);
  }
  PLIANT_TRY(std::string library, findOrt(""));
  PLIANT_TRY(int64_t threads, tool::threadCount(arguments));
  Moments m;
  begin(m);
  const double start = tool::nowMs();
  PLIANT_TRY(OrtSession session, OrtSession::open(library, path, static_cast<int>(threads)));
  m.readyMs = tool::nowMs() - start;
  ready(m);
  if (named.empty())
    return m;
  const double run = tool::nowMs();
  PLIANT_TRY(std::vector<DenseTensor> outputs, session.run(named));
  m.runMs = tool::nowMs() - run;
  ran(m);
  return m;
}

Status run(int argc, char **argv) {
  std::vector<Option> options{{"--shapes", "S", "also a first run, of these values of the symbols"},
                              {"--peer", "ort", "ONNX Runtime instead of ours"},
                              {"--threads", "N", ""},
                              {"--target", "NAME", ""},
                              {"--rename", "OLD=NEW", ""},
                              {"--assume", "FACT", ""},
                              {"--no-cache", nullptr, ""}};
  const std::vector<std::string> words(argv + 1, argv + argc);
  PLIANT_TRY(Arguments arguments, Arguments::parse("memory", options, words));
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
  json.endObject();
  std::fputs(json.text().c_str(), stdout);
  return ok();
}

} // namespace
} // namespace pliant::bench

int main(int argc, char **argv) {
  auto status = pliant::bench::run(argc, argv);
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.error().text().c_str());
  return status ? 0 : 1;
}
