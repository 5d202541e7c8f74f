// SPDX-License-Identifier: Apache-2.0
// Constants, rounding and faults for emitters.
#include "codegen/emit.h"
#include "codegen/number.h"

using namespace mlir;

namespace pliant::codegen {

Type computeType(MLIRContext *context, DType type) {
  switch (type) {
  case DType::F32:
  case DType::F16:
  case DType::BF16:
    return Float32Type::get(context);
  case DType::F64:
    return Float64Type::get(context);
  case DType::Bool:
    return IntegerType::get(context, 1);
  default:
    return IntegerType::get(context, static_cast<unsigned>(byteSize(type)) * 8);
  }
}

static Value constantOf(const PointEmitter &e, Type type, TypedAttr scalar) {
  if (auto vector = dyn_cast<VectorType>(type))
    return e.b.create<arith::ConstantOp>(e.loc, DenseElementsAttr::get(vector, Attribute(scalar)));
  return e.b.create<arith::ConstantOp>(e.loc, scalar);
}

Value PointEmitter::constantLike(Value like, double value) const {
  Type element = getElementTypeOrSelf(like.getType());
  if (isa<FloatType>(element))
    return constantOf(*this, like.getType(), b.getFloatAttr(element, value));
  return constantOf(*this, like.getType(), b.getIntegerAttr(element, static_cast<int64_t>(value)));
}
Value PointEmitter::constant(DType type, double value) const {
  if (!isFloat(type))
    return integer(type, static_cast<int64_t>(value));
  Type element = computeType(b.getContext(), type);
  return constantOf(*this, shaped(element), b.getFloatAttr(element, value));
}
Value PointEmitter::integer(DType type, int64_t value) const {
  auto element = cast<IntegerType>(computeType(b.getContext(), type));
  APInt bits(64, static_cast<uint64_t>(value), true);
  return constantOf(*this, shaped(element), b.getIntegerAttr(element, bits.zextOrTrunc(element.getWidth())));
}
Value PointEmitter::splat(Value scalar) const {
  if (!lanes || isa<VectorType>(scalar.getType()))
    return scalar;
  return b.create<vector::SplatOp>(loc, shaped(scalar.getType()), scalar);
}
Value PointEmitter::select(Value condition, Value yes, Value no) const {
  return b.create<arith::SelectOp>(loc, condition, yes, no);
}

// A NaN that stays one when its low bits are cut off.
static Number keptNan(Number bits) { return bits | bits.integer(0x00400000); }

// Round to nearest even by adding half of the dropped part, on the bits: the hardware conversion flushes denormals.
static Number roundBf16(Number x) {
  Number bits = bitsOf(x);
  Number odd = shiftRight(bits, 16) & bits.integer(1);
  Number near = bits + (odd + bits.integer(0x7fff)); // carries into the exponent, up to infinity, as it should
  return asFloat(select(isNan(x), keptNan(bits), near) & bits.integer(0xffff0000));
}

// The value that f16 holds, still as f32: add and take away a power of two so that the sum's last bit is f16's last
// bit.
static Number roundF16(Number x) {
  Number bits = bitsOf(x), sign = bits & bits.integer(0x80000000), magnitude = bits ^ sign;
  // Exponent of the last kept bit: that of the value less 10, at least -24; the power is 23 above it.
  Number least = bits.integer(127 - 14), field = shiftRight(magnitude, 23);
  Number power = shiftLeft(select(field < least, least, field) + bits.integer(13), 23);
  Number near = bitsOf((asFloat(magnitude) + asFloat(power)) - asFloat(power));
  // From 65520 on infinity (there the power may have left the range, and with it what `near` means); NaN stays.
  near = select(magnitude >= bits.integer(0x477ff000), bits.integer(0x7f800000), near);
  Number nan = keptNan(magnitude) & bits.integer(0xffffe000);
  return asFloat(select(bits.integer(0x7f800000) < magnitude, nan, near) | sign);
}

// f64 to f32 to 16 bits would round twice: to odd first, so that what was cut off still leaves its trace.
static Number oddF32(Number x) {
  Number narrow = narrowed(x), back = widened(narrow), bits = bitsOf(narrow), one = bits.integer(1);
  Number even = (bits & one) == bits.integer(0);
  Number inexact = (back < x) | (x < back);
  Number towards = select(abs(back) < abs(x), bits + one, bits - one); // the neighbour on the value's side, odd
  return asFloat(select(inexact & even, towards, bits));
}

Value PointEmitter::rounded(Value value, DType type) const {
  if (type != DType::F16 && type != DType::BF16)
    return value;
  Number x(*this, value);
  if (x.isF64())
    x = oddF32(x);
  if (type == DType::F16 && target.has("f16c")) { // to nearest even, denormals too
    Value half = b.create<arith::TruncFOp>(loc, shaped(b.getF16Type()), Value(x));
    return b.create<arith::ExtFOp>(loc, shaped(b.getF32Type()), half);
  }
  return type == DType::F16 ? roundF16(x) : roundBf16(x);
}

void PointEmitter::fault(RunErrorCode code, Value bad, Value value, Value bound) const {
  Type i64 = b.getI64Type();
  if (mask)
    bad = b.create<arith::AndIOp>(loc, bad, mask);
  b.create<scf::IfOp>(loc, any(Number(*this, bad)), [&](OpBuilder &, Location) {
    auto wide = [&](Value v) -> Value {
      if (auto vector = dyn_cast<VectorType>(v.getType())) {
        // The value of the first offending lane.
        Value lane = b.create<vector::ExtractOp>(loc, v, 0);
        for (int64_t i = vector.getNumElements() - 1; i >= 0; --i)
          lane = b.create<arith::SelectOp>(loc, Value(b.create<vector::ExtractOp>(loc, bad, i)),
                                           Value(b.create<vector::ExtractOp>(loc, v, i)), lane);
        v = lane;
      }
      if (v.getType().isIndex())
        return b.create<arith::IndexCastOp>(loc, i64, v);
      return v.getType() == i64 ? v : Value(b.create<arith::ExtSIOp>(loc, i64, v));
    };
    auto at = [&](size_t offset) {
      return b.create<LLVM::GEPOp>(loc, state.getType(), b.getI8Type(), state,
                                   ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    };
    Value first = b.create<LLVM::LoadOp>(loc, i64, at(run_state::errorCode), 8);
    Value unset = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, first,
                                          b.create<arith::ConstantOp>(loc, b.getI64IntegerAttr(0)));
    b.create<scf::IfOp>(loc, unset, [&](OpBuilder &, Location) {
      b.create<LLVM::StoreOp>(loc, b.create<arith::ConstantOp>(loc, b.getI64IntegerAttr(code)),
                              at(run_state::errorCode), 8);
      Value step = b.create<LLVM::LoadOp>(loc, i64, at(run_state::step), 8);
      b.create<LLVM::StoreOp>(loc, step, at(run_state::errorStep), 8);
      b.create<LLVM::StoreOp>(loc, wide(value), at(run_state::errorValue), 8);
      b.create<LLVM::StoreOp>(loc, wide(bound), at(run_state::errorBound), 8);
      b.create<scf::YieldOp>(loc);
    });
    b.create<scf::YieldOp>(loc);
  });
}

void KernelEmitter::inVectors(Value lo, Value hi, int vectors,
                              llvm::function_ref<void(Value, int, const PointEmitter &)> body) {
  Value from = lo;
  for (int64_t n : {static_cast<int64_t>(vectors), int64_t(1)}) {
    if (n == 1 && from != lo && vectors == 1)
      break;
    Value size = idx(n * lanes);
    Value stop = add(from, mul(div(max(sub(hi, from), idx(0)), size), size));
    loop(from, stop, size, [&](Value at) { body(at, static_cast<int>(n), point(lanes)); });
    from = stop;
  }
  when(less(from, hi), [&] { body(from, 1, point(lanes, maskFor(sub(hi, from)))); });
}

} // namespace pliant::codegen
