// SPDX-License-Identifier: Apache-2.0
// What the first run of a shape costs more than a later one, where the arena need not grow.
#pragma once
#include "session.h"
#include <ctime>

namespace pliant::tool {

/// CPU time of this thread: what others do on the machine does not count.
inline double threadCpuMs() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

/// A first run executes the same kernels on the same data as a later one. What it may do besides is host work (placing
/// the arena, making outputs) and touching memory for the first time. Both can be measured apart from the kernels,
/// whose own time differs from run to run by more than either.
struct NewShape {
  double hostMs = 0;                       ///< with kernels that only return: the first run less a later one
  int64_t smallFaults = 0, hugeFaults = 0; ///< of the first run with kernels, less those of a later one
  double faultMs = 0;                      ///< what they cost, by the cost of one as measured in this process
  double runMs = 0, noiseMs = 0;           ///< whole runs: first less later; and the difference of two later ones
  double totalMs() const { return hostMs + faultMs; }
};

/// One entry for each list of inputs, none for the one that `largest` (an index) names, whose arena is the largest: in
/// fresh executables it runs first, then all others, one after another, three times. So a later run follows another
/// shape too, and caches hold as little of it.
Result<std::vector<std::optional<NewShape>>> measureNewShapes(const Model &model,
                                                              const std::vector<DenseTensor> &weights,
                                                              const std::vector<std::vector<DenseTensor>> &inputs,
                                                              size_t largest, int threads);

} // namespace pliant::tool
