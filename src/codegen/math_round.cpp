// SPDX-License-Identifier: Apache-2.0
// Rounding to integers and the exact remainder.
#include "codegen/math.h"
#include <limits>

using namespace mlir;

namespace pliant::codegen {

// Without SSE4.1 there is no rounding instruction, and LLVM would call libm. Adding and taking away 2^(mantissa bits)
// rounds to nearest even; numbers of that size are integers already.
static Number nearest(Number x) {
  const double big = x.isF64() ? 0x1p52 : 0x1p23;
  Number a = abs(x), rounded = copySign((a + big) - x.constant(big), x);
  return select(a < big, rounded, x);
}

static bool hasRounding(Number x) { return x.e().target.has("sse4.1"); }

Number roundEven(Number x) { return hasRounding(x) ? x.make<LLVM::RoundEvenOp>(x) : nearest(x); }

Number floor(Number x) {
  if (hasRounding(x))
    return x.make<LLVM::FFloorOp>(x);
  Number y = nearest(x);
  return copySign(y - select(x < y, 1.0, x.constant(0)), x);
}

Number ceil(Number x) {
  if (hasRounding(x))
    return x.make<LLVM::FCeilOp>(x);
  Number y = nearest(x);
  return copySign(y + select(y < x, 1.0, x.constant(0)), x);
}

static Number truncated(Number x) {
  if (hasRounding(x))
    return x.make<LLVM::FTruncOp>(x);
  Number y = nearest(x); // x >= 0
  return y - select(x < y, 1.0, x.constant(0));
}

/// a as at least 2^-960, so that its exponent field counts; a is positive and finite.
static Number exponentOf(Number a) {
  Number small = a < 0x1p-960, bits = bitsOf(select(small, a * 0x1p60, a));
  return shiftRight(bits, 52) - select(small, bits.integer(60), bits.integer(0));
}

// Long division: each turn takes off the multiple of b * 2^k with k chosen so that the partial quotient has few bits.
// The product is then exact in two parts, and the rest is exact too, since it is a multiple of b's last bit and below
// the divisor.
static Number remainderF64(Number a, Number b) {
  const PointEmitter &e = a.e();
  const Location loc = e.loc;
  Number exponentB = exponentOf(b);
  auto loop = e.b.create<scf::WhileOp>(
      loc, TypeRange{a.type()}, ValueRange{a},
      [&](OpBuilder &, Location, ValueRange v) { e.b.create<scf::ConditionOp>(loc, any(Number(e, v[0]) >= b), v); },
      [&](OpBuilder &, Location, ValueRange v) {
        Number x(e, v[0]), turn = x >= b;
        Number up = exponentOf(select(turn, x, b)) - exponentB - exponentB.integer(24), zero = up.integer(0);
        up = select(up < zero, zero, up);
        // 2^up in four factors: with a denormal b it goes beyond what one float holds.
        Number quarter = shiftRight(up, 2);
        auto power = [&](Number k) { return asFloat(shiftLeft(k + k.integer(1023), 52)); };
        Number step = power(quarter), divisor = b * step * step * step * power(up - quarter * quarter.integer(3));
        Number high = asFloat(bitsOf(divisor) & up.integer(~int64_t(0x7ffffff))), low = divisor - high;
        Number q = truncated(x / divisor);
        Number rest = (x - q * high) - q * low;
        rest = select(rest < 0.0, rest + divisor, rest); // the quotient was rounded up
        rest = select(rest >= divisor, rest - divisor, rest);
        e.b.create<scf::YieldOp>(loc, ValueRange{select(turn, rest, x)});
      });
  return {e, loop.getResult(0)};
}

Number fmod(Number x, Number y) {
  const double infinity = std::numeric_limits<double>::infinity();
  Number a = abs(x), b = abs(y);
  // The loop ends at once for lanes without a remainder.
  Number works = (a < infinity) & (b > 0.0) & (b < infinity);
  Number dividend = select(works, a, 0.0), divisor = select(works, b, 1.0);
  Number rest =
      x.isF64() ? remainderF64(dividend, divisor) : narrowed(remainderF64(widened(dividend), widened(divisor)));
  Number other = select((a < infinity) & (b == infinity), a, std::numeric_limits<double>::quiet_NaN());
  return copySign(select(works, rest, other), x);
}

} // namespace pliant::codegen
