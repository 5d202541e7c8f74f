// SPDX-License-Identifier: Apache-2.0
// pliant-bench-bandwidth MODEL --shapes S [--states] [--runs N]: how fast a run reads its weights, on one thread,
// against plain reads of as much memory in the same process, in turn: the least processor time of each, since noise
// only adds. Weights of recurrent layers count once a step; since the steps of one layer follow each other, reads of
// the largest one's panels alone, which may lie in a nearer cache, are measured too. With --states inputs that grow are
// given up, so that each run appends to them; without, runs are all alike. Prints JSON.
#include "inputs.h"
#include "runtime/pages.h"
#include "session.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <immintrin.h>
#include <map>

namespace pliant::bench {
namespace {

using tool::Arguments;
using tool::Option;

/// Reads all of it once, in the widest vectors that there are, as fast as one core does.
__attribute__((target("avx512f"))) int64_t readAll512(const std::byte *from, size_t bytes) {
  __m512i sums[8] = {};
  for (size_t at = 0; at + 512 <= bytes; at += 512)
    for (int k = 0; k < 8; ++k)
      sums[k] = _mm512_xor_si512(sums[k], _mm512_load_si512(from + at + 64 * k));
  __m512i folded = {};
  for (const __m512i &sum : sums)
    folded = _mm512_xor_si512(folded, sum);
  return _mm512_reduce_add_epi64(folded);
}
__attribute__((target("avx2"))) int64_t readAll256(const std::byte *from, size_t bytes) {
  __m256i sums[8] = {};
  for (size_t at = 0; at + 256 <= bytes; at += 256)
    for (int k = 0; k < 8; ++k)
      sums[k] = _mm256_xor_si256(sums[k], _mm256_load_si256(reinterpret_cast<const __m256i *>(from + at + 32 * k)));
  int64_t folded = 0;
  for (const __m256i &sum : sums)
    folded ^= _mm256_extract_epi64(sum, 0) ^ _mm256_extract_epi64(sum, 3);
  return folded;
}

struct Traffic {
  double bytes = 0;     ///< of panels that one run reads
  size_t footprint = 0; ///< bytes of all panels
  size_t layer = 0;     ///< bytes of the panels that a step of the largest recurrent layer reads; 0 without one
};

Traffic trafficOf(const Program &program, const tool::SymbolValues &values) {
  Traffic out;
  std::map<int, size_t> panels; // by buffer
  for (const PackedWeight &w : program.packed)
    panels[w.weightBuffer] += static_cast<size_t>(w.spec.bytes(program.buffers[w.weightBuffer].type.dtype));
  for (const auto &[buffer, bytes] : panels)
    out.footprint += bytes;
  for (const Step *step : numberedSteps(program)) {
    if (step->kind != Step::Kind::Launch)
      continue;
    const GroupNode *last =
        program.groups[step->group].nodes.empty() ? nullptr : &program.groups[step->group].nodes.back();
    const bool recurrent =
        last && (last->op == OpId::LstmSteps || last->op == OpId::GruSteps || last->op == OpId::RnnSteps);
    int64_t times = 1;
    if (recurrent) {
      const Extents &x = program.buffers[step->inputs[0]].type.shape; // steps first
      auto steps = x[0].evaluate([&](const std::string &symbol) -> std::optional<int64_t> {
        auto value = values.find(symbol);
        return value == values.end() ? std::nullopt : std::optional(value->second);
      });
      times = steps ? *steps : 1;
    }
    size_t own = 0;
    for (int buffer : step->inputs)
      if (auto found = panels.find(buffer); found != panels.end())
        own += found->second;
    out.bytes += static_cast<double>(own) * static_cast<double>(times);
    if (recurrent)
      out.layer = std::max(out.layer, std::min(own, out.footprint));
  }
  return out;
}

/// Processor time of this thread.
double cpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Plain reads of so many bytes, in turn with the runs.
class Reads {
public:
  Reads(const Pages &pages, size_t bytes) : pages(pages), bytes(bytes) {}
  void round() {
    const double start = cpuSeconds();
    for (int k = 0; k < repeats; ++k) {
      sum ^= wide ? readAll512(pages.data(), bytes) : readAll256(pages.data(), bytes);
      asm volatile("" ::: "memory"); // reads anew: without it the compiler reads once and counts twice
    }
    least = std::min(least, (cpuSeconds() - start) / repeats);
  }
  double bytesPerSecond() const { return static_cast<double>(bytes) / least; }

