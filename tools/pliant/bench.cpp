// SPDX-License-Identifier: Apache-2.0
// pliant bench: one compile, then every shape: first run, steady run, host time, memory, and the same beside ONNX
// Runtime. Paired and interleaved; medians of paired ratios; the noise floor from our own second runs.
#include "command.h"
#include "compare.h"
#include "inputs.h"
#include "memory.h"
#include "new_shape.h"
#include "ort.h"
#include "session.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>

namespace pliant::tool {
namespace {

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Times {
  std::vector<double> wall, cpu;
};

Status timed(Times &times, const std::function<Status()> &run) {
  const double wall = nowMs(), cpu = threadCpuMs();
  Status status = run();
  times.cpu.push_back(threadCpuMs() - cpu);
  times.wall.push_back(nowMs() - wall);
  return status;
}

double medianRatio(const std::vector<double> &a, const std::vector<double> &b) {
  std::vector<double> ratios;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    ratios.push_back(a[i] / std::max(b[i], 1e-9));
  return median(std::move(ratios));
}

struct Row {
  SymbolValues values;
  double firstMs = 0, p50Ms = 0, cpuMs = 0;
  std::optional<double> hostUs; ///< none where the host's flow reads what kernels compute
  int64_t arenaBytes = 0, liveBytes = 0, rounds = 0;
  double noise = 0; ///< |A/A - 1| of our own runs
  double peerMs = 0, peerCpuMs = 0, ratio = 0, maxDifference = 0;
  std::string disagreement;
  std::optional<NewShape> newShape; ///< none for the shape with the largest arena
};

/// Whether the host's flow depends on what kernels compute: with kernels that only return it would go astray.
bool flowReadsResults(const Program &program) {
  auto computed = [&](int buffer) {
    const Buffer::Storage storage = program.buffers[static_cast<size_t>(buffer)].storage;
    return storage != Buffer::Storage::Input && storage != Buffer::Storage::Constant;
  };
  return std::ranges::any_of(numberedSteps(program), [&](const Step *step) {
    switch (step->kind) {
    case Step::Kind::Bind:
    case Step::Kind::Guard:
    case Step::Kind::If:
    case Step::Kind::Evaluate:
      return std::ranges::any_of(step->inputs, computed);
    case Step::Kind::Loop:
      return std::ranges::any_of(step->inputs, computed) || step->condition >= 0;
    default:
      return false;
    }
  });
}

class Bench {
public:
  Bench(Model &model, std::optional<OrtSession> peer, int threads, double budgetMs)
      : model(model), peer(std::move(peer)), threads(threads), budgetMs(budgetMs) {}

  Result<Row> measure(const SymbolValues &values, const std::vector<DenseTensor> &inputs) {
    Row row;
    row.values = values;
    Executable &ours = *model.executable;
    const double start = nowMs();
    PLIANT_CHECK(ours.run(inputs, outputs));
    row.firstMs = nowMs() - start;
    if (auto use = arenaUse(model.program(), values)) {
      row.arenaBytes = use->arenaBytes;
      row.liveBytes = use->liveBytes;
    }
    std::optional<OrtSession::Call> call;
    if (peer) {
      PLIANT_TRY(call, bind(inputs));
      PLIANT_CHECK(call->run());
      PLIANT_CHECK(agree(row, *call));
    }
    PLIANT_CHECK(rounds(row, inputs, call));
    if (!flowReadsResults(model.program()))
      PLIANT_CHECK(hostOnly(row, inputs));
    return row;
  }

  /// What each shape's first run costs more than a later one.
  Status newShapes(std::vector<Row> &rows, const std::vector<std::vector<DenseTensor>> &inputs,
                   const std::vector<DenseTensor> &weights) {
    if (flowReadsResults(model.program()))
      return ok();
    const auto largest = static_cast<size_t>(std::ranges::max_element(rows, {}, &Row::arenaBytes) - rows.begin());
    PLIANT_TRY(auto costs, measureNewShapes(model, weights, inputs, largest, threads));
    for (size_t i = 0; i < rows.size(); ++i)
      rows[i].newShape = costs[i];
    return ok();
  }

private:
  Model &model;
  std::optional<OrtSession> peer;
  int threads;
  double budgetMs;
  std::vector<DenseTensor> outputs; ///< of our last run; the next one writes into the same memory

