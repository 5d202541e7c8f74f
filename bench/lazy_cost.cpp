// SPDX-License-Identifier: Apache-2.0
#include "lazy_cost.h"
#include "lazy_models.h"
#include "measure.h"
#include <malloc.h>
#include <sys/resource.h>

namespace pliant::bench {
namespace {

size_t heap() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

/// Of resident memory, in MB: it never falls.
double peak() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e3;
}

struct Small {
  Tensor x = drawn({4, 4}, 1), a = drawn({4, 4}, 2), b = drawn({4, 4}, 3);

  /// Of `length` ops; where they differ by `salt`, another segment.
  Tensor chain(int length, unsigned salt) const {
    Tensor y = x;
    for (int i = 0; i < length; i += 2) {
      y = (salt >> (i / 2 % 31) & 1) ? y - a : y * a;
      y = y + b;
    }
    return y;
  }

  /// Of ops drawn from four: no stretch repeats that is long enough to be a loop.
  Tensor aperiodic(int length, uint64_t seed) const {
    std::mt19937_64 draw(seed);
    Tensor y = x;
    for (int i = 0; i < length; ++i)
      switch (draw() >> 62) {
      case 0:
        y = y * a;
        break;
      case 1:
        y = y - b;
        break;
      case 2:
        y = y + b;
        break;
      default:
        y = max(y, b);
      }
    return y;
  }
};

void quiet() {
  barrier();
  wait();
}

/// What reading the processor's clock twice takes by that clock: a system call, a fifth of a microsecond each, which is
/// no part of what lies between.
double clockCost() {
  std::vector<double> samples;
  for (int i = 0; i < 2000; ++i) {
    const double start = processorSeconds();
    samples.push_back(processorSeconds() - start);
  }
  return median(samples);
}

/// Processor seconds of all threads until nothing is left to do.
template <class F> double took(F work) {
  const double start = processorSeconds();
  work();
  quiet();
  return processorSeconds() - start;
}

/// Five reads on one shared prefix, then a barrier: kernels that were launched. The prefix is ten products, one kernel
/// each; what is read of it fuses to one.
double fiveReads(const Small &small) {
  quiet();
  const int64_t before = counters().launches;
  Tensor prefix = small.x;
  for (int i = 0; i < 10; ++i)
    prefix = matmul(prefix, small.a);
  for (int i = 0; i < 5; ++i)
    (void)sum(prefix * (1.0 + i)).item<float>();
  quiet();
  return static_cast<double>(counters().launches - before);
}

} // namespace

void cost(Figures &figures) {
  const Small small;
  constexpr int length = 200;
  const double clockTakes = clockCost();
  auto since = [&](double start) { return processorSeconds() - start - clockTakes; };
  for (const bool same : {false, true}) {
    std::vector<double> samples;
    for (unsigned i = 0; i < 2000; ++i) {
      {
        const double start = processorSeconds();
        const Tensor y = small.chain(length, same ? 1 : i * 2654435761u);
        samples.push_back(since(start) * 1e9 / length);
      }
      barrier(); // nobody holds a value: nothing runs
    }
    figures[same ? "replay_ns" : "record_ns"] = median(samples);
  }
  std::vector<double> whole, launch, clock;
  for (int i = 0; i < 2000; ++i) {
    double start = processorSeconds();
    (void)small.chain(length, 1).array();
    whole.push_back(since(start) * 1e9 / length);
    start = processorSeconds();
    (void)small.chain(2, 1).array();
    launch.push_back(since(start) * 1e6);
    start = seconds();
    (void)small.chain(2, 1).array();
    clock.push_back((seconds() - start) * 1e6);
  }
  figures["run_ns_per_op"] = median(whole);
  figures["launch_us"] = median(launch);
  figures["launch_wall_us"] = median(clock);
  {
    quiet();
    const size_t before = heap();
    const Tensor y = small.chain(16000, 5); // below the number that is cut at
    figures["bytes_per_op"] = static_cast<double>(heap() - before) / 16000;
  }
  figures["launches_of_five_reads"] = fiveReads(small);
}

void chains(Figures &figures) {
  const Small small;
  constexpr int few = 100'000, many = 1'000'000;
  uint64_t seed = 0;
  auto read = [&](int length) { return took([&] { (void)small.chain(length, 1).array(); }); };
  auto dropped = [&](int length) { return took([&] { (void)small.chain(length, 1); }); };
  // Of parts below the number that is cut at, each new: nobody holds a value at the barrier, so nothing runs.
  auto unread = [&](int length) {
    return took([&] {
      for (int i = 0; i < length; i += 10'000) {
        (void)small.aperiodic(10'000, ++seed);
        barrier();
      }
    });
  };
  auto series = [&](const std::string &name, const auto &work) {
    work(few);
    const double before = peak();
    work(many);
    figures[name + "_growth_mb"] = peak() - before;
    std::vector<double> ratios, each;
    for (int round = 0; round < 9; ++round) {
      const double one = work(few), ten = work(many);
      ratios.push_back(ten / one);
      each.push_back(ten * 1e9 / many);
    }
    figures[name + "_ratio"] = median(ratios);
    figures[name + "_ns_per_op"] = median(each);
  };
  const int64_t known = counters().made();
  series("unread", unread);
  figures["unread_compiles"] = static_cast<double>(counters().made() - known);
  series("read", read);
  series("dropped", dropped);
  // Each segment of an aperiodic chain that runs is a program of its own: seconds for each, so no million here.
  constexpr int some = 4'000, more = 40'000;
  const double one = took([&] { (void)small.aperiodic(some, ++seed).array(); });
  const int64_t before = counters().made();
  const double ten = took([&] { (void)small.aperiodic(more, ++seed).array(); });
  figures["aperiodic_compiles"] = static_cast<double>(counters().made() - before);
  figures["aperiodic_ratio"] = ten / one;
  figures["aperiodic_us_per_op"] = ten * 1e6 / more;
  figures["peak_mb"] = peak();
}

} // namespace pliant::bench
