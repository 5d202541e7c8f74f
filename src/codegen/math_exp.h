// SPDX-License-Identifier: Apache-2.0
// The steps of the exponential that other functions share.
#pragma once
#include "codegen/math.h"

namespace pliant::codegen {

/// x = n ln 2 + r, |r| <= ln 2 / 2: e^r = 1 + tail, and n as a float and (in the low bits of a float's bits) an
/// integer.
struct ExpParts {
  Number tail, n, shifted;
};
/// For |x| below about 2^10; larger ones must be clamped. `low` is added to r: what x lost by rounding.
ExpParts expParts(Number x, const Number *low = nullptr);
/// x * 2^n with one rounding, also to denormals, for n within three times the exponents' range.
Number scaled(Number x, const ExpParts &parts);
/// 2^n where that is a normal number.
Number powerOfTwo(const ExpParts &parts);

} // namespace pliant::codegen
