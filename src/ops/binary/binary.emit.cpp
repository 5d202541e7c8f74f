// SPDX-License-Identifier: Apache-2.0
// Functions of two elements. Integer division never sees a zero divisor, nor the smallest over -1: lanes that are
// masked off may hold anything.
#include "codegen/integer.h"
#include "codegen/math.h"

namespace pliant::ops::binary {
using namespace codegen;

static mlir::Value real(OpId op, Number x, Number y) {
  switch (op) {
  case OpId::Add:
    return x + y;
  case OpId::Sub:
    return x - y;
  case OpId::Mul:
    return x * y;
  case OpId::Div:
    return x / y;
  case OpId::Fmod:
    return fmod(x, y);
  case OpId::Mod: { // as NumPy: the sign of the divisor, also of a zero
    Number rest = fmod(x, y);
    Number other = (rest != 0.0) & ((rest < 0.0) ^ (y < 0.0));
    return select(rest == 0.0, copySign(rest, y), select(other, rest + y, rest));
  }
  case OpId::Pow:
    return pow(x, y);
  case OpId::Min:
    return leastNan(x, y);
  case OpId::Max:
    return greatestNan(x, y);
  default:
    return {};
  }
}

static mlir::Value whole(PointEmitter &e, OpId op, Number x, Number y) {
  const bool withSign = isSigned(e.in[0]);
  auto shifted = [&](auto shift) {
    Number width = y.integer(y.bits()), inside = belowUnsigned(y, width);
    return select(inside, shift(x, select(inside, y, y.integer(0))), x.integer(0));
  };
  switch (op) {
  case OpId::Add:
    return x + y;
  case OpId::Sub:
    return x - y;
  case OpId::Mul:
    return x * y;
  case OpId::Div:
    return quotient(e, x, y, withSign);
  case OpId::Fmod:
    return remainder(e, x, y, withSign);
  case OpId::Mod: {
    Number rest = remainder(e, x, y, withSign);
    if (!withSign)
      return rest;
    Number zero = rest.integer(0), other = (rest != zero) & ((rest ^ y) < zero);
    return select(other, rest + y, rest);
  }
  case OpId::Pow:
    return integerPower(e, x, y, withSign);
  case OpId::Min:
    return withSign ? x.make<mlir::arith::MinSIOp>(x, y) : x.make<mlir::arith::MinUIOp>(x, y);
  case OpId::Max:
    return withSign ? x.make<mlir::arith::MaxSIOp>(x, y) : x.make<mlir::arith::MaxUIOp>(x, y);
  case OpId::LogicalAnd:
  case OpId::BitAnd:
    return x & y;
  case OpId::LogicalOr:
  case OpId::BitOr:
    return x | y;
  case OpId::LogicalXor:
  case OpId::BitXor:
    return x ^ y;
  case OpId::ShiftLeft:
    return shifted([](Number x, Number by) { return x.make<mlir::arith::ShLIOp>(x, by); });
  case OpId::ShiftRight:
    return shifted([&](Number x, Number by) {
      return withSign ? x.make<mlir::arith::ShRSIOp>(x, by) : x.make<mlir::arith::ShRUIOp>(x, by);
    });
  default:
    return {};
  }
}

mlir::Value emit(PointEmitter &e, OpId op, const Attrs &, llvm::ArrayRef<mlir::Value> operands) {
  Number x(e, operands[0]), y(e, operands[1]);
  return isFloat(e.in[0]) ? real(op, x, y) : whole(e, op, x, y);
}

} // namespace pliant::ops::binary
