// SPDX-License-Identifier: Apache-2.0
// Cells: what a recursion over trees, or a list of independent things, records again and again, at any places of a
// segment. Those that wait for each other's values no longer run at once, whatever tree they are of.
#pragma once
#include "trace/plan.h"
#include <span>

namespace pliant::trace {

/// The cells that segments were found to be made of. Not for several threads at once.
class Cells {
public:
  /// A plan in waves of equal cells, when running them together saves launches; nothing otherwise. It is right for any
  /// numbers; `integers` are those at hand.
  std::optional<Plan> plan(const std::shared_ptr<const Structure> &structure, std::span<const int64_t> integers);

private:
  struct Cell {
    std::shared_ptr<const Code> code;
    std::vector<uint64_t> hashes;            ///< of its ops
    std::vector<bool> shared;                ///< by leaf: the same for all instances
    std::vector<bool> results;               ///< by value: what somebody has needed of an instance
    std::shared_ptr<const Structure> single; ///< with these results; made anew when there are more
    std::shared_ptr<const Batched> batched;  ///< none: it cannot be
  };
  std::vector<std::unique_ptr<Cell>> cells;
  class Finder;
};

} // namespace pliant::trace
