// SPDX-License-Identifier: Apache-2.0
// From a segment of numbers to a trace for every shape: each extent of a leaf becomes a symbol, each number that
// travels by value too, and the shape rules run once more on symbols. What a rule cannot decide is decided as the
// numbers at hand decide it, and noted as a guard: a run with numbers for which a guard fails needs another program.
#pragma once
#include "support/result.h"
#include "trace/log.h"
#include "trace/trace.h"

namespace pliant::trace {

/// Values of the symbols of a trace: leaves' extents in order, then the integers.
std::vector<int64_t> symbolValues(const Segment &segment);
/// Name of the symbol with that number, of `leafExtents` extents of leaves.
std::string symbolName(size_t number, size_t leafExtents);

/// Does nothing to the segment.
Result<Trace> generalize(const Segment &segment);

} // namespace pliant::trace
