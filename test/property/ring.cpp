// SPDX-License-Identifier: Apache-2.0
// pliant-ring [FIRST [COUNT [NODES]]]: compiled equals reference on random graphs with symbolic extents, each compiled
// once and run at the sizes around which kernels change their way. A failure is cut down to the shortest wrong prefix.
#include "api/compiler.h"
#include "compare.h"
#include "executable/executable.h"
#include "graph.h"
#include "through_bytes.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace pliant::ring {
namespace {

struct Wrong {
  std::string what;
  bool gap = false; ///< refused as not supported, or by the references as well
};

Result<std::unique_ptr<Executable>> compile(const std::string &model, bool reference) {
  PLIANT_TRY(const driver::CompilerApi *api, compiler());
  driver::Options options;
  options.reference = reference;
  options.cache = false;
  PLIANT_TRY(driver::Compiled compiled, api->bytes(model, options));
  PLIANT_TRY(compiled, test::throughBytes(std::move(compiled)));
  return Executable::load(compiled.program, compiled.image, {}, std::move(compiled.weights));
}

Result<std::vector<DenseTensor>> draw(const Program &program, int64_t n, int64_t m, uint64_t seed) {
  std::vector<DenseTensor> list;
  for (const Argument &input : program.inputs) {
    std::vector<int64_t> dims;
    for (const Expr &extent : input.type.shape)
      dims.push_back(extent.constant().value_or(extent.str() == "n" ? n : m));
    PLIANT_TRY(DenseTensor tensor, DenseTensor::allocate(input.type.dtype, dims));
    for (int64_t i = 0; i < tensor.size(); ++i) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      tensor.as<float>()[i] = static_cast<float>(static_cast<int64_t>((seed >> 33) % 7) - 3);
    }
    list.push_back(std::move(tensor));
  }
  return list;
}

std::optional<Wrong> check(uint64_t seed, const RandomGraph &graph) {
  auto reference = compile(graph.model, true);
  if (!reference)
    return Wrong{"reference: " + reference.error().text(), true};
  auto ours = compile(graph.model, false);
  if (!ours)
    return Wrong{"compile: " + ours.error().text()};
  const Program &program = (*ours)->program();
  static constexpr int64_t sizes[] = {17, 1, 0, 2, 7, 15, 16, 31, 33, 64, 65};
  for (size_t i = 0; i < std::size(sizes); ++i)
    for (int64_t m : {sizes[(i * 5 + 3) % std::size(sizes)], sizes[(i * 3 + seed) % std::size(sizes)]}) {
      const std::string at = "n=" + std::to_string(sizes[i]) + ", m=" + std::to_string(m) + ": ";
      auto inputs = draw(program, sizes[i], m, seed);
      if (!inputs)
        return Wrong{at + inputs.error().text()};
      auto expected = (*reference)->run(*inputs);
      auto outputs = (*ours)->run(*inputs);
      if (!expected && !outputs)
        continue; // refused alike
      if (!expected || !outputs)
        return Wrong{at + (expected ? "ours: " + outputs.error().text() : "reference: " + expected.error().text())};
      for (size_t o = 0; o < outputs->size(); ++o)
        if (auto agreement = tool::compare((*outputs)[o], (*expected)[o], 1e-5); !agreement.holds)
          return Wrong{at + program.outputs[o].name + ": " + agreement.reason};
    }
  return std::nullopt;
}

int run(uint64_t first, int count, int nodes) {
  int wrong = 0, gaps = 0;
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(count); ++seed) {
    const int size = 2 + static_cast<int>(seed % static_cast<uint64_t>(nodes));
    RandomGraph graph = drawGraph(seed, size);
    auto bad = check(seed, graph);
    if (!bad)
      continue;
    if (bad->gap) {
      ++gaps;
      std::printf("seed %lu: %s\n", static_cast<unsigned long>(seed), bad->what.c_str());
      continue;
    }
    ++wrong;
    for (int shorter = 1; shorter < size; ++shorter) {
      RandomGraph prefix = drawGraph(seed, shorter);
      if (auto still = check(seed, prefix); still && !still->gap) {
        graph = std::move(prefix);
        bad = std::move(still);
        break;
      }
    }
    std::printf("FAIL seed %lu: %s\n", static_cast<unsigned long>(seed), bad->what.c_str());
    for (const std::string &node : graph.nodes)
      std::printf("    %s\n", node.c_str());
    if (const char *folder = std::getenv("PLIANT_RING_DUMP"))
      std::ofstream(std::string(folder) + "/ring" + std::to_string(seed) + ".onnx", std::ios::binary) << graph.model;
    std::fflush(stdout);
  }
  std::printf("%d graphs, %d wrong, %d not supported\n", count, wrong, gaps);
  return wrong || gaps * 10 > count ? 1 : 0;
}

} // namespace
} // namespace pliant::ring

int main(int argc, char **argv) {
  auto number = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
  return pliant::ring::run(static_cast<uint64_t>(number(1, 1)), number(2, 60), number(3, 12));
}
