// SPDX-License-Identifier: Apache-2.0
// The operators of numbers under construction.
#include "codegen/number.h"
#include "codegen/x86.h"

using namespace mlir;

namespace pliant::codegen {

Number Number::integer(int64_t value) const {
  const APInt number = APInt(64, static_cast<uint64_t>(value), true).zextOrTrunc(bits());
  auto scalar = at->b.getIntegerAttr(element(), number);
  if (auto vector = dyn_cast<VectorType>(type()))
    return make<arith::ConstantOp>(DenseElementsAttr::get(vector, Attribute(scalar)));
  return make<arith::ConstantOp>(scalar);
}

template <class Float, class Int> static Number either(Number x, Number y) {
  return x.isFloat() ? x.make<Float>(x, y) : x.make<Int>(x, y);
}
Number operator+(Number x, Number y) { return either<arith::AddFOp, arith::AddIOp>(x, y); }
Number operator-(Number x, Number y) { return either<arith::SubFOp, arith::SubIOp>(x, y); }
Number operator*(Number x, Number y) { return either<arith::MulFOp, arith::MulIOp>(x, y); }
Number operator/(Number x, Number y) { return x.make<arith::DivFOp>(x, y); }
Number operator-(Number x) { return x.isFloat() ? x.make<arith::NegFOp>(x) : x.integer(0) - x; }
Number operator&(Number x, Number y) { return x.make<arith::AndIOp>(x, y); }
Number operator|(Number x, Number y) { return x.make<arith::OrIOp>(x, y); }
Number operator^(Number x, Number y) { return x.make<arith::XOrIOp>(x, y); }
Number operator!(Number mask) { return mask ^ mask.integer(-1); }

static Number compare(Number x, Number y, arith::CmpFPredicate real, arith::CmpIPredicate whole) {
  return x.isFloat() ? x.make<arith::CmpFOp>(real, x, y) : x.make<arith::CmpIOp>(whole, x, y);
}
Number operator<(Number x, Number y) { return compare(x, y, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt); }
Number operator<=(Number x, Number y) { return compare(x, y, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle); }
Number operator==(Number x, Number y) { return compare(x, y, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq); }
Number operator!=(Number x, Number y) { return compare(x, y, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne); }
Number belowUnsigned(Number x, Number y) { return x.make<arith::CmpIOp>(arith::CmpIPredicate::ult, x, y); }

Number shiftLeft(Number x, int64_t by) { return x.make<arith::ShLIOp>(x, x.integer(by)); }
Number shiftRight(Number x, int64_t by) { return x.make<arith::ShRUIOp>(x, x.integer(by)); }
Number shiftRightSigned(Number x, int64_t by) { return x.make<arith::ShRSIOp>(x, x.integer(by)); }
Number select(Number mask, Number yes, Number no) { return yes.make<arith::SelectOp>(mask, yes, no); }
Number isNan(Number x) { return x.make<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x); }
// In this form x86 has one instruction for it.
Number least(Number x, Number y) { return select(x < y, x, y); }
Number greatest(Number x, Number y) { return select(x > y, x, y); }
/// Whether x is a constant other than NaN. Then one comparison does, and LLVM 19 never sees the pair of comparisons
/// "y is NaN or y > 0" that it wrongly merges to "z is NaN or z > 0" where y is |z|.
static bool isNumber(Number x) {
  auto constant = Value(x).getDefiningOp<arith::ConstantOp>();
  if (!constant || !x.isFloat())
    return false;
  if (auto elements = dyn_cast<DenseFPElementsAttr>(constant.getValue()))
    return elements.isSplat() && !elements.getSplatValue<APFloat>().isNaN();
  auto scalar = dyn_cast<FloatAttr>(constant.getValue());
  return scalar && !scalar.getValue().isNaN();
}
/// `chosen`, which is x where either is NaN, or y where that is NaN.
static Number withNan(Number chosen, Number y) {
  if (y.e().secondIsNumber)
    return chosen;
  return hasAvx512(y) ? orNan(chosen, y) : select(isNan(y), y, chosen);
}
Number leastNan(Number x, Number y) { return isNumber(x) ? select(x <= y, x, y) : withNan(smallerOf(y, x), y); }
Number greatestNan(Number x, Number y) { return isNumber(x) ? select(y <= x, x, y) : withNan(largerOf(y, x), y); }

Number abs(Number x) { return x.make<LLVM::FAbsOp>(x); }
Number sqrt(Number x) { return x.make<LLVM::SqrtOp>(x); }
Number copySign(Number magnitude, Number sign) { return magnitude.make<LLVM::CopySignOp>(magnitude, sign); }
Number multiplyAdd(Number x, Number y, Number z) { return x.e().target.fma ? x.make<LLVM::FMAOp>(x, y, z) : x * y + z; }
Number polynomial(Number x, ArrayRef<double> coefficients) {
  Number result = x.constant(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    result = multiplyAdd(result, x, c);
  return result;
}

Number bitsOf(Number x) { return x.make<arith::BitcastOp>(x.e().shaped(x.e().b.getIntegerType(x.bits())), x); }
Number asFloat(Number bits) {
  auto &b = bits.e().b;
  return bits.make<arith::BitcastOp>(bits.e().shaped(bits.bits() == 64 ? Type(b.getF64Type()) : b.getF32Type()), bits);
}
Number widened(Number x) { return x.make<arith::ExtFOp>(x.e().shaped(x.e().b.getF64Type()), Value(x)); }
Number narrowed(Number x) { return x.make<arith::TruncFOp>(x.e().shaped(x.e().b.getF32Type()), Value(x)); }
Number resized(Number x, unsigned bits, bool isSigned) {
  Type to = x.e().shaped(x.e().b.getIntegerType(bits));
  if (bits == x.bits())
    return x;
  if (bits < x.bits())
    return x.make<arith::TruncIOp>(to, x);
  return isSigned ? x.make<arith::ExtSIOp>(to, x) : x.make<arith::ExtUIOp>(to, x);
}
Number toFloat(Number x, Type element, bool isSigned) {
  Type to = x.e().shaped(element);
  return isSigned ? x.make<arith::SIToFPOp>(to, x) : x.make<arith::UIToFPOp>(to, x);
}
Number toInteger(Number x, unsigned bits, bool isSigned) {
  Type to = x.e().shaped(x.e().b.getIntegerType(bits));
  return isSigned ? x.make<arith::FPToSIOp>(to, x) : x.make<arith::FPToUIOp>(to, x);
}

Value any(Number mask) {
  auto vector = dyn_cast<VectorType>(mask.type());
  if (!vector)
    return mask;
  auto &b = mask.e().b;
  Type bits = b.getIntegerType(static_cast<unsigned>(vector.getNumElements()));
  Value packed = b.create<vector::BitCastOp>(mask.e().loc, VectorType::get({1}, bits), mask);
  packed = b.create<vector::ExtractOp>(mask.e().loc, packed, 0);
  return b.create<arith::CmpIOp>(mask.e().loc, arith::CmpIPredicate::ne, packed,
                                 b.create<arith::ConstantOp>(mask.e().loc, b.getIntegerAttr(bits, 0)));
}

} // namespace pliant::codegen
