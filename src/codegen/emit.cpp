// SPDX-License-Identifier: Apache-2.0
// Constants, rounding and faults for emitters.
#include "codegen/emit.h"

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
  return b.create<vector::BroadcastOp>(loc, shaped(scalar.getType()), scalar);
}
Value PointEmitter::select(Value condition, Value yes, Value no) const {
  return b.create<arith::SelectOp>(loc, condition, yes, no);
}

// Round to nearest even by adding half of the dropped part, on the bits: the hardware conversions flush denormals.
static Value roundBf16(const PointEmitter &e, Value value) {
  auto &b = e.b;
  Type ints = e.shaped(b.getI32Type());
  Value bits = b.create<arith::BitcastOp>(e.loc, ints, value);
  auto c = [&](int64_t v) { return e.integer(DType::I32, v); };
  Value odd = b.create<arith::AndIOp>(e.loc, b.create<arith::ShRUIOp>(e.loc, bits, c(16)), c(1));
  Value sum = b.create<arith::AddIOp>(e.loc, bits, b.create<arith::AddIOp>(e.loc, odd, c(0x7fff)));
  Value kept = b.create<arith::AndIOp>(e.loc, sum, c(static_cast<int32_t>(0xffff0000)));
  Value result = b.create<arith::BitcastOp>(e.loc, value.getType(), kept);
  Value nan = b.create<arith::CmpFOp>(e.loc, arith::CmpFPredicate::UNO, value, value);
  return e.select(nan, value, result);
}

// The value that f16 holds, still as f32: add and take away a power of two so that the sum's last bit is f16's last bit.
static Value roundF16(const PointEmitter &e, Value value) {
  auto &b = e.b;
  Type ints = e.shaped(b.getI32Type());
  auto c = [&](int64_t v) { return e.integer(DType::I32, v); };
  Value bits = b.create<arith::BitcastOp>(e.loc, ints, value);
  Value sign = b.create<arith::AndIOp>(e.loc, bits, c(static_cast<int32_t>(0x80000000)));
  Value magnitude = b.create<arith::XOrIOp>(e.loc, bits, sign);
  // Exponent of the last kept bit: that of the value less 10, at least -24; as a float 1.5 * 2^(e+23).
  Value exponent = b.create<arith::MaxSIOp>(e.loc, b.create<arith::ShRUIOp>(e.loc, magnitude, c(23)), c(127 - 14));
  Value magicBits = b.create<arith::AddIOp>(
      e.loc, b.create<arith::ShLIOp>(e.loc, b.create<arith::AddIOp>(e.loc, exponent, c(13)), c(23)), c(0x00400000));
  Value magic = b.create<arith::BitcastOp>(e.loc, value.getType(), magicBits);
  Value positive = b.create<arith::BitcastOp>(e.loc, value.getType(), magnitude);
  Value near = b.create<arith::SubFOp>(e.loc, b.create<arith::AddFOp>(e.loc, positive, magic), magic);
  Value large = b.create<arith::CmpFOp>(e.loc, arith::CmpFPredicate::OGE, near, e.constantLike(near, 65520.0));
  Value infinity = b.create<arith::BitcastOp>(e.loc, value.getType(), c(0x7f800000));
  near = e.select(large, infinity, near);
  Value special = b.create<arith::CmpIOp>(e.loc, arith::CmpIPredicate::uge, magnitude, c(0x7f800000));
  near = e.select(special, positive, near); // infinity and NaN stay
  Value joined = b.create<arith::OrIOp>(e.loc, b.create<arith::BitcastOp>(e.loc, ints, near), sign);
  return b.create<arith::BitcastOp>(e.loc, value.getType(), joined);
}

Value PointEmitter::rounded(Value value, DType type) const {
  if (type != DType::F16 && type != DType::BF16)
    return value;
  if (getElementTypeOrSelf(value.getType()).isF64()) {
    // f64 to f32 to f16 would round twice: round to odd first, so that the sticky bit survives.
    Value narrow = b.create<arith::TruncFOp>(loc, shaped(b.getF32Type()), value);
    Value back = b.create<arith::ExtFOp>(loc, value.getType(), narrow);
    Value bits = b.create<arith::BitcastOp>(loc, shaped(b.getI32Type()), narrow);
    Value inexact = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::ONE, back, value);
    Value even = b.create<arith::CmpIOp>(
        loc, arith::CmpIPredicate::eq,
        b.create<arith::AndIOp>(loc, bits, integer(DType::I32, 1)), integer(DType::I32, 0));
    // The neighbour towards the value, whose last bit is odd.
    Value magnitudeLess = b.create<arith::CmpFOp>(
        loc, arith::CmpFPredicate::OLT, b.create<arith::MulFOp>(loc, back, back),
        b.create<arith::MulFOp>(loc, back, value));
    Value up = b.create<arith::AddIOp>(loc, bits, integer(DType::I32, 1));
    Value down = b.create<arith::SubIOp>(loc, bits, integer(DType::I32, 1));
    Value odd = select(b.create<arith::AndIOp>(loc, inexact, even), select(magnitudeLess, up, down), bits);
    value = b.create<arith::BitcastOp>(loc, narrow.getType(), odd);
  }
  return type == DType::F16 ? roundF16(*this, value) : roundBf16(*this, value);
}

void PointEmitter::fault(RunErrorCode code, Value bad, Value value, Value bound) const {
  Type i64 = b.getI64Type();
  if (mask && lanes)
    bad = b.create<arith::AndIOp>(loc, bad, mask);
  Value any = bad;
  if (lanes) {
    Type bits = b.getIntegerType(static_cast<unsigned>(lanes));
    Value packed = b.create<vector::BitCastOp>(loc, VectorType::get({1}, bits), bad);
    packed = b.create<vector::ExtractOp>(loc, packed, 0);
    any = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, packed,
                                  b.create<arith::ConstantOp>(loc, b.getIntegerAttr(bits, 0)));
  }
  b.create<scf::IfOp>(loc, any, [&](OpBuilder &, Location) {
    auto wide = [&](Value v) -> Value {
      if (auto vector = dyn_cast<VectorType>(v.getType())) {
        // The first offending lane, found without a loop: neutral lanes sink below it in a minimum over lane numbers.
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

} // namespace pliant::codegen
