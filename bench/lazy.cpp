// SPDX-License-Identifier: Apache-2.0
// pliant-bench-lazy SECTION: what define-by-run code costs through the public surface. Prints JSON of numbers. Times
// are of the processor (all threads of the process) unless they say otherwise.
//   cost      nanoseconds and bytes of recording and running small ops
//   chains    chains of up to a million ops
//   compiles  how many programs families of steps make whose sizes, scalars or positions change
//   kernels   one fused kernel each, against hand-written loops, in turn
//   mlp, gru, block   300 calls of a forward pass whose batch or length changes: seconds (median of several), compiles
//   first mlp|block   the first call in this process: when its value was read, by the monotonic clock
//   empty     the same clock where nothing is called
//   tree      a TreeLSTM over random trees
#include "handwritten.h"
#include "lazy_cost.h"
#include "lazy_models.h"
#include "measure.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <pliant/pliant.h>
#include <sys/mman.h>
#include <utility>

using namespace pliant;

namespace {

using bench::drawn, bench::processorSeconds;

bench::Figures figures;

/// Programs that `work` makes.
template <class F> double compiles(F work) {
  const int64_t before = counters().made();
  work();
  return static_cast<double>(counters().made() - before);
}

/// Compiles of calling `step` on inputs that are there.
template <class F> void family(const char *name, const std::vector<Tensor> &inputs, F step) {
  eval(inputs);
  figures[name] = compiles([&] {
    for (const Tensor &input : inputs)
      (void)step(input).array();
  });
}

void families() {
  std::vector<Tensor> batches, rows, parts;
  for (int64_t n = 1; n <= 60; ++n)
    batches.push_back(drawn({n, 16}, 1));
  for (int64_t n = 17; n < 57; ++n)
    rows.push_back(drawn({16, n}, 1));
  for (int64_t n = 0; n < 40; ++n)
    parts.push_back(drawn({2, 3}, static_cast<uint64_t>(n)));
  const Tensor x = drawn({128, 4}, 1), w = drawn({16, 8}, 2);
  family("batches", batches, [&](const Tensor &batch) { return relu(matmul(batch, w) * 2 + 1); });
  family("softmax_lengths", rows, [](const Tensor &row) { return softmax(row); });
  family("layer_norm_lengths", rows,
         [](const Tensor &row) { return layerNorm(row, ones({row.dim(1)}), zeros({row.dim(1)})); });
  // All pairs of ten numbers: some are equal, some are what an op could be simplified for.
  const double numbers[] = {0, 1, -1, 0.5, 2, 3, -0.25, 7, 100, 1e-3};
  int i = 0;
  family("scalars", std::vector<Tensor>(100, x), [&](const Tensor &same) {
    const double p = numbers[i % 10], q = numbers[i / 10];
    ++i;
    return same * p + q;
  });
  int64_t at = 0;
  family("positions", std::vector<Tensor>(100, x), [&](const Tensor &same) {
    ++at;
    return same(slice(at, at + 8)) * 3;
  });
  Tensor grown = drawn({2, 3}, 99);
  family("concats", parts, [&](const Tensor &part) {
    grown = concat({grown, part});
    return grown * 3;
  });
  std::vector<Tensor> list;
  family("lists", parts, [&](const Tensor &part) {
    list.push_back(part);
    return exp(concat(list));
  });
}

void kernels() {
  setThreads(1);
  const bench::handwritten::Loops *best = bench::handwritten::loops();
  const int64_t n = int64_t(1) << 24, rows = 4096, columns = 1024;
  const Tensor x = drawn({n}, 1), table = drawn({rows, columns}, 1), scale = drawn({columns}, 2),
               bias = drawn({columns}, 3);
  // In large pages, as results of ours are.
  const std::unique_ptr<float, decltype(&std::free)> y(
      static_cast<float *>(std::aligned_alloc(size_t(1) << 21, sizeof(float) * static_cast<size_t>(n))), std::free);
  madvise(y.get(), sizeof(float) * static_cast<size_t>(n), MADV_HUGEPAGE);
  const float *given = x.array().as<float>(), *cells = table.array().as<float>();
  const float *scales = scale.array().as<float>(), *biases = bias.array().as<float>();
  double noise = 0;
  auto against = [&](const std::string &name, const std::function<void()> &ours, const std::function<void()> &theirs) {
    ours();
    const int64_t before = counters().launches;
    ours();
    figures[name + "_launches"] = static_cast<double>(counters().launches - before);
    if (!best)
      return;
    const bench::Comparison result = bench::compare(ours, theirs, 2);
    figures[name] = result.ratio;
    figures[name + "_ms"] = result.ours * 1e3;
    noise = std::max(noise, std::abs(result.same - 1));
    figures["noise"] = noise;
  };
  auto ours = [&] {
    Tensor v = x;
    for (int k = 0; k < 5; ++k)
      v = max(v * 0.9 + x, -1);
    (void)v.array();
  };
  against("chain_of_15", ours, [&] { best->chain(given, y.get(), n, true); });
  against("chain_of_15_cached", ours, [&] { best->chain(given, y.get(), n, false); });
  against("chain_of_15_fused", ours, [&] { best->fusedChain(given, y.get(), n, true); });
  auto normalised = [&] { (void)layerNorm(table, scale, bias).array(); };
  against("softmax", [&] { (void)softmax(table).array(); }, [&] { best->softmax(cells, y.get(), rows, columns); });
  against("layer_norm", normalised, [&] { best->layerNorm(cells, scales, biases, y.get(), rows, columns); });
  against("layer_norm_fused", normalised, [&] { best->fusedLayerNorm(cells, scales, biases, y.get(), rows, columns); });
}

void model(const std::string &name) {
  setThreads(1);
  const bench::LazyModel model(name);
  std::vector<Tensor> inputs;
  for (int64_t size : model.sizes)
    inputs.push_back(model.input(size));
  const int64_t before = counters().made();
  (void)model.forward(inputs[0]).array();
  std::vector<double> samples; // for a second at least
  double total = 0;
  while (total < 1) {
    const double start = processorSeconds();
    for (size_t i = 0; i < 300; ++i)
      (void)model.forward(inputs[i % inputs.size()]).array();
    samples.push_back(processorSeconds() - start);
    total += samples.back();
  }
  figures["seconds"] = bench::median(samples);
  figures["compiles"] = static_cast<double>(counters().made() - before);
}

void tree() {
  setThreads(1);
  const bench::TreeModel model;
  std::mt19937_64 draw(7);
  std::vector<bench::Tree> trees;
  for (int i = 0; i < 401; ++i) // half a second: a few trees are too short a time to tell
    trees.push_back(bench::Tree::drawn(5 + static_cast<int>(draw() % 56), draw));
  (void)model.root(trees[0]).array();
  const int64_t before = counters().made();
  const double start = processorSeconds();
  int64_t nodes = 0;
  for (size_t i = 1; i < trees.size(); ++i) {
    (void)model.root(trees[i]).array();
    nodes += trees[i].nodes();
  }
  figures["us_per_node"] = (processorSeconds() - start) * 1e6 / static_cast<double>(nodes);
  figures["compiles_after_first"] = static_cast<double>(counters().made() - before);
}

void first(const std::string &name) {
  const bench::LazyModel model(name);
  (void)model.forward(model.input(model.sizes[0])).array();
  figures["at"] = bench::seconds();
}

} // namespace

int main(int argc, char **argv) {
  const std::string section = argc > 1 ? argv[1] : "";
  try {
    if (section == "cost")
      bench::cost(figures);
    else if (section == "chains")
      bench::chains(figures);
    else if (section == "compiles")
      families();
    else if (section == "kernels")
      kernels();
    else if (section == "tree")
      tree();
    else if (section == "empty")
      figures["at"] = bench::seconds();
    else if (section == "first" && argc > 2)
      first(argv[2]);
    else
      model(section);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 2;
  }
  std::printf("{");
  const char *separator = "";
  for (const auto &[name, value] : figures)
    std::printf("%s\n  \"%s\": %.12g", std::exchange(separator, ","), name.c_str(), value);
  std::printf("\n}\n");
}
