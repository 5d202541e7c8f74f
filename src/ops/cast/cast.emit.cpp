// SPDX-License-Identifier: Apache-2.0
// Conversions: float to integer saturates and NaN is 0, between integers wraps, to bool is x != 0. To f16 and bf16 the
// value returned may be f64, exact or rounded to odd, so that the frame's rounding is the only one.
#include "codegen/number.h"
#include <cmath>

namespace pliant::ops::cast {
using namespace codegen;

static Number saturated(Number x, DType to) {
  const int bits = static_cast<int>(byteSize(to)) * 8;
  const bool withSign = isSigned(to);
  const double low = withSign ? -std::ldexp(1.0, bits - 1) : 0, above = std::ldexp(1.0, withSign ? bits - 1 : bits);
  // Out of range the conversion is undefined, so it only ever sees values in range; NaN is in none.
  Number over = x >= above;
  Number inside = select((x > low) & (x < above), x, 0.0);
  Number whole = resized(toInteger(inside, bits < 32 ? 32 : bits, withSign || bits < 32), bits, withSign);
  const int64_t least = withSign ? static_cast<int64_t>(~uint64_t(0) << (bits - 1)) : 0;
  whole = select(over, whole.integer(withSign ? ~least : -1), whole);
  return withSign ? select(x <= low, whole.integer(least), whole) : whole;
}

/// An integer of 64 bits as f64 rounded to odd: the bits that f64 would drop only leave their trace in the last one.
static Number oddF64(Number x, bool withSign) {
  Number low = x & x.integer(0xfff);
  Number odd = (x & x.integer(~int64_t(0xfff))) | select(low != low.integer(0), x.integer(0x800), x.integer(0));
  Number high = shiftRight(x, 53);
  // Below 2^52 in magnitude every bit fits.
  Number fits =
      withSign ? belowUnsigned(shiftRight(x + x.integer(int64_t(1) << 52), 53), x.integer(1)) : high == high.integer(0);
  return toFloat(select(fits, x, odd), x.e().b.getF64Type(), withSign);
}

mlir::Value emit(PointEmitter &e, OpId, const Attrs &, llvm::ArrayRef<mlir::Value> operands) {
  const DType from = e.in[0], to = e.out;
  Number x(e, operands[0]);
  if (from == to)
    return x;
  if (to == DType::Bool)
    return isFloat(from) ? x != 0.0 : x != x.integer(0);
  if (!isFloat(to)) {
    if (isFloat(from))
      return saturated(x, to);
    return resized(x, static_cast<unsigned>(byteSize(to)) * 8, isSigned(from));
  }
  if (isFloat(from)) {
    if (from == DType::F64)
      return to == DType::F32 ? narrowed(x) : x;
    return to == DType::F64 ? widened(x) : x;
  }
  const bool narrow = to == DType::F16 || to == DType::BF16;
  if (narrow && byteSize(from) == 8)
    return oddF64(x, isSigned(from));
  const bool wide = to == DType::F64 || (narrow && byteSize(from) == 4);
  if (byteSize(from) < 4) // one conversion instruction for all of them
    x = resized(x, 32, isSigned(from));
  return toFloat(x, wide ? mlir::Type(e.b.getF64Type()) : e.b.getF32Type(), isSigned(from) || byteSize(from) < 4);
}

} // namespace pliant::ops::cast
