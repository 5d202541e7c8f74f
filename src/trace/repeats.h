// SPDX-License-Identifier: Apache-2.0
// Where ops of a structure repeat.
#pragma once
#include "trace/oplist.h"
#include <optional>
#include <unordered_map>

namespace pliant::trace {

/// Trips of a loop: `trips` times `period` ops.
struct Repeat {
  size_t first, period, trips;
  size_t model; ///< where ops begin that each trip does, to other operands: a trip that shows what is carried
  size_t unit;  ///< the period of the host's loop, of which a trip is a bundle
  size_t last() const { return first + period * trips; }
};
inline constexpr size_t fewestTrips = 4;
inline constexpr size_t fusedOps = 512; ///< that fusion takes into one kernel

/// Finds what is repeated at least `fewestTrips` times in a row, by ever larger first ops; where several periods fit,
/// the shortest. Linear but for chance.
class Repeats {
public:
  explicit Repeats(const OpList &list);
  /// The next at or behind op `from`. A loop that may as well be one kernel gives way to one around it that may not.
  std::optional<Repeat> next(size_t from);
  /// From `first` on, as many trips of `period` ops, up to `most`, as do the same; the first of them may be left out.
  /// None when they are too few.
  std::optional<Repeat> verified(size_t first, size_t period, size_t most) const;

  /// Of ops that all fuse, and no more than do.
  bool isSmall(const Repeat &loop) const;

private:
  static constexpr size_t gram = 4, mostCandidates = 16, longestPeriod = 1 << 13;
  const OpList &list;
  std::vector<uint32_t> again;                   ///< the next op that begins as many equal ones
  std::unordered_map<size_t, size_t> equalUntil; ///< by period: ops before equal those a period later
};

} // namespace pliant::trace
