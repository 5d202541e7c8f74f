// SPDX-License-Identifier: Apache-2.0
// Elements between memory and the types they are computed in.
#include "codegen/memory.h"

using namespace mlir;

namespace pliant::codegen {

Type memoryType(MLIRContext *context, DType type) {
  switch (type) {
  case DType::F32:
    return Float32Type::get(context);
  case DType::F64:
    return Float64Type::get(context);
  default:
    return IntegerType::get(context, static_cast<unsigned>(byteSize(type)) * 8);
  }
}

DType movedAs(DType type) {
  switch (byteSize(type)) {
  case 8:
    return DType::U64;
  case 4:
    return DType::U32;
  case 2:
    return DType::U16;
  default:
    return DType::U8;
  }
}

Value widenedHalf(OpBuilder &b, Location loc, Value raw, DType type, bool hardware) {
  auto shaped = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(raw.getType());
    return vector ? VectorType::get(vector.getShape(), element) : element;
  };
  Type floats = shaped(b.getF32Type()), integers = shaped(b.getI32Type());
  if (type == DType::F16 && hardware) {
    Value half = b.create<arith::BitcastOp>(loc, shaped(b.getF16Type()), raw);
    return b.create<arith::ExtFOp>(loc, floats, half);
  }
  auto constant = [&](TypedAttr scalar, Type type) -> Value {
    if (auto vector = dyn_cast<VectorType>(type))
      return b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(vector, Attribute(scalar)));
    return b.create<arith::ConstantOp>(loc, scalar);
  };
  auto c = [&](int64_t v) { return constant(b.getI32IntegerAttr(static_cast<int32_t>(v)), integers); };
  Value wide = b.create<arith::ExtUIOp>(loc, integers, raw);
  if (type == DType::BF16)
    return b.create<arith::BitcastOp>(loc, floats, b.create<arith::ShLIOp>(loc, wide, c(16)));
  // Exponent rebias by a multiplication, exact for denormals too; infinity and NaN get all exponent bits.
  Value sign = b.create<arith::ShLIOp>(loc, b.create<arith::AndIOp>(loc, wide, c(0x8000)), c(16));
  Value rest = b.create<arith::ShLIOp>(loc, b.create<arith::AndIOp>(loc, wide, c(0x7fff)), c(13));
  Value scaled = b.create<arith::MulFOp>(loc, b.create<arith::BitcastOp>(loc, floats, rest),
                                         constant(b.getF32FloatAttr(5.192296858534828e+33f), floats)); // 2^112
  Value scaledBits = b.create<arith::BitcastOp>(loc, integers, scaled);
  Value special = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, rest, c(0x0f800000));
  Value specialBits = b.create<arith::OrIOp>(loc, rest, c(0x7f800000));
  Value bits = b.create<arith::OrIOp>(loc, b.create<arith::SelectOp>(loc, special, specialBits, scaledBits), sign);
  return b.create<arith::BitcastOp>(loc, floats, bits);
}

Value fromMemory(const PointEmitter &p, Value raw, DType type) {
  if (type == DType::Bool)
    return p.b.create<arith::CmpIOp>(p.loc, arith::CmpIPredicate::ne, raw, p.constantLike(raw, 0));
  if (type == DType::F16 || type == DType::BF16)
    return widenedHalf(p.b, p.loc, raw, type, p.target.has("f16c"));
  return raw;
}

