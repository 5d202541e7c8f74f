// SPDX-License-Identifier: Apache-2.0
#include "api/promote.h"
#include <algorithm>

namespace pliant::api {
namespace {

DType integerOf(size_t bytes, bool withSign) {
  switch (bytes) {
  case 1:
    return withSign ? DType::I8 : DType::U8;
  case 2:
    return withSign ? DType::I16 : DType::U16;
  case 4:
    return withSign ? DType::I32 : DType::U32;
  default:
    return withSign ? DType::I64 : DType::U64;
  }
}

DType wider(DType a, DType b) { return byteSize(a) >= byteSize(b) ? a : b; }

} // namespace

DType floating(DType type) {
  if (isFloat(type))
    return type;
  return byteSize(type) == 1 ? DType::F16 : byteSize(type) == 2 ? DType::F32 : DType::F64;
}

DType promoted(DType a, DType b) {
  if (a == b)
    return a;
  if (a == DType::Bool)
    return b;
  if (b == DType::Bool)
    return a;
  if (isFloat(a) && isFloat(b))
    return byteSize(a) == byteSize(b) ? DType::F32 : wider(a, b); // f16 and bf16 hold neither the other
  if (isFloat(a) || isFloat(b)) {
    const DType real = isFloat(a) ? a : b, integer = isFloat(a) ? b : a;
    // bf16 holds 8-bit integers, as f16 does.
    return byteSize(integer) == 1 ? real : wider(real, floating(integer));
  }
  if (isSigned(a) == isSigned(b))
    return wider(a, b);
  const DType with = isSigned(a) ? a : b, without = isSigned(a) ? b : a;
  if (byteSize(with) > byteSize(without))
    return with;
  return byteSize(without) == 8 ? DType::F64 : integerOf(2 * byteSize(without), true);
}

DType promotedWith(DType tensor, Operand::Kind number) {
  if (number == Operand::Kind::Real)
    return isFloat(tensor) ? tensor : DType::F64;
  if (number == Operand::Kind::Integer)
    return tensor == DType::Bool ? DType::I64 : tensor;
  return tensor;
}

DType summed(DType type) {
  if (isFloat(type))
    return type;
  return isUnsigned(type) ? DType::U64 : DType::I64;
}

} // namespace pliant::api
