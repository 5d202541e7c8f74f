// SPDX-License-Identifier: Apache-2.0
// Scalars and vectors under construction with the operators of numbers: what emitters of formulas are written in.
// Floats: + - * / < ...; integers: wrapping, comparisons signed, >> arithmetic; masks (i1): & | ^ !.
#pragma once
#include "codegen/emit.h"

namespace pliant::codegen {

class Number {
public:
  Number(const PointEmitter &e, Value v) : at(&e), v(v) {}
  operator Value() const { return v; }
  const PointEmitter &e() const { return *at; }
  Type type() const { return v.getType(); }
  Type element() const { return mlir::getElementTypeOrSelf(type()); }
  unsigned bits() const { return element().getIntOrFloatBitWidth(); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(element()); }
  bool isF64() const { return element().isF64(); }
  /// A constant of this type.
  Number constant(double value) const { return {*at, at->constantLike(v, value)}; }
  Number integer(int64_t value) const; ///< wraps
  template <class Op, class... Args> Number make(Args &&...args) const {
    return {*at, at->b.create<Op>(at->loc, std::forward<Args>(args)...)};
  }

private:
  const PointEmitter *at;
  Value v;
};

Number operator+(Number x, Number y);
Number operator-(Number x, Number y);
Number operator*(Number x, Number y);
Number operator/(Number x, Number y); ///< floats
Number operator-(Number x);
Number operator&(Number x, Number y);
Number operator|(Number x, Number y);
Number operator^(Number x, Number y);
Number operator!(Number mask);
Number operator<(Number x, Number y); // false where NaN
Number operator<=(Number x, Number y);
Number operator==(Number x, Number y);
Number operator!=(Number x, Number y); // true where NaN
inline Number operator>(Number x, Number y) { return y < x; }
inline Number operator>=(Number x, Number y) { return y <= x; }

inline Number operator+(Number x, double y) { return x + x.constant(y); }
inline Number operator-(Number x, double y) { return x - x.constant(y); }
inline Number operator*(Number x, double y) { return x * x.constant(y); }
inline Number operator/(double x, Number y) { return y.constant(x) / y; }
inline Number operator-(double x, Number y) { return y.constant(x) - y; }
inline Number operator<(Number x, double y) { return x < x.constant(y); }
inline Number operator<=(Number x, double y) { return x <= x.constant(y); }
inline Number operator>(Number x, double y) { return x.constant(y) < x; }
inline Number operator>=(Number x, double y) { return x.constant(y) <= x; }
inline Number operator==(Number x, double y) { return x == x.constant(y); }
inline Number operator!=(Number x, double y) { return x != x.constant(y); }

Number belowUnsigned(Number x, Number y);
Number shiftLeft(Number x, int64_t by);
Number shiftRight(Number x, int64_t by); ///< zeros come in
Number shiftRightSigned(Number x, int64_t by);
Number select(Number mask, Number yes, Number no);
inline Number select(Number mask, double yes, Number no) { return select(mask, no.constant(yes), no); }
inline Number select(Number mask, Number yes, double no) { return select(mask, yes, yes.constant(no)); }
Number isNan(Number x);
/// The smaller one; the second where either is NaN. One instruction.
Number least(Number x, Number y);
Number greatest(Number x, Number y);
/// NaN if either is; of equal ones (-0 and 0) the first. Two instructions with AVX-512, else three.
Number leastNan(Number x, Number y);
Number greatestNan(Number x, Number y);

Number abs(Number x);
Number sqrt(Number x);
Number copySign(Number magnitude, Number sign);
/// x * y + z, in one rounding where the target can.
Number multiplyAdd(Number x, Number y, Number z);
inline Number multiplyAdd(Number x, Number y, double z) { return multiplyAdd(x, y, x.constant(z)); }
inline Number multiplyAdd(Number x, double y, Number z) { return multiplyAdd(x, x.constant(y), z); }
inline Number multiplyAdd(Number x, double y, double z) { return multiplyAdd(x, x.constant(y), x.constant(z)); }
/// Lowest power first.
Number polynomial(Number x, llvm::ArrayRef<double> coefficients);

Number bitsOf(Number x);                                ///< as an integer of the same width
Number asFloat(Number bits);                            ///< the float of the same width
Number widened(Number x);                               ///< f32 to f64
Number narrowed(Number x);                              ///< f64 to f32
Number resized(Number x, unsigned bits, bool isSigned); ///< integers
Number toFloat(Number x, Type element, bool isSigned);
Number toInteger(Number x, unsigned bits, bool isSigned); ///< towards zero; x must be in range
/// i1: does the mask hold in any lane?
Value any(Number mask);

} // namespace pliant::codegen
