// SPDX-License-Identifier: Apache-2.0
// pow as exp(y log x): f32 through f64, f64 with the logarithm as a pair. Polynomials: scripts/minimax.py.
#include "codegen/math_exp.h"
#include "codegen/math_log.h"
#include "codegen/math_pair.h"
#include <limits>

namespace pliant::codegen {

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// log(a) for positive finite f64 a, to about 2^-65.
static Pair logPair(Number a) {
  LogParts parts = logParts(a);
  // log m = 2 atanh(s), s = (m - 1) / (m + 1) as a pair.
  Number f = parts.m - 1.0, d = parts.m + 1.0, dLow = parts.m - (d - 1.0);
  Number s = f / d;
  Pair back = exactProduct(s, d);
  Number sLow = (((f - back.high) - back.low) - s * dLow) / d;
  // t = s^2 / 3 + s^4 p(s^2)
  Pair z = exactProduct(s, s);
  z.low = multiplyAdd(s * 2.0, sLow, z.low);
  Number p = polynomial(z.high, {0x1.999999999999ap-3, 0x1.249249249232bp-3, 0x1.c71c71c759d11p-4, 0x1.745d17199c04dp-4,
                                 0x1.3b13c41d91b19p-4, 0x1.110c085366e65p-4, 0x1.e3934a30c1f82p-5, 0x1.827860be59ee7p-5,
                                 0x1.068ce75e94b7dp-3, -0x1.dbf61354649fbp-2});
  const double third = 0x1.5555555555555p-2;
  Pair t = exactProduct(z.high, z.high.constant(third));
  t.low = t.low + multiplyAdd(z.low, third, z.high * 0x1.5555555555555p-56);
  Pair sum = quickSum(t.high, z.high * z.high * p);
  sum.low = sum.low + t.low;
  // 2 (s + s t)
  Pair product = exactProduct(s, sum.high);
  product.low = product.low + multiplyAdd(s, sum.low, sLow * sum.high);
  Pair half = quickSum(s, product.high);
  half.low = half.low + (product.low + sLow);
  Pair y = exactSum(parts.e * 0x1.62e42fee00000p-1, half.high * 2.0);
  y.low = y.low + multiplyAdd(parts.e, 0x1.a39ef35793c76p-33, half.low * 2.0);
  return quickSum(y.high, y.low);
}

/// a^y for positive finite f64 a and finite y.
static Number powPositive(Number a, Number y) {
  Pair log = logPair(a);
  // Beyond 2^70 every power but 1^y is 0 or infinite, and products stay in range.
  y = least(y.constant(0x1p70), greatest(y.constant(-0x1p70), y));
  Pair exponent = exactProduct(y, log.high);
  exponent.low = multiplyAdd(y, log.low, exponent.low);
  Number inRange = abs(exponent.high) < 800.0;
  Number low = select(inRange, exponent.low, 0.0);
  Number high = least(y.constant(720), greatest(y.constant(-760), exponent.high));
  ExpParts parts = expParts(high, &low);
  return scaled(parts.tail + 1.0, parts);
}

static Number powPositiveF32(Number a, Number y) {
  Number exponent = widened(y) * logMid(widened(a));
  ExpParts parts = expParts(least(exponent.constant(200), greatest(exponent.constant(-200), exponent)));
  Number power = powerOfTwo(parts);
  return narrowed(multiplyAdd(power, parts.tail, power));
}

Number pow(Number x, Number y) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Number a = abs(x), b = abs(y), signX = bitsOf(x) < bitsOf(x).integer(0);
  Number ordinary = (a > 0.0) & (a < infinity) & (b < infinity);
  Number base = select(ordinary, a, 1.0), exponent = select(ordinary, y, 1.0);
  Number result = x.isF64() ? powPositive(base, exponent) : powPositiveF32(base, exponent);

  // Zero and infinite bases or exponents: the result grows or vanishes.
  Number positive = y > 0.0, above = a > 1.0;
  Number grows = !(positive ^ above);
  Number edge = select(grows, infinity, x.constant(0));
  edge = select((a == 1.0) & (b == infinity), 1.0, edge); // also of -1
  result = select(ordinary, result, edge);

  Number whole = roundEven(b) == b, halfWhole = roundEven(b * 0.5) == b * 0.5;
  Number odd = whole & !halfWhole;
  result = select(signX & odd & (b < infinity), -result, result);
  result = select((x < 0.0) & (a < infinity) & !whole & (b < infinity), nan, result);
  result = select(isNan(x) | isNan(y), nan, result);
  return select((x == 1.0) | (y == 0.0), 1.0, result);
}

} // namespace pliant::codegen
