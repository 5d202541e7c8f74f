// SPDX-License-Identifier: Apache-2.0
// Runs cases in worker processes, so that a crash costs its own test only.
#pragma once
#include "suite.h"
#include <functional>

namespace pliant::conformance {

struct PoolOptions {
  int jobs = 1;
  double secondsPerCase = 120;    ///< then the worker is killed
  size_t bytes = size_t(8) << 30; ///< address space beyond what the process starts with
};

/// One outcome per case. `progress` is called as each one ends.
std::vector<Outcome> runAll(const std::vector<Case> &cases, const PoolOptions &options,
                            const std::function<void(size_t index, const Outcome &)> &progress);

} // namespace pliant::conformance
