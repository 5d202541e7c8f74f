// SPDX-License-Identifier: Apache-2.0
// pliant-bench-lazy SECTION: what define-by-run code costs through the public surface. Prints JSON of numbers.
//   cost      nanoseconds and bytes of recording and running small ops
//   compiles  how many programs families of steps make whose sizes, scalars or positions change
//   kernels   one fused kernel each, against hand-written loops, in turn
//   mlp, gru, block   300 calls of a forward pass whose batch or length changes: seconds of processor time, compiles
//   first mlp|block   the first call in this process
//   tree      a TreeLSTM over random trees
#include "handwritten.h"
#include "lazy_models.h"
#include "measure.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <malloc.h>
#include <map>
#include <pliant/pliant.h>
#include <sys/resource.h>
#include <utility>

using namespace pliant;

namespace {

std::map<std::string, double> figures;

double processorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> samples) {
  std::nth_element(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(samples.size() / 2), samples.end());
  return samples[samples.size() / 2];
}

/// Programs that `work` makes.
template <class F> double compiles(F work) {
  const int64_t before = counters().made();
  work();
  return static_cast<double>(counters().made() - before);
}

size_t heap() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

void cost() {
  const Tensor x = random({4, 4}, 1), a = random({4, 4}, 2), b = random({4, 4}, 3);
  auto chain = [&](int length, unsigned salt) {
    Tensor y = x;
    for (int i = 0; i < length; i += 2) {
      y = (salt >> (i / 2 % 31) & 1) ? y - a : y * a;
      y = y + b;
    }
    return y;
  };
  constexpr int length = 200;
  for (const bool same : {false, true}) {
    std::vector<double> samples;
    for (unsigned i = 0; i < 2000; ++i) {
      {
        const double start = bench::seconds();
        const Tensor y = chain(length, same ? 1 : i * 2654435761u);
        samples.push_back((bench::seconds() - start) * 1e9 / length);
      }
      barrier(); // nobody holds a value: nothing runs
    }
    figures[same ? "replay_ns" : "record_ns"] = median(samples);
  }
  std::vector<double> whole, launch;
  for (int i = 0; i < 2000; ++i) {
    double start = bench::seconds();
    (void)chain(length, 1).array();
    whole.push_back((bench::seconds() - start) * 1e9 / length);
    start = bench::seconds();
    (void)chain(2, 1).array();
    launch.push_back((bench::seconds() - start) * 1e6);
  }
  figures["run_ns_per_op"] = median(whole);
  figures["launch_us"] = median(launch);
  {
    barrier();
    wait();
    const size_t before = heap();
    const Tensor y = chain(16000, 5); // below the number that is cut at
    figures["bytes_per_op"] = static_cast<double>(heap() - before) / 16000;
  }
  double taken[2];
  for (int round = 0; round < 2; ++round) {
    const double start = bench::seconds();
    (void)chain(round ? 1000000 : 100000, 1).array();
    taken[round] = bench::seconds() - start;
  }
  figures["million_ns_per_op"] = taken[1] * 1e3;
  figures["million_over_hundred_thousand"] = taken[1] / taken[0];
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  figures["peak_mb"] = static_cast<double>(usage.ru_maxrss) / 1e3;
  // Five reads on one shared prefix, then a barrier: the prefix runs once when each read starts from its value.
  resetCounters();
  Tensor prefix = x;
  for (int i = 0; i < 10; ++i)
    prefix = matmul(prefix, a);
  for (int i = 0; i < 5; ++i)
    (void)sum(prefix * (1.0 + i)).item<float>();
  barrier();
  wait();
  figures["ops_of_five_reads"] = static_cast<double>(counters().ops);
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
    batches.push_back(random({n, 16}, 1));
  for (int64_t n = 17; n < 57; ++n)
    rows.push_back(random({16, n}, 1));
  for (int64_t n = 0; n < 40; ++n)
    parts.push_back(random({2, 3}, static_cast<uint64_t>(n)));
  const Tensor x = random({128, 4}, 1), w = random({16, 8}, 2);
  family("batches", batches, [&](const Tensor &batch) { return relu(matmul(batch, w) * 2 + 1); });
  family("softmax_lengths", rows, [](const Tensor &row) { return softmax(row); });
  family("layer_norm_lengths", rows,
         [](const Tensor &row) { return layerNorm(row, ones({row.dim(1)}), zeros({row.dim(1)})); });
  int i = 0;
  family("scalars", std::vector<Tensor>(100, x), [&](const Tensor &same) {
    ++i;
    return same * (i % 50) + i * 0.5;
  });
  int64_t at = 0;
  family("positions", std::vector<Tensor>(100, x), [&](const Tensor &same) {
    ++at;
    return same(slice(at, at + 8)) * 3;
  });
  Tensor grown = random({2, 3}, 99);
  family("concats", parts, [&](const Tensor &part) { return grown = concat({grown, part}); });
  std::vector<Tensor> list;
  family("lists", parts, [&](const Tensor &part) {
    list.push_back(part);
    return concat(list) * 2;
  });
}

