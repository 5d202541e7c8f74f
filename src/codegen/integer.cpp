// SPDX-License-Identifier: Apache-2.0
// Integer division and powers. Up to 32 bits the quotient comes from a float division, which vectors have and which
// never traps: it is exact after truncation, since a quotient that is no integer differs from the next one by at least
// 1/y, far more than the rounding.
#include "codegen/integer.h"

using namespace mlir;

namespace pliant::codegen {

/// The divisor with 1 where it is zero, after recording that.
static Number checkedDivisor(PointEmitter &e, Number x, Number y) {
  Number zero = y == y.integer(0);
  e.fault(RunErrorDivision, zero, y, x);
  return select(zero, y.integer(1), y);
}

static Number plainQuotient(Number x, Number y, bool withSign) {
  const unsigned bits = x.bits();
  auto &b = x.e().b;
  if (bits == 64) {
    if (!withSign)
      return x.make<arith::DivUIOp>(x, y);
    Number minus = y == y.integer(-1);
    Number safe = x.make<arith::DivSIOp>(x, select(minus, y.integer(1), y));
    return select(minus, -x, safe);
  }
  Type real = bits == 32 ? Type(b.getF64Type()) : b.getF32Type();
  Number wide = toFloat(resized(x, 32, withSign), real, withSign || bits < 32) /
                toFloat(resized(y, 32, withSign), real, withSign || bits < 32);
  if (bits < 32)
    return resized(toInteger(wide, 32, true), bits, true);
  if (!withSign)
    return toInteger(wide, 32, false);
  // Only the smallest over -1 leaves the range; it wraps to itself.
  Number wraps = wide >= 2147483648.0;
  return select(wraps, x, toInteger(select(wraps, 0.0, wide), 32, true));
}

Number quotient(PointEmitter &e, Number x, Number y, bool withSign) {
  return plainQuotient(x, checkedDivisor(e, x, y), withSign);
}

Number remainder(PointEmitter &e, Number x, Number y, bool withSign) {
  y = checkedDivisor(e, x, y);
  Number rest = x - plainQuotient(x, y, withSign) * y;
  // The quotient's stand-in for a zero divisor is 1, so the remainder is 0 there, as in the reference.
  return rest;
}

Number integerPower(PointEmitter &e, Number x, Number y, bool withSign) {
  auto &b = e.b;
  const Location loc = e.loc;
  Number one = x.integer(1), zero = x.integer(0);
  Number negative = withSign ? y < zero : y.make<arith::CmpIOp>(arith::CmpIPredicate::ne, y, y);
  Number left = select(negative, zero, y);
  auto loop = b.create<scf::WhileOp>(
      loc, TypeRange{x.type(), x.type(), x.type()}, ValueRange{one, x, left},
      [&](OpBuilder &, Location, ValueRange v) { b.create<scf::ConditionOp>(loc, any(Number(e, v[2]) != zero), v); },
      [&](OpBuilder &, Location, ValueRange v) {
        Number result(e, v[0]), square(e, v[1]), rest(e, v[2]);
        Number odd = (rest & one) != zero;
        b.create<scf::YieldOp>(loc,
                               ValueRange{select(odd, result * square, result), square * square, shiftRight(rest, 1)});
      });
  Number result(e, loop.getResult(0));
  if (!withSign)
    return result;
  e.fault(RunErrorDivision, negative & (x == zero), x, one);
  Number minus = x == x.integer(-1), odd = (y & one) != zero;
  Number inverse = select(x == one, one, select(minus, select(odd, x, one), zero));
  return select(negative, inverse, result);
}

} // namespace pliant::codegen
