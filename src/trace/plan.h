// SPDX-License-Identifier: Apache-2.0
// How a segment runs: pieces of its ops, one after another, each with a program of its own.
#pragma once
#include "trace/batch.h"

namespace pliant::trace {

/// What a piece does.
struct Body {
  enum class How : uint8_t {
    Program, ///< runs `structure`
    Concat,  ///< joins its leaves along `axis`: as many as there are, which is nobody's structure
    Reshape, ///< gives its leaf the piece's integers as extents
    Slice,   ///< of its leaf, by steps of 1: the piece's integers are starts and sizes
    Fill     ///< the number that its leaf is, in a tensor of the piece's integers as extents
  };
  How how = How::Program;
  std::shared_ptr<const Structure> structure;
  std::shared_ptr<const Batched> batched; ///< the same for many at once; may be none
  uint32_t leaves = 0, integers = 0, results = 0;
  int64_t axis = 0;
};

/// Consecutive ops of the segment that run together, once.
struct Piece {
  uint32_t body;
  uint32_t op, integer;           ///< the segment's first that is its own
  uint32_t source, target, spent; ///< its first in Plan::sources, targets and spent
  uint32_t wave = 0;              ///< pieces of one, neighbours of one body, read nothing of each other; 0: alone
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
  std::vector<Range> ranges;                      ///< of all ops in order
  std::vector<std::shared_ptr<const Code>> codes; ///< by group: what each range does, to operands of its own
  std::vector<std::vector<bool>> results; ///< by group: values that its body gives; those that are needed are added
  std::vector<uint32_t> bodyOfGroup;      ///< after `plan`
  std::vector<bool> held;                 ///< values that a user holds
  std::vector<bool> needed;               ///< values that another range reads, or a user: from findNeeds

  /// Whether the op is a concat that the host does: over values that come again and again, or of tensors that exist.
  template <class F> bool joins(size_t op, F comesAgain) const {
    constexpr size_t fewest = 4, longList = 16;
    const Header header = list.header(op);
    if (header.op != OpId::Concat)
      return false;
    size_t leaves = 0;
    for (uint32_t k = 0; k < header.operands; ++k) {
      const uint32_t operand = list.operand(op, k);
      leaves += (operand & leafBit) != 0;
      if (header.operands >= fewest && (comesAgain(operand) || leaves >= longList))
        return true;
    }
    return leaves == header.operands;
  }
  /// Whether the op fills a tensor with a number that is there: what a loop starts from needs no program.
  bool fills(size_t op) const {
    const Header header = list.header(op);
    return header.op == OpId::BroadcastTo && list.operand(op, 0) & leafBit && list.kind(list.operand(op, 0)).rank == 0;
  }
  void findNeeds();
  uint32_t rangeOf(uint32_t operand) const { return rangeOfOp[list.makers[operand]]; } ///< of a value, after findNeeds
  /// The pieces run in this order of ranges; `waves` by range, or none.
  Plan plan(const std::vector<uint32_t> &order, const std::vector<uint32_t> &waves = {});
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
