// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 as storage types: exact to f32, rounded once to nearest even by integer arithmetic (from f64, hence from
// f32 too, without double rounding; denormals kept).
#pragma once
#include <bit>
#include <cstdint>

namespace pliant {

/// Rounds to a format of 1 sign bit, `exponentBits` and `mantissaBits`, to nearest even.
template <int exponentBits, int mantissaBits> uint16_t roundTo16(double value) {
  constexpr int bias = (1 << (exponentBits - 1)) - 1, top = (1 << exponentBits) - 1;
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 63) << 15);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  const uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 0x7ff) // infinity, or a quiet NaN
    return static_cast<uint16_t>(sign | (top << mantissaBits) | (fraction ? 1 << (mantissaBits - 1) : 0));
  if (exponent == 0) // denormals of f64 are far below half of the smallest denormal here
    return sign;
  int target = exponent - 1023 + bias;
  uint64_t significand = fraction | (uint64_t(1) << 52);
  int shift = 52 - mantissaBits;
  if (target <= 0) { // denormal result
    shift += 1 - target;
    target = 0;
    if (shift > 54)
      return sign;
  } else {
    significand -= uint64_t(1) << 52; // the leading one is implied
  }
  uint64_t result = (static_cast<uint64_t>(target) << mantissaBits) + (significand >> shift);
  const uint64_t rest = significand & ((uint64_t(1) << shift) - 1), tie = uint64_t(1) << (shift - 1);
  if (rest > tie || (rest == tie && (result & 1)))
    ++result; // carries into the exponent as it should
  if (result >= (uint64_t(top) << mantissaBits))
    result = uint64_t(top) << mantissaBits;
  return static_cast<uint16_t>(sign | result);
}

struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(double value) : bits(roundTo16<5, 10>(value)) {}
  operator float() const {
    const uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = (bits >> 10) & 31, fraction = bits & 0x3ff;
    if (exponent == 31)
      return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
    if (exponent == 0) { // zero and denormals: fraction * 2^-24, exact
      const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
      return sign ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  }
};

struct BFloat {
  uint16_t bits = 0;
  BFloat() = default;
  explicit BFloat(double value) : bits(roundTo16<8, 7>(value)) {}
  operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }
};

} // namespace pliant
