// SPDX-License-Identifier: Apache-2.0
// From a segment of numbers to a trace for every shape: each extent of a leaf becomes a symbol, each number that
// travels by value too, and the shape rules run once more on symbols. What a rule cannot decide is decided as the
// numbers at hand decide it, and noted as a guard: a run with numbers for which a guard fails needs another program.
#pragma once
#include "support/result.h"
#include "trace/segment.h"
#include "trace/trace.h"

namespace pliant::trace {

/// One recording of a structure: with numbers, and the lines of its ops.
struct Instance {
  const Structure &structure;
  std::vector<int64_t> values; ///< of the symbols: leaves' extents in order, then the integers
  size_t leafExtents;          ///< how many of them are extents of leaves
  std::span<const Site> sites;

  explicit Instance(const Segment &segment);
  Instance(const Structure &structure, std::span<const Site> sites)
      : structure(structure), leafExtents(0), sites(sites) {}
};
/// Name of the symbol with that number, of `leafExtents` extents of leaves.
std::string symbolName(size_t number, size_t leafExtents);

/// Places of the ops are the line, `#` and the number of the op, since ops of other lines may run as the same program.
Result<Trace> generalize(const Instance &instance);
/// The place of an error of such a program, in an instance with its own lines.
std::string placeIn(const std::string &place, std::span<const Site> sites);

} // namespace pliant::trace