  Result<OrtSession::Call> bind(const std::vector<DenseTensor> &inputs) const {
    std::vector<std::pair<std::string, DenseTensor>> named;
    for (size_t i = 0; i < inputs.size(); ++i)
      named.emplace_back(model.program().inputs[i].name, inputs[i]);
    return peer->prepare(named);
  }

  Status agree(Row &row, const OrtSession::Call &call) const {
    PLIANT_TRY(std::vector<DenseTensor> theirs, call.outputs());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::string &name = model.program().outputs[i].name;
      size_t at = static_cast<size_t>(std::find(peer->outputNames().begin(), peer->outputNames().end(), name) -
                                      peer->outputNames().begin());
      if (at >= theirs.size())
        return userError("bench", "ONNX Runtime has no output '" + name + "'");
      Agreement agreement = compare(outputs[i], theirs[at], ortSlack);
      row.maxDifference = std::max(row.maxDifference, agreement.maxDifference);
      if (!agreement.holds && row.disagreement.empty())
        row.disagreement = "output '" + name + "': " + agreement.reason;
    }
    return ok();
  }

  /// Waits until no thread of this process works or spins.
  static void untilIdle() {
    using std::chrono::milliseconds;
    auto processCpuMs = [] {
      timespec now{};
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
      return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
    };
    for (int i = 0, idle = 0; i < 500 && idle < 5; ++i) {
      const double before = processCpuMs();
      std::this_thread::sleep_for(milliseconds(1));
      idle = processCpuMs() - before < 0.1 ? idle + 1 : 0;
    }
  }

  /// With several threads each side is timed as it is in use, one run behind another of its own: its threads are awake,
  /// and those of the other side, which spin for milliseconds after a run, are not.
  Status alone(Times &times, const std::function<void()> &prepare, const std::function<Status()> &run) const {
    if (threads > 1) {
      untilIdle();
      prepare();
      PLIANT_CHECK(run());
    }
    prepare();
    return timed(times, run);
  }

  Status rounds(Row &row, const std::vector<DenseTensor> &inputs, std::optional<OrtSession::Call> &call) {
    Times a, b, theirs;
    auto mine = [&]() -> Status {
      PLIANT_CHECK(model.executable->run(inputs, outputs));
      return ok();
    };
    const double end = nowMs() + budgetMs;
    for (int64_t round = 0; round < 2000 && (round < 5 || nowMs() < end); ++round) {
      // Who goes first alternates, so that what one leaves in the caches does not always meet the same other.
      for (int turn = 0; turn < 3; ++turn) {
        int who = round % 2 ? 2 - turn : turn;
        if (who == 1) {
          if (!call)
            continue;
          PLIANT_CHECK(alone(theirs, [&] { call->reset(); }, [&] { return call->run(); }));
        } else {
          PLIANT_CHECK(alone(who ? b : a, [] {}, mine));
        }
      }
      row.rounds = round + 1;
    }
    // One thread's own CPU time leaves out what the machine does besides; with more threads only the clock counts.
    const bool byCpu = threads == 1;
    const std::vector<double> &x = byCpu ? a.cpu : a.wall, &y = byCpu ? b.cpu : b.wall;
    row.noise = std::fabs(medianRatio(x, y) - 1);
    row.p50Ms = median(a.wall);
    row.cpuMs = median(a.cpu);
    row.peerMs = median(theirs.wall);
    row.peerCpuMs = median(theirs.cpu);
    row.ratio = medianRatio(byCpu ? theirs.cpu : theirs.wall, x);
    return ok();
  }

