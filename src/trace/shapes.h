// SPDX-License-Identifier: Apache-2.0
// The shape rules on numbers, as fast as recording needs them: elementwise ops, matrix products and slices by
// arithmetic, all others by remembering what the rule of the op (src/ops) gave for the same types. An error is always
// that of the rule.
#pragma once
#include "ops/op.h"
#include "trace/encode.h"
#include "trace/node.h"
#include <unordered_map>

namespace pliant::trace {

class Shapes {
public:
  struct Type {
    DType dtype{};
    uint8_t rank = 0;
    const int64_t *dims = nullptr; ///< valid until the next call
  };
  /// The types of the op's results. Attributes are as `encode` writes them.
  Result<std::span<const Type>> of(OpId op, const Words &attrs, const Integers &integers,
                                   std::span<Node *const> operands);

private:
  static constexpr size_t most = 4096; ///< remembered; then all are forgotten
  struct Hash {
    size_t operator()(const Words &words) const {
      uint64_t hash = words.size();
      for (uint64_t word : words)
        hash = detail::mixed(hash, word);
      return hash;
    }
  };
  struct Known {
    std::vector<Type> types;
    std::vector<int64_t> dims;
  };
  std::unordered_map<Words, Known, Hash> known;
  /// Element types of elementwise results, by op and operands' element types.
  struct Elementwise {
    uint64_t key = ~uint64_t(0);
    DType dtype{};
  };
  std::array<Elementwise, 256> elementwise;
  Words key;
  std::vector<int64_t> broadcast;
  Type one;

  Result<std::span<const Type>> byRule(OpId op, const Words &attrs, const Integers &integers,
                                       std::span<Node *const> operands);
};

} // namespace pliant::trace
