// SPDX-License-Identifier: Apache-2.0
// What a cut of the log hands over: structure, numbers, leaves, and who waits for which value.
#pragma once
#include "trace/encode.h"
#include "trace/node.h"
#include <mutex>

namespace pliant::trace {

/// First word of an op; then operands, two a word; then the types of leaves that it is the first to read, one a word;
/// then attributes.
struct Header {
  OpId op;
  uint32_t operands, attrWords, results;

  static Header of(uint64_t word) {
    return {static_cast<OpId>(word & 0xffff), static_cast<uint32_t>(word >> 16 & 0xfffff),
            static_cast<uint32_t>(word >> 36 & 0xfffff), static_cast<uint32_t>(word >> 56)};
  }
  uint64_t word() const {
    return static_cast<uint64_t>(op) | static_cast<uint64_t>(operands) << 16 | static_cast<uint64_t>(attrWords) << 36 |
           static_cast<uint64_t>(results) << 56;
  }
};
/// An operand: the number of a value, or of a leaf with this bit.
inline constexpr uint32_t leafBit = 1u << 31;
inline uint64_t leafType(DType dtype, size_t rank) { return static_cast<uint64_t>(dtype) << 8 | rank; }

/// What is known of a value without numbers.
struct Kind {
  DType dtype;
  uint8_t rank;
  bool operator==(const Kind &) const = default;
};
/// Ops, and what follows from them.
struct Code {
  Words words;
  std::vector<Kind> values;
  uint32_t ops = 0;
};

/// What all segments that run the same programs have in common. Made by a cut, never changed.
struct Structure {
  std::shared_ptr<const Code> code;
  std::vector<uint32_t> results; ///< which values are results, ascending
  uint64_t hash = 0;

  Structure(std::shared_ptr<const Code> code, std::vector<uint32_t> results);
  const Words &words() const { return code->words; }
  bool operator==(const Structure &other) const {
    return hash == other.hash && results == other.results && (code == other.code || words() == other.words());
  }
  /// What whoever runs segments remembers of this one.
  struct Memo {
    std::mutex mutex;
    std::weak_ptr<void> known;
  };
  mutable Memo memo;
};
uint64_t hashOf(const Words &words);

using Sites = std::vector<Site>;
std::string str(Site site); ///< "model.cpp:12"; empty when nothing is known

struct Segment {
  std::shared_ptr<const Structure> structure;
  std::shared_ptr<const Sites> sites; ///< of the ops, in order
  Integers integers;
  std::vector<Handle> leaves;
  std::vector<Handle> results; ///< values that users still hold, as `structure` numbers them

  bool empty() const { return structure->code->ops == 0; }
};

} // namespace pliant::trace