  Status hostOnly(Row &row, const std::vector<DenseTensor> &inputs) {
    Times times;
    const double end = nowMs() + std::min(budgetMs, 50.0);
    for (int64_t round = 0; round < 20000 && (round < 5 || nowMs() < end); ++round)
      PLIANT_CHECK(timed(times, [&] { return model.executable->runHostOnly(inputs, outputs); }));
    row.hostUs = 1e3 * median(times.wall);
    return ok();
  }
};

/// The folder above this program that holds node_modules, for the peer.
std::string repositoryRoot() {
  std::error_code failure;
  std::filesystem::path at = std::filesystem::read_symlink("/proc/self/exe", failure);
  for (at = at.parent_path(); !at.empty() && at != at.root_path(); at = at.parent_path())
    if (std::filesystem::exists(at / "node_modules", failure))
      return at.string();
  return ".";
}

void writeJson(const Model &model, const std::vector<Row> &rows, const std::vector<std::string> &symbols,
               const std::string &peer, int threads, double load) {
  files::JsonWriter json;
  json.beginObject();
  json.field("model", model.path);
  json.field("threads", threads);
  json.field("load", load);
  const ProgramsMade made = model.made();
  json.field("compiles", made.compiled + made.read);
  json.field("codegen_runs", model.compiled.stats.kernels);
  json.field("compile_ms", model.compileMs);
  json.field("load_ms", model.loadMs);
  json.field("cached", model.compiled.cached);
  json.field("fallbacks", model.executable->fallbacks());
  if (!peer.empty())
    json.field("peer", peer);
  json.key("shapes");
  json.beginArray();
  for (const Row &row : rows) {
    json.beginObject();
    json.key("symbols");
    json.beginObject();
    for (const std::string &symbol : symbols)
      if (auto value = row.values.find(symbol); value != row.values.end())
        json.field(symbol, value->second);
    json.endObject();
    json.field("first_ms", row.firstMs);
    if (const auto &cost = row.newShape) {
      json.field("new_shape_ms", cost->totalMs());
      json.field("new_shape_host_ms", cost->hostMs);
      json.field("new_shape_faults", cost->smallFaults + cost->hugeFaults);
      json.field("new_shape_fault_ms", cost->faultMs);
      json.field("new_shape_run_ms", cost->runMs);
      json.field("new_shape_noise_ms", cost->noiseMs);
    }
    json.field("p50_ms", row.p50Ms);
    json.field("cpu_ms", row.cpuMs);
    if (row.hostUs)
      json.field("host_us", *row.hostUs);
    json.field("kernels", model.executable->launches());
    json.field("arena_bytes", row.arenaBytes);
    json.field("live_bytes", row.liveBytes);
    json.field("rounds", row.rounds);
    json.field("noise", row.noise);
    if (!peer.empty()) {
      json.field("peer_ms", row.peerMs);
      json.field("peer_cpu_ms", row.peerCpuMs);
      json.field("ratio", row.ratio);
      json.field("max_difference", row.maxDifference);
      json.field("agrees", row.disagreement.empty());
      if (!row.disagreement.empty())
        json.field("disagreement", row.disagreement);
    }
    json.endObject();
  }
  json.endArray();
  json.field("loads", made.read);
  json.field("weights_ms", model.executable->weightsMs());
  json.endObject();
  std::fputs(json.text().c_str(), stdout);
}

void writeText(const Model &model, const std::vector<Row> &rows, const std::vector<std::string> &symbols,
               const std::string &peer, int threads) {
  const int64_t compiles = model.made().compiled;
  if (model.compiled.cached)
    std::printf("from the cache in %.1f ms", model.compileMs);
  else
    std::printf("%ld compile%s, the first in %.0f ms, %ld kernels generated", static_cast<long>(compiles),
                compiles == 1 ? "" : "s", model.compileMs, static_cast<long>(model.compiled.stats.kernels));
  std::printf(", loaded in %.1f ms, %ld fallbacks, %ld launches a run, %d thread%s\n", model.loadMs,
              static_cast<long>(model.executable->fallbacks()), static_cast<long>(model.executable->launches()),
              threads, threads == 1 ? "" : "s");
  size_t width = 6;
  for (const Row &row : rows)
    width = std::max(width, str(row.values, symbols).size());
  std::printf("%-*s %10s %10s %9s %10s %10s %7s", static_cast<int>(width), "shape", "first ms", "p50 ms", "host us",
              "arena", "live", "noise");
  if (!peer.empty())
    std::printf(" %10s %7s %12s", "peer ms", "ratio", "difference");
  std::printf("\n");
  double logs = 0;
  for (const Row &row : rows) {
    char host[16] = "-";
    if (row.hostUs)
      std::snprintf(host, sizeof host, "%.2f", *row.hostUs);
    std::printf("%-*s %10.3f %10.3f %9s %10s %10s %6.1f%%", static_cast<int>(width), str(row.values, symbols).c_str(),
                row.firstMs, row.p50Ms, host, bytesText(static_cast<double>(row.arenaBytes)).c_str(),
                bytesText(static_cast<double>(row.liveBytes)).c_str(), 100 * row.noise);
    if (!peer.empty())
      std::printf(" %10.3f %7.2f %12.3g", row.peerMs, row.ratio, row.maxDifference);
    std::printf("\n");
    if (!row.disagreement.empty())
      std::printf("  DISAGREES: %s\n", row.disagreement.c_str());
    logs += std::log(std::max(row.ratio, 1e-9));
  }
  if (!peer.empty() && !rows.empty())
    std::printf("against %s: geometric mean of their time over ours %.2f\n", peer.c_str(),
                std::exp(logs / static_cast<double>(rows.size())));
}

Status bench(const Arguments &arguments) {
  PLIANT_TRY(driver::Options options, compileOptions(arguments));
  options.hostOnlyImage = true;
  PLIANT_TRY(int64_t threads, threadCount(arguments));
  const std::string versus = arguments.get("--vs");
  if (!versus.empty() && versus != "ort")
    return userError("command line", "--vs is '" + versus + "', but the only peer is ort");
  PLIANT_TRY(Model model, compileModel(arguments, options));
  const std::vector<DenseTensor> weights = model.compiled.weights;
  PLIANT_CHECK(load(model, arguments));
  PLIANT_TRY(Inputs inputs, Inputs::read(arguments, model.program(), true));
  const std::vector<std::string> symbols = modelSymbols(model.program().inputs);
  PLIANT_TRY(std::vector<SymbolValues> shapes, parseShapes(arguments.get("--shapes"), symbols, inputs.known()));
  std::optional<OrtSession> peer;
  std::string peerName;
  if (!versus.empty()) {
    PLIANT_TRY(std::string library, findOrt(repositoryRoot()));
    PLIANT_TRY(peer, OrtSession::open(library, model.path, static_cast<int>(threads)));
    peerName = "ONNX Runtime " + peer->version();
  }
  double load = 0;
  if (getloadavg(&load, 1) == 1 && load > 1.5)
    std::fprintf(stderr, "warning: the load is %.1f; figures are taken on an idle machine\n", load);
  Bench bench(model, std::move(peer), static_cast<int>(threads), arguments.has("--quick") ? 100 : 500);
  std::vector<Row> rows;
  std::vector<std::vector<DenseTensor>> drawn;
  Progress progress("");
  for (const SymbolValues &values : shapes) {
    progress.say("shape " + std::to_string(rows.size() + 1) + " of " + std::to_string(shapes.size()) + ": " +
                 str(values, symbols));
    PLIANT_TRY(std::vector<DenseTensor> tensors, inputs.tensors(values));
    PLIANT_TRY(Row row, bench.measure(values, tensors));
    rows.push_back(std::move(row));
    drawn.push_back(std::move(tensors));
  }
  progress.say("new shapes against seen ones");
  PLIANT_CHECK(bench.newShapes(rows, drawn, weights));
  progress.say("");
  if (arguments.has("--json"))
    writeJson(model, rows, symbols, peerName, static_cast<int>(threads), load);
  else
    writeText(model, rows, symbols, peerName, static_cast<int>(threads));
  return ok();
}

} // namespace

Command benchCommand() {
  std::vector<Option> options = inputOptionList();
  options.push_back({"--vs", "ort", "also ONNX Runtime, paired and interleaved"});
  options.push_back(
      {"--threads", "N", "ours and the peer's; all CPUs of the process, unless PLIANT_THREADS says else"});
  options.push_back({"--flush-denormals", nullptr, "ours takes and gives zero for numbers too small to be normal"});
  options.push_back({"--quick", nullptr, "a fifth of the time per shape"});
  return {
      "bench",
      "model.onnx --shapes LIST [options]",
      "compiles, host time, kernels and latency for each shape",
      "Inputs are random (seed 0) unless given. `ratio` is the peer's time over ours, the median over pairs of the\n"
      "thread's CPU time (of the clock with several threads); `noise` is how far the same ratio of our own runs is "
      "from 1.",
      modelOptions(std::move(options)),
      bench};
}

} // namespace pliant::tool
