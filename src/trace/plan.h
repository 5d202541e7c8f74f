// SPDX-License-Identifier: Apache-2.0
// How a segment runs: pieces of its ops, one after another, each with a program of its own.
#pragma once
#include "trace/oplist.h"

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

/// What goes from one piece to another lies in slots.
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

/// The ops of a structure in ranges, from which a plan is made.
class Division {
public:
  static constexpr uint32_t nobody = ~0u;

  explicit Division(const std::shared_ptr<const Structure> &structure);

  /// Consecutive ops that become a piece.
  struct Range {
    uint32_t first, last;
    uint32_t group = nobody; ///< of ranges with one body
    Body::How how = Body::How::Program;
  };
  const OpList list;
  std::vector<Range> ranges;  ///< of all ops in order
  std::vector<size_t> models; ///< by group: the first of ops that do what each range does, to other operands
  std::vector<bool> held;     ///< values that a user holds
  std::vector<bool> needed;   ///< values that another range reads, or a user: from findNeeds

  void findNeeds();
  uint32_t rangeOf(uint32_t operand) const { return rangeOfOp[list.makers[operand]]; } ///< of a value, after findNeeds
  /// The pieces run in this order of ranges.
  Plan plan(const std::vector<uint32_t> &order);
  /// All in one piece.
  Plan whole() const;

private:
  std::shared_ptr<const Structure> structure;
  std::vector<uint32_t> rangeOfOp, slotOf, lastUse, free;
  std::vector<std::vector<uint32_t>> reads; ///< operands that a range reads from outside, in its body's order
  Plan made;

  uint32_t addBody(const Range &range, const std::vector<bool> &results);
  void addPiece(uint32_t place, uint32_t range, uint32_t body);
};

} // namespace pliant::trace
