// SPDX-License-Identifier: Apache-2.0
// Products of quantised operands as integer contractions and what their zero points take off. Modulo 2^32 the sum of
// (x - a)(w - b) is the sum of (x - a)w less b times the sum of (x - a), whatever wraps on the way.
#pragma once
#include "ops/builder.h"

namespace pliant {

/// (lhs - lhsZero) times (rhs - rhsZero) in i32, for i8 and u8 of rank 2 and more. An invalid zero point is 0; else it
/// has one entry, or broadcasts to its operand: one of lhs per row, (..., M, 1), one of rhs per column, (N) or (..., 1,
/// N).
Value integerMatmul(ValueBuilder &b, Value lhs, Value lhsZero, Value rhs, Value rhsZero);

/// The convolution of x - xZero with w - wZero in i32, for i8 and u8, channels first. xZero has one entry, wZero one or
/// one per output channel, (M).
Value integerConv(ValueBuilder &b, Value x, Value xZero, Value w, Value wZero, const std::vector<int64_t> &strides,
                  const std::vector<int64_t> &dilations, const Extents &pads, int64_t groups);

} // namespace pliant
