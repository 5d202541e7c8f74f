// SPDX-License-Identifier: Apache-2.0
// Re-rolling: a loop of the host leaves equal stretches of ops one after another in a segment. They are cut apart, so
// that all trips are one structure and run one program, however many there are.
#pragma once
#include "trace/segment.h"

namespace pliant::trace {

/// What a piece does.
struct Body {
  enum class How : uint8_t {
    Program, ///< runs `structure`
    Concat,  ///< joins its leaves along `axis`: as many as there are, which is nobody's structure
    Reshape  ///< gives its leaf the piece's integers as extents
  };
  How how = How::Program;
  std::shared_ptr<const Structure> structure;
  uint32_t leaves = 0, integers = 0, results = 0;
  int64_t axis = 0;
};

/// Consecutive ops of the segment that run together, once.
struct Piece {
  uint32_t body;
  uint32_t op, integer;           ///< the segment's first that is its own
  uint32_t source, target, spent; ///< its first in Plan::sources, targets and spent
};

/// How a segment runs: its pieces one after another. What goes from one to another lies in slots.
struct Plan {
  static constexpr uint32_t nowhere = ~0u;
  std::vector<Body> bodies;
  std::vector<Piece> pieces;
  std::vector<uint32_t> sources; ///< of each leaf of a piece: a leaf of the segment (leafBit), or a slot
  std::vector<uint32_t> targets; ///< of each result of a piece: its slot, or nowhere
  std::vector<uint32_t> spent;   ///< slots that nothing reads after the piece
  std::vector<uint32_t> outputs; ///< slots of the segment's results
  uint32_t slots = 0;
  uint64_t shape = 0; ///< a hash that does not know numbers of trips
  bool doubtful =
      false; ///< there are loops that had better run as straight code, if their number of trips is always this
};

/// `eager`: rolls also what is doubtful. A segment without loops is one piece.
Plan roll(const std::shared_ptr<const Structure> &structure, bool eager);

} // namespace pliant::trace