/// y = max(y * 0.9 + x, -1), five times.
void handChain(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float v = x[i];
    for (int k = 0; k < 5; ++k) {
      v = v * 0.9f + x[i];
      v = v > -1 ? v : -1;
    }
    y[i] = v;
  }
}

void kernels() {
  setThreads(1);
  auto against = [](const std::string &name, const std::function<void()> &ours, const std::function<void()> &theirs) {
    figures[name] = bench::compare(ours, theirs, 2).ratio;
  };
  const int64_t n = int64_t(1) << 24;
  const Tensor x = random({n}, 1);
  (void)x.array();
  std::vector<float> y(static_cast<size_t>(n));
  against(
      "chain_of_15",
      [&] {
        Tensor v = x;
        for (int k = 0; k < 5; ++k)
          v = max(v * 0.9 + x, -1);
        (void)v.array();
      },
      [&] { handChain(x.array().as<float>(), y.data(), n); });
  const Tensor rows = random({4096, 1024}, 1), scale = random({1024}, 2), bias = random({1024}, 3);
  eval({rows, scale, bias});
  if (!bench::handwritten::supported())
    return;
  against(
      "softmax", [&] { (void)softmax(rows).array(); },
      [&] { bench::handwritten::softmax(rows.array().as<float>(), y.data(), 4096, 1024); });
  against(
      "layer_norm", [&] { (void)layerNorm(rows, scale, bias).array(); },
      [&] {
        bench::handwritten::layerNorm(rows.array().as<float>(), scale.array().as<float>(), bias.array().as<float>(),
                                      y.data(), 4096, 1024);
      });
}

void model(const std::string &name) {
  setThreads(1);
  const bench::LazyModel model(name);
  std::vector<Tensor> inputs;
  for (int64_t size : model.sizes)
    inputs.push_back(model.input(size));
  eval(inputs);
  (void)model.forward(inputs[0]).array();
  const int64_t before = counters().made();
  const double start = processorSeconds();
  for (size_t i = 0; i < 300; ++i)
    (void)model.forward(inputs[i % inputs.size()]).array();
  figures["seconds"] = processorSeconds() - start;
  figures["compiles"] = static_cast<double>(counters().made() - before) + 1;
}

void tree() {
  setThreads(1);
  const bench::TreeModel model;
  std::mt19937_64 draw(7);
  std::vector<bench::Tree> trees;
  for (int i = 0; i < 41; ++i)
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
  const Tensor input = model.input(model.sizes[0]);
  const double start = bench::seconds();
  (void)model.forward(input).array();
  figures["ms"] = (bench::seconds() - start) * 1e3;
}

} // namespace

int main(int argc, char **argv) {
  const std::string section = argc > 1 ? argv[1] : "";
  try {
    if (section == "cost")
      cost();
    else if (section == "compiles")
      families();
    else if (section == "kernels")
      kernels();
    else if (section == "tree")
      tree();
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
    std::printf("%s\n  \"%s\": %.6g", std::exchange(separator, ","), name.c_str(), value);
  std::printf("\n}\n");
}
