// SPDX-License-Identifier: Apache-2.0
// The ops of a structure one by one, and where they repeat.
#pragma once
#include "trace/segment.h"
#include <optional>
#include <unordered_map>

namespace pliant::trace {

/// The ops of a structure, taken apart.
class OpList {
public:
  explicit OpList(const Structure &structure);

  struct Op {
    uint32_t word, attributes; ///< its first word, and that of its attributes
    uint32_t value, integer;   ///< its first result and integer
    uint64_t hash;             ///< of what it does, not of what it reads
  };
  const Structure &structure;
  std::vector<Op> ops;          ///< and one behind the last
  std::vector<uint32_t> makers; ///< of the values: the op
  std::vector<Kind> leaves;

  size_t size() const { return ops.size() - 1; }
  Header header(size_t op) const { return Header::of(structure.words()[ops[op].word]); }
  std::span<const uint64_t> attributes(size_t op) const {
    return {structure.words().data() + ops[op].attributes, ops[op + 1].word - ops[op].attributes};
  }
  uint32_t operand(size_t op, size_t i) const {
    return static_cast<uint32_t>(structure.words()[ops[op].word + 1 + i / 2] >> (i % 2 * 32));
  }
  Kind kind(uint32_t operand) const {
    return operand & leafBit ? leaves[operand & ~leafBit] : structure.code->values[operand];
  }
};

/// A stretch of ops as a structure of its own: leaves are what it reads from outside, numbered as it reads them.
struct Stretch {
  std::shared_ptr<Code> code;
  std::vector<uint32_t> leaves; ///< operands of the whole
};
Stretch stretch(const OpList &list, size_t first, size_t last);

/// Whether `code` does to other operands what the ops from `first` on do; `leaves` are those operands.
bool matches(const OpList &list, size_t first, const Code &code, std::vector<uint32_t> &leaves);

/// Trips of a loop: `trips` times `period` ops.
struct Repeat {
  size_t first, period, trips;
  size_t model; ///< where ops begin that each trip does, to other operands: a trip that shows what is carried
  size_t unit;  ///< the period of the host's loop, of which a trip is a bundle
  size_t last() const { return first + period * trips; }
};
inline constexpr size_t fewestTrips = 4;

/// Finds what is repeated at least `fewestTrips` times in a row, by ever larger first ops; where several periods fit,
/// the shortest. Linear but for chance.
class Repeats {
public:
  explicit Repeats(const OpList &list);
  /// The next at or behind op `from`.
  std::optional<Repeat> next(size_t from);
  /// From `first` on, as many trips of `period` ops, up to `most`, as do the same; the first of them may be left out.
  /// None when they are too few.
  std::optional<Repeat> verified(size_t first, size_t period, size_t most) const;

private:
  static constexpr size_t gram = 4, mostCandidates = 16, longestPeriod = 1 << 13;
  const OpList &list;
  std::vector<uint32_t> again;                   ///< the next op that begins as many equal ones
  std::unordered_map<size_t, size_t> equalUntil; ///< by period: ops before equal those a period later
};

} // namespace pliant::trace
