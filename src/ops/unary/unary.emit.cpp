// SPDX-License-Identifier: Apache-2.0
// Functions of one element.
#include "codegen/math.h"
#include <limits>

namespace pliant::ops::unary {
using namespace codegen;

static Number infinite(Number x, const IsInfAttrs &attrs) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (attrs.negative && attrs.positive)
    return abs(x) == infinity;
  if (attrs.positive)
    return x == infinity;
  return attrs.negative ? x == -infinity : x != x.constant(0) & x == x.constant(0); // neither: false
}

static mlir::Value real(OpId op, const Attrs &attrs, Number x) {
  switch (op) {
  case OpId::Abs:
    return abs(x);
  case OpId::Neg:
    return -x;
  case OpId::Relu: // NaN stays, -0 gives 0
    return greatestNan(x.constant(0), x);
  case OpId::Exp:
    return exp(x);
  case OpId::Log:
    return log(x);
  case OpId::Sqrt:
    return sqrt(x);
  case OpId::Reciprocal:
    return 1.0 / x;
  case OpId::Floor:
    return floor(x);
  case OpId::Ceil:
    return ceil(x);
  case OpId::Round:
    return roundEven(x);
  case OpId::Sign: // NaN and zeros stay
    return select(x > 0.0, 1.0, select(x < 0.0, -1.0, x));
  case OpId::Sigmoid:
    return sigmoid(x);
  case OpId::Tanh:
    return tanh(x);
  case OpId::Erf:
    return erf(x);
  case OpId::Sin:
    return sin(x);
  case OpId::Cos:
    return cos(x);
  case OpId::Tan:
    return tan(x);
  case OpId::Asin:
    return asin(x);
  case OpId::Acos:
    return acos(x);
  case OpId::Atan:
    return atan(x);
  case OpId::Sinh:
    return sinh(x);
  case OpId::Cosh:
    return cosh(x);
  case OpId::Asinh:
    return asinh(x);
  case OpId::Acosh:
    return acosh(x);
  case OpId::Atanh:
    return atanh(x);
  case OpId::IsNan:
    return isNan(x);
  case OpId::IsInf:
    return infinite(x, std::get<IsInfAttrs>(attrs));
  default:
    return {};
  }
}

static mlir::Value whole(OpId op, Number x, bool withSign) {
  Number zero = x.integer(0);
  switch (op) {
  case OpId::Abs:
    return withSign ? select(x < zero, -x, x) : x;
  case OpId::Neg:
    return -x;
  case OpId::Relu:
    return withSign ? x.make<mlir::arith::MaxSIOp>(x, zero) : x;
  case OpId::Sign:
    if (!withSign)
      return select(x == zero, zero, x.integer(1));
    return select(x > zero, x.integer(1), select(x < zero, x.integer(-1), zero));
  case OpId::LogicalNot:
    return !x;
  default:
    return {};
  }
}

mlir::Value emit(PointEmitter &e, OpId op, const Attrs &attrs, llvm::ArrayRef<mlir::Value> operands) {
  Number x(e, operands[0]);
  return isFloat(e.in[0]) ? real(op, attrs, x) : whole(op, x, isSigned(e.in[0]));
}

} // namespace pliant::ops::unary