Value toMemory(const PointEmitter &p, Value value, DType type) {
  Type memory = p.shaped(memoryType(p.b.getContext(), type));
  if (type == DType::Bool)
    return p.b.create<arith::ExtUIOp>(p.loc, memory, value);
  if (type != DType::F16 && type != DType::BF16)
    return value;
  if (type == DType::F16 && p.target.has("f16c"))
    return p.b.create<arith::BitcastOp>(
        p.loc, memory, p.b.create<arith::TruncFOp>(p.loc, p.shaped(p.b.getF16Type()), value)); // rounded already
  Value bits = p.b.create<arith::BitcastOp>(p.loc, p.shaped(p.b.getI32Type()), value);         // already rounded
  auto c = [&](int64_t v) { return p.integer(DType::I32, v); };
  Value high = p.b.create<arith::ShRUIOp>(p.loc, bits, c(16));
  if (type == DType::F16) {
    Value sign = p.b.create<arith::AndIOp>(p.loc, high, c(0x8000));
    Value magnitude = p.b.create<arith::AndIOp>(p.loc, bits, c(0x7fffffff));
    Value floats = p.b.create<arith::BitcastOp>(p.loc, p.shaped(p.b.getF32Type()), magnitude);
    Value scaled = p.b.create<arith::MulFOp>(p.loc, floats, p.constant(DType::F32, 1.925929944387236e-34)); // 2^-112
    Value scaledBits = p.b.create<arith::BitcastOp>(p.loc, p.shaped(p.b.getI32Type()), scaled);
    Value special = p.b.create<arith::CmpIOp>(p.loc, arith::CmpIPredicate::uge, magnitude, c(0x7f800000));
    Value quiet = p.b.create<arith::CmpIOp>(p.loc, arith::CmpIPredicate::ugt, magnitude, c(0x7f800000));
    Value specialBits = p.select(quiet, c(0x7e00 << 13), c(0x7c00 << 13));
    Value half = p.b.create<arith::ShRUIOp>(p.loc, p.select(special, specialBits, scaledBits), c(13));
    high = p.b.create<arith::OrIOp>(p.loc, half, sign);
  }
  return p.b.create<arith::TruncIOp>(p.loc, memory, high);
}

static unsigned alignOf(DType type) { return static_cast<unsigned>(byteSize(type)); }
static Value zeroOf(const PointEmitter &p, Type type) {
  return p.b.create<arith::ConstantOp>(p.loc, p.b.getZeroAttr(type));
}

Value loadElements(const PointEmitter &p, Emitter &e, Value pointer, DType type, Value offset) {
  Type scalar = memoryType(p.b.getContext(), type), memory = p.shaped(scalar);
  Value at = e.atType(scalar, pointer, offset);
  if (p.lanes && p.mask)
    return fromMemory(
        p, p.b.create<LLVM::MaskedLoadOp>(p.loc, memory, at, p.mask, ValueRange{zeroOf(p, memory)}, alignOf(type)),
        type);
  return fromMemory(p, p.b.create<LLVM::LoadOp>(p.loc, memory, at, alignOf(type)), type);
}

void storeElements(const PointEmitter &p, Emitter &e, Value value, Value pointer, DType type, Value offset) {
  Value raw = toMemory(p, p.splat(value), type), at = e.atType(memoryType(p.b.getContext(), type), pointer, offset);
  if (p.lanes && p.mask)
    p.b.create<LLVM::MaskedStoreOp>(p.loc, raw, at, p.mask, alignOf(type));
  else
    p.b.create<LLVM::StoreOp>(p.loc, raw, at, alignOf(type));
}

/// Addresses of a vector of offsets, and the mask of the active lanes.
static std::pair<Value, Value> scattered(const PointEmitter &p, Emitter &e, Value pointer, DType type, Value offsets) {
  Type pointers = LLVM::getFixedVectorType(e.pointerType(), static_cast<unsigned>(p.lanes));
  Value at = p.b.create<LLVM::GEPOp>(p.loc, pointers, memoryType(p.b.getContext(), type), pointer,
                                     ArrayRef<LLVM::GEPArg>{offsets});
  Value mask = p.mask;
  if (!mask)
    mask =
        p.b.create<arith::ConstantOp>(p.loc, DenseElementsAttr::get(VectorType::get({p.lanes}, p.b.getI1Type()), true));
  return {at, mask};
}

Value gatherElements(const PointEmitter &p, Emitter &e, Value pointer, DType type, Value offsets) {
  Type memory = p.shaped(memoryType(p.b.getContext(), type));
  auto [at, mask] = scattered(p, e, pointer, type, offsets);
  return fromMemory(
      p, p.b.create<LLVM::masked_gather>(p.loc, memory, at, mask, ValueRange{zeroOf(p, memory)}, alignOf(type)), type);
}

void scatterElements(const PointEmitter &p, Emitter &e, Value value, Value pointer, DType type, Value offsets) {
  auto [at, mask] = scattered(p, e, pointer, type, offsets);
  p.b.create<LLVM::masked_scatter>(p.loc, toMemory(p, p.splat(value), type), at, mask, alignOf(type));
}

} // namespace pliant::codegen
