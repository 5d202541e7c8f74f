// SPDX-License-Identifier: Apache-2.0
// Two things timed in turn in one process: what disturbs the machine disturbs both.
#pragma once
#include <functional>
#include <vector>

namespace pliant::bench {

double seconds();          ///< a monotonic clock
double processorSeconds(); ///< of all threads of this process
double median(std::vector<double> samples);

struct Comparison {
  double ours = 0, theirs = 0; ///< median seconds of one call
  double ratio = 0;            ///< median over rounds of theirs / ours: above 1 ours is faster
  double same = 0;             ///< median over rounds of theirs / theirs (A/A), 1 without noise
  double spread = 0;           ///< of the ratio: half the distance between its quartiles
  int rounds = 0;
};

/// Rounds of ours, theirs (in changing order), theirs again, for about `budget` seconds and at least `least` rounds. A
/// sample is repeated calls for at least a millisecond of processor time of the calling thread, on which all work runs.
Comparison compare(const std::function<void()> &ours, const std::function<void()> &theirs, double budget,
                   int least = 9);

} // namespace pliant::bench
