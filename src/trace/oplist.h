// SPDX-License-Identifier: Apache-2.0
// The ops of a structure one by one, and stretches of them as structures of their own.
#pragma once
#include "trace/segment.h"

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
  /// Ops that all fuse with each other, elementwise or moves.
  bool isCheap(size_t first, size_t last) const;
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

} // namespace pliant::trace
