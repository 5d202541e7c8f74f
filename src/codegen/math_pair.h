// SPDX-License-Identifier: Apache-2.0
// Unevaluated sums of two floats, for the few steps that need more than one float holds.
#pragma once
#include "codegen/math.h"

namespace pliant::codegen {

struct Pair {
  Number high, low;
};
/// x + y without error.
inline Pair exactSum(Number x, Number y) {
  Number sum = x + y, part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}
/// The same for |x| >= |y|, or x = 0.
inline Pair quickSum(Number x, Number y) {
  Number sum = x + y;
  return {sum, y - (sum - x)};
}
/// x * y without error, unless it underflows; f64 without a fused multiply-add needs |x|, |y| < 2^996.
inline Pair exactProduct(Number x, Number y) {
  Number product = x * y;
  if (x.e().target.fma)
    return {product, multiplyAdd(x, y, -product)};
  auto split = [](Number v) { // Dekker
    Number big = v * (v.isF64() ? 0x1.0000002p27 : 0x1.002p12);
    Number high = big - (big - v);
    return Pair{high, v - high};
  };
  Pair a = split(x), b = split(y);
  return {product, a.low * b.low - (((product - a.high * b.high) - a.low * b.high) - a.high * b.low)};
}

} // namespace pliant::codegen
