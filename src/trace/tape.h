// SPDX-License-Identifier: Apache-2.0
// What a log has recorded before and may be recording again: while each op is the next one of a tape, recording only
// moves along it.
#pragma once
#include "trace/segment.h"

namespace pliant::trace {

/// A structure with the numbers that it was recorded with last.
struct Tape {
  std::shared_ptr<const Code> code;
  std::vector<std::shared_ptr<const Structure>> structures; ///< of this code; they differ in their results
  std::shared_ptr<const Sites> sites;
  Integers dims, leafDims, integers; ///< extents of values and of leaves, and what travels by value
  Tape *next = nullptr;              ///< what was recorded after it the last time
  uint64_t used = 0;                 ///< when
};

/// The tapes of a log: those used last, bounded in number and in ops.
class Tapes {
public:
  /// A tape of these words, or none.
  Tape *find(const Words &words, uint64_t hash);
  /// A new one. It is the caller's to fill before anything else is asked of the tapes.
  Tape *add(uint64_t hash, size_t ops);
  void use(Tape *tape) { tape->used = ++clock; }
  size_t size() const { return kept.size(); }

private:
  static constexpr size_t mostTapes = 64, mostOps = size_t(1) << 17;
  struct Kept {
    uint64_t hash;
    size_t ops;
    std::unique_ptr<Tape> tape;
  };
  std::vector<Kept> kept;
  size_t keptOps = 0;
  uint64_t clock = 0;

  void forgetOldest();
};

} // namespace pliant::trace
