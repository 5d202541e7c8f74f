// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 on 32-bit words that lie in u64 elements.
#include "ops/compose.h"

namespace pliant::ops::philox {

std::vector<Value> philox(ValueBuilder &b, const Attrs &, std::span<const Value> operands) {
  if (b.failed())
    return {};
  for (Value v : operands)
    if (b.dtype(v) != DType::U64) {
      b.fail(userError("philox",
                       "counters and key are " + b.type(operands[0]).str() + " and " + b.type(operands[1]).str() +
                           ": both must be u64",
                       "philox.C1"));
      return {};
    }
  if (b.rank(operands[1]) != 0) {
    b.fail(
        userError("philox", "the key has shape " + str(b.shape(operands[1])) + ": one number is needed", "philox.C2"));
    return {};
  }
  const Value mask = b.scalar(DType::U64, 0xffffffffp0), half = b.scalar(DType::U64, 32);
  auto low = [&](Value v) { return b.bitAnd(v, mask); };
  auto high = [&](Value v) { return b.shiftRight(v, half); };
  const Value multipliers[] = {b.scalar(DType::U64, 0xd2511f53p0), b.scalar(DType::U64, 0xcd9e8d57p0)};
  const Value weyl[] = {b.scalar(DType::U64, 0x9e3779b9p0), b.scalar(DType::U64, 0xbb67ae85p0)};
  Value key[] = {low(operands[1]), high(operands[1])};
  Value word[] = {low(operands[0]), high(operands[0]), {}, {}}; // no word: 0
  auto mixed = [&](Value product, Value other, Value key) {
    const Value upper = b.bitXor(high(product), key);
    return other ? b.bitXor(upper, other) : upper;
  };
  for (int round = 0; round < 10; ++round) {
    const Value first = b.mul(word[0], multipliers[0]);
    const Value second = word[2] ? b.mul(word[2], multipliers[1]) : b.mul(word[0], b.scalar(DType::U64, 0));
    const Value next[] = {mixed(second, word[1], key[0]), low(second), mixed(first, word[3], key[1]), low(first)};
    std::copy(std::begin(next), std::end(next), word);
    for (int i = 0; i < 2; ++i)
      key[i] = low(b.add(key[i], weyl[i]));
  }
  return {b.bitOr(word[0], b.shiftLeft(word[1], half)), b.bitOr(word[2], b.shiftLeft(word[3], half))};
}

} // namespace pliant::ops::philox
