// SPDX-License-Identifier: Apache-2.0
// What happens behind recorded code: counts and times at almost no cost, why programs were compiled, what is pending,
// and a timeline.
#pragma once
#include "pliant/tensor.h"
#include <functional>
#include <string>

namespace pliant {

/// Why recorded work was cut off and run.
enum class Cut : uint8_t {
  Read,    ///< a value was asked for
  Barrier, ///< a barrier, or eval
  Ops,     ///< so many ops were pending that running them was due
  Bytes,   ///< the pending work kept so much memory
  Thread,  ///< another thread needed a value
  Extent,  ///< a shape depends on values: how many elements a mask picks
  Eager    ///< every op runs at once
};
inline constexpr size_t cuts = 7;
std::string_view name(Cut cut);

/// Counts by powers of two: bucket i has values in [2^(i-1), 2^i).
struct Histogram {
  std::array<int64_t, 48> buckets{};
  int64_t count = 0, sum = 0, largest = 0;
  int64_t quantile(double share) const; ///< an upper bound within a factor of 2
};

/// Of the whole process since its start or the last `resetCounters`. Times in nanoseconds.
struct Counters {
  int64_t segments = 0; ///< cut-off pieces of recorded work
  int64_t ops = 0;      ///< recorded in them
  int64_t compiles = 0; ///< of programs by the compiler
  int64_t hits = 0;     ///< segments whose program was known
  int64_t launches = 0; ///< of kernels, by all programs that ran; also steps that run as references
  std::array<int64_t, cuts> cut{};
  Histogram opsPerSegment, compileTime, runTime, waitTime;
  int64_t failures = 0;                   ///< segments that gave an error
  int64_t evictions = 0;                  ///< programs that were given up: see setProgramLimits
  int64_t programs = 0, programBytes = 0; ///< that are kept now, whatever was reset
  std::string text() const;
};
Counters counters();
void resetCounters();

/// For each compile so far, newest last: the line that asked, and which op first differed from the nearest program that
/// was known, or which condition on extents did not hold.
std::string explain();

/// Called with a sentence when a step is compiled again and again, or a read waits in a loop; by default nobody is.
/// It is called where a thread reads a value or hands work over, one call at a time.
void onWarning(std::function<void(const std::string &)> receiver);

enum class Form : uint8_t {
  Text, ///< one op a line, with the user's lines
  Dot,  ///< a graph for Graphviz
  Ir    ///< MLIR with symbolic extents, what the compiler starts from: `pliant view FILE.mlir` draws what becomes of it
        ///< as an SVG, `pliant compile FILE.mlir --print-after STAGE` shows it
};
/// What this thread has recorded and not yet run. Throws when the compiler, which writes the IR, is not there.
std::string pending(Form form = Form::Text);

/// From `startTimeline` on, what is recorded, compiled, run and waited for; `timeline` gives it in Chrome's trace
/// format.
void startTimeline();
std::string timeline();

} // namespace pliant