  static const bool wide;

private:
  const Pages &pages;
  size_t bytes;
  int repeats = static_cast<int>(std::clamp<size_t>((size_t(64) << 20) / std::max<size_t>(bytes, 1), 1, 64));
  double least = INFINITY;
  volatile int64_t sum = 0; // the reads are not for nothing
};
const bool Reads::wide = __builtin_cpu_supports("avx512f");

Status run(int argc, char **argv) {
  std::vector<Option> options{{"--shapes", "S", "values of the symbols"},
                              {"--states", nullptr, "inputs that grow are given up"},
                              {"--runs", "N", ""},
                              {"--threads", "N", ""},
                              {"--target", "NAME", ""},
                              {"--rename", "OLD=NEW", ""},
                              {"--assume", "FACT", ""},
                              {"--no-cache", nullptr, ""}};
  const std::vector<std::string> words(argv + 1, argv + argc);
  PLIANT_TRY(Arguments arguments, Arguments::parse("bandwidth", options, words));
  PLIANT_TRY(driver::Options compile, tool::compileOptions(arguments));
  PLIANT_TRY(tool::Model model, tool::loadModel(arguments, compile));
  Executable &exe = *model.executable;
  exe.setThreads(1);
  const Program &program = model.program();
  PLIANT_TRY(Arguments none, Arguments::parse("bandwidth", tool::inputOptionList(), {}));
  PLIANT_TRY(tool::Inputs drawn, tool::Inputs::read(none, program, true));
  PLIANT_TRY(auto shapes, tool::parseShapes(arguments.get("--shapes"), tool::modelSymbols(program.inputs)));
  PLIANT_TRY(std::vector<DenseTensor> inputs, drawn.tensors(shapes.at(0)));
  PLIANT_TRY(int64_t runs, arguments.integer("--runs", 25, 3, 100000));
  std::vector<GrowingTensor> states;
  if (arguments.has("--states"))
    for (const State &state : program.states) {
      const DenseTensor &tensor = inputs[state.input];
      PLIANT_TRY(GrowingTensor made,
                 GrowingTensor::copyOf(tensor, static_cast<size_t>(state.axis), tensor.dims()[state.axis] + 8 * runs));
      states.push_back(std::move(made));
    }
  const Traffic traffic = trafficOf(program, shapes.at(0));
  PLIANT_TRY(Pages pages, Pages::map(traffic.footprint, "what is read"));
  std::memset(pages.data(), 1, pages.size());
  Reads all(pages, traffic.footprint), layer(pages, traffic.layer);
  std::vector<DenseTensor> outputs;
  double ours = INFINITY;
  for (int64_t i = 0; i < runs; ++i) {
    const double start = cpuSeconds();
    PLIANT_CHECK(exe.run(inputs, states, outputs));
    ours = std::min(ours, cpuSeconds() - start);
    all.round();
    if (traffic.layer)
      layer.round();
  }
  const double weightSpeed = traffic.bytes / ours;
  files::JsonWriter json;
  json.beginObject();
  json.field("weight_bytes_read", traffic.bytes);
  json.field("footprint_bytes", static_cast<int64_t>(traffic.footprint));
  json.field("run_ms", ours * 1e3);
  json.field("weights_gb_per_s", weightSpeed / 1e9);
  json.field("reads_gb_per_s", all.bytesPerSecond() / 1e9);
  json.field("ratio", weightSpeed / all.bytesPerSecond());
  json.field("past_copied_bytes", exe.pastCopied());
  json.field("read_vector_bits", Reads::wide ? 512 : 256);
  if (traffic.layer) {
    json.field("layer_footprint_bytes", static_cast<int64_t>(traffic.layer));
    json.field("layer_reads_gb_per_s", layer.bytesPerSecond() / 1e9);
    json.field("layer_ratio", weightSpeed / layer.bytesPerSecond());
  }
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
