// SPDX-License-Identifier: Apache-2.0
#include "new_shape.h"
#include <algorithm>
#include <fstream>
#include <functional>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace pliant::tool {
namespace {

struct Faults {
  int64_t all = 0, huge = 0;
  int64_t small() const { return std::max<int64_t>(all - huge, 0); }
};

/// Page faults of this process so far. Those of huge pages are counted for the whole system: others' only add. Where
/// they are not counted all faults are taken for huge ones.
Faults faultsNow() {
  Faults faults;
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  faults.all = use.ru_minflt;
  std::ifstream counters("/proc/vmstat");
  bool counted = false;
  for (std::string name, value; counters >> name >> value;)
    if (name == "thp_fault_alloc") {
      faults.huge = std::strtoll(value.c_str(), nullptr, 10);
      counted = true;
    }
  if (!counted)
    faults.huge = faults.all;
  return faults;
}

Faults operator-(Faults a, const Faults &b) { return {a.all - b.all, a.huge - b.huge}; }

/// CPU milliseconds of the first touch of a page of either size, zeroing included: the most of a few tries.
double touchMs(bool huge) {
  constexpr size_t page = 4096, hugePage = size_t(2) << 20, bytes = 4 * hugePage;
  double most = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    void *mapped = mmap(nullptr, bytes + hugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
      continue;
    madvise(mapped, bytes + hugePage, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    const auto start = (reinterpret_cast<uintptr_t>(mapped) + hugePage - 1) / hugePage * hugePage;
    const double begin = threadCpuMs();
    for (size_t at = 0; at < bytes; at += page)
      *reinterpret_cast<volatile char *>(start + at) = 1;
    most = std::max(most, (threadCpuMs() - begin) / static_cast<double>(bytes / (huge ? hugePage : page)));
    munmap(mapped, bytes + hugePage);
  }
  return most;
}

/// What was measured of a shape's first, second and third run in one fresh executable after the other.
struct Passes {
  std::array<std::vector<double>, 3> hostMs, runMs;
  std::array<std::vector<Faults>, 3> faults;
};

/// The least: what disturbs a run only adds to it.
double least(const std::vector<double> &times) { return *std::min_element(times.begin(), times.end()); }

int64_t least(const std::vector<Faults> &faults, int64_t (*count)(const Faults &)) {
  int64_t result = INT64_MAX;
  for (const Faults &each : faults)
    result = std::min(result, count(each));
  return result;
}

} // namespace

Result<std::vector<std::optional<NewShape>>> measureNewShapes(const Model &model,
                                                              const std::vector<DenseTensor> &weights,
                                                              const std::vector<std::vector<DenseTensor>> &inputs,
                                                              size_t largest, int threads) {
  constexpr int freshExecutables = 5;
  std::vector<Passes> passes(inputs.size());
  std::vector<DenseTensor> outputs;
  auto now = [&] { return threads == 1 ? threadCpuMs() : nowMs(); };
  for (int fresh = 0; fresh < freshExecutables && inputs.size() > 1; ++fresh) {
    for (bool hostOnly : {true, false}) {
      PLIANT_TRY(auto own,
                 Executable::load(model.compiled.program, model.compiled.image, model.compiled.hostOnlyImage, weights));
      own->setThreads(threads);
      outputs.clear();
      auto run = [&](size_t shape) {
        return hostOnly ? own->runHostOnly(inputs[shape], outputs) : own->run(inputs[shape], outputs);
      };
      PLIANT_CHECK(run(largest));
      for (size_t pass = 0; pass < 3; ++pass)
        for (size_t i = 0; i < inputs.size(); ++i) {
          const Faults before = faultsNow();
          const double begin = now();
          PLIANT_CHECK(run(i));
          const double took = now() - begin;
          (hostOnly ? passes[i].hostMs : passes[i].runMs)[pass].push_back(took);
          if (!hostOnly)
            passes[i].faults[pass].push_back(faultsNow() - before);
        }
    }
  }
  const double smallMs = touchMs(false), hugeMs = touchMs(true);
  std::vector<std::optional<NewShape>> result(inputs.size());
  for (size_t i = 0; i < inputs.size() && inputs.size() > 1; ++i) {
    if (i == largest)
      continue;
    const Passes &of = passes[i];
    auto extra = [&](int64_t (*count)(const Faults &)) {
      return std::max<int64_t>(least(of.faults[0], count) - least(of.faults[1], count), 0);
    };
    NewShape cost;
    cost.hostMs = std::max(least(of.hostMs[0]) - least(of.hostMs[1]), 0.0);
    cost.smallFaults = extra([](const Faults &faults) { return faults.small(); });
    cost.hugeFaults = extra([](const Faults &faults) { return faults.huge; });
    cost.faultMs = static_cast<double>(cost.smallFaults) * smallMs + static_cast<double>(cost.hugeFaults) * hugeMs;
    cost.runMs = least(of.runMs[0]) - least(of.runMs[1]);
    cost.noiseMs = std::abs(least(of.runMs[2]) - least(of.runMs[1]));
    result[i] = cost;
  }
  return result;
}

} // namespace pliant::tool
