// SPDX-License-Identifier: Apache-2.0
// log, and the inverse hyperbolic functions. Polynomials: scripts/minimax.py.
#include "codegen/math_log.h"
#include <limits>

using namespace mlir;

namespace pliant::codegen {

static constexpr double infinity = std::numeric_limits<double>::infinity();

// Denormals are made normal first; then the bits above those of sqrt(1/2) count the exponent.
LogParts logParts(Number x) {
  const bool f64 = x.isF64();
  Number small = x < (f64 ? 0x1p-1022 : 0x1p-126);
  Number y = select(small, x * (f64 ? 0x1p54 : 0x1p25), x);
  Number bits = bitsOf(y), root = bits.integer(f64 ? 0x3fe6a09e667f3bcd : 0x3f3504f3);
  Number e = shiftRightSigned(bits - root, f64 ? 52 : 23);
  Number m = asFloat(bits - shiftLeft(e, f64 ? 52 : 23));
  e = e - select(small, e.integer(f64 ? 54 : 25), e.integer(0));
  if (f64) // small integers by way of 32 bits: every target has that conversion
    e = resized(e, 32, true);
  return {m, toFloat(e, x.element(), true)};
}

/// log(1 + f) + e ln 2.
static Number logOf(Number f, Number e) {
  if (f.isF64()) {
    Number s = f / (f + 2.0), z = s * s, half = f * f * 0.5;
    Number r =
        z * polynomial(z, {0x1.5555555555592p-1, 0x1.999999997ff0fp-2, 0x1.24924941e231ep-2, 0x1.c71c52136ad01p-3,
                           0x1.74663d25f9b89p-3, 0x1.39a1e244e37f5p-3, 0x1.2f040312aa960p-3});
    Number low = multiplyAdd(s, half + r, e * 0x1.a39ef35793c76p-33);
    return multiplyAdd(e, 0x1.62e42fee00000p-1, f - (half - low));
  }
  Number z = f * f;
  Number p = polynomial(f, {0x1.555548p-2, -0x1.00006ep-2, 0x1.99a53ep-3, -0x1.552fe6p-3, 0x1.23042cp-3, -0x1.00f6bap-3,
                            0x1.efcd64p-4, -0x1.bfe1f2p-4, 0x1.b85b82p-5});
  Number low = multiplyAdd(e, 0x1.7f7d1cp-20, f * z * p);
  low = multiplyAdd(z, -0.5, low);
  return multiplyAdd(e, 0x1.62e400p-1, f + low);
}

/// What log gives at 0, infinity, NaN and below 0.
static Number atEdges(Number x, Number y) {
  y = select(x < infinity, y, x); // infinity, NaN
  y = select(x == 0.0, -infinity, y);
  return select(x < 0.0, std::numeric_limits<double>::quiet_NaN(), y);
}

Number log(Number x) {
  LogParts parts = logParts(x);
  return atEdges(x, logOf(parts.m - 1.0, parts.e));
}

Number logMid(Number x) {
  LogParts parts = logParts(x);
  Number f = parts.m - 1.0, s = f / (f + 2.0), z = s * s;
  Number p = polynomial(z, {0x1.5555555555555p-2, 0x1.9999999d1fafep-3, 0x1.24924469c3fc6p-3, 0x1.c72107eaa79b8p-4,
                            0x1.7355d4d8562cap-4, 0x1.56af919c784c0p-4});
  Number twice = s + s;
  return multiplyAdd(parts.e, 0x1.62e42fefa39efp-1, multiplyAdd(twice * z, p, twice));
}

/// log(1 + w), w >= 0, finite f64; of `big` lanes log(w).
static Number log1p(Number w, Number big) {
  Number u = select(big, w, w + 1.0);
  Number lost = select(w < 1.0, w - (u - 1.0), 1.0 - (u - w)) / u;
  LogParts parts = logParts(u);
  return logOf(parts.m - 1.0, parts.e) + select(big, 0.0, lost);
}

static constexpr double ln2 = 0x1.62e42fefa39efp-1;

Number asinh(Number x) {
  Number a = abs(x);
  if (x.isF64()) {
    Number big = a > 0x1p28, z = a * a;
    Number w = a + z / (sqrt(z + 1.0) + 1.0);
    Number y = log1p(select(big, a, w), big);
    y = select(big, y + ln2, y);
    return copySign(select(a < infinity, y, x), x);
  }
  Number w = widened(a), z = w * w;
  Number small = multiplyAdd(w * z, polynomial(z, {-1.0 / 6, 3.0 / 40, -15.0 / 336}), w);
  Number y = select(w < 0x1p-6, small, logMid(w + sqrt(z + 1.0)));
  return copySign(select(a < infinity, narrowed(y), x), x);
}

Number acosh(Number x) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Number y = x;
  if (x.isF64()) {
    Number big = x > 0x1p28, t = x - 1.0;
    Number w = t + sqrt(multiplyAdd(t, t, t + t));
    y = log1p(select(big, x, w), big);
    y = select(big, y + ln2, y);
  } else {
    Number w = widened(x);
    y = narrowed(logMid(w + sqrt(w * w - w.constant(1))));
  }
  return select(x < infinity, select(x < 1.0, nan, y), x);
}

Number atanh(Number x) {
  Number a = abs(x);
  Number inside = a < 1.0, b = select(inside, a, 0.0), y = x;
  if (x.isF64()) {
    y = log1p((b + b) / (1.0 - b), b > 2.0) * 0.5;
  } else {
    Number w = widened(b), z = w * w;
    Number small = multiplyAdd(w * z, polynomial(z, {1.0 / 3, 1.0 / 5, 1.0 / 7}), w);
    y = narrowed(select(w < 0x1p-6, small, logMid((w + 1.0) / (1.0 - w)) * 0.5));
  }
  Number edge = select(a == 1.0, infinity, x.constant(std::numeric_limits<double>::quiet_NaN()));
  return copySign(select(inside, y, edge), x);
}

} // namespace pliant::codegen
