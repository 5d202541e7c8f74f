// SPDX-License-Identifier: Apache-2.0
// Instructions by their LLVM intrinsics, register by register.
#include "codegen/x86.h"

using namespace mlir;

namespace pliant::codegen {

bool hasAvx512(Number x) {
  const int64_t lanes = x.e().lanes, bits = lanes * x.bits();
  const TargetDescription &target = x.e().target;
  return lanes && x.isFloat() && target.has("avx512f") &&
         (bits % 512 == 0 || ((bits == 256 || bits == 128) && target.has("avx512vl")));
}

/// `make` of each register of a and b, which have so many lanes.
static Number onRegisters(Number a, Number b, int64_t width, llvm::function_ref<Value(Value, Value, VectorType)> make) {
  OpBuilder &builder = a.e().b;
  const Location loc = a.e().loc;
  const int64_t lanes = cast<VectorType>(a.type()).getNumElements(), part = std::min(lanes, width);
  auto type = VectorType::get({part}, a.element());
  Value result = a;
  for (int64_t at = 0; at < lanes; at += part) {
    auto piece = [&](Value v) -> Value {
      return part == lanes ? v : Value(builder.create<vector::ExtractStridedSliceOp>(loc, v, at, part, int64_t(1)));
    };
    Value done = make(piece(a), piece(b), type);
    result =
        part == lanes ? done : Value(builder.create<vector::InsertStridedSliceOp>(loc, done, result, at, int64_t(1)));
  }
  return {a.e(), result};
}

static Value intrinsic(const PointEmitter &e, const std::string &name, Type type, ValueRange arguments) {
  return e.b.create<LLVM::CallIntrinsicOp>(e.loc, type, e.b.getStringAttr(name), arguments).getResult(0);
}

/// llvm.x86.{avx,sse,sse2}.NAME.p{s,d}, or the select.
static Number chosen(const char *name, arith::CmpFPredicate order, Number x, Number y) {
  const int64_t lanes = x.e().lanes, bits = lanes * x.bits();
  // With registers of 512 bits the select is taken as it is.
  if (!x.isFloat() || !lanes || bits % 128 != 0 || hasAvx512(x))
    return select({x.e(), x.make<arith::CmpFOp>(order, x, y)}, x, y);
  const bool avx = bits % 256 == 0 && x.e().target.has("avx");
  const std::string suffix = std::string(name) + (x.isF64() ? ".pd" : ".ps");
  const std::string called =
      avx ? "llvm.x86.avx." + suffix + ".256" : (x.isF64() ? "llvm.x86.sse2." : "llvm.x86.sse.") + suffix;
  return onRegisters(x, y, (avx ? 256 : 128) / x.bits(),
                     [&](Value a, Value b, VectorType type) { return intrinsic(x.e(), called, type, {a, b}); });
}
Number largerOf(Number x, Number y) { return chosen("max", arith::CmpFPredicate::OGT, x, y); }
Number smallerOf(Number x, Number y) { return chosen("min", arith::CmpFPredicate::OLT, x, y); }

/// llvm.x86.avx512.mask.NAME.p{s,d}.BITS on each register of a and b; `rest` adds the operands after them.
static Number onMasked(const char *name, Number a, Number b, llvm::function_ref<void(Values &, VectorType)> rest) {
  return onRegisters(a, b, 512 / a.bits(), [&](Value x, Value y, VectorType type) {
    OpBuilder &builder = a.e().b;
    const int64_t lanes = type.getNumElements();
    const auto bits = static_cast<unsigned>(lanes) * a.bits();
    Values arguments{x, y};
    rest(arguments, type);
    Type maskType = builder.getIntegerType(static_cast<unsigned>(std::max<int64_t>(lanes, 8)));
    arguments.push_back(builder.create<arith::ConstantOp>(a.e().loc, builder.getIntegerAttr(maskType, -1)));
    if (bits == 512) // the rounding mode is the current one
      arguments.push_back(
          builder.create<LLVM::ConstantOp>(a.e().loc, builder.getI32Type(), builder.getI32IntegerAttr(4)));
    return intrinsic(a.e(),
                     std::string("llvm.x86.avx512.mask.") + name + (a.isF64() ? ".pd." : ".ps.") + std::to_string(bits),
                     type, arguments);
  });
}

Number scalef(Number x, Number n) {
  return onMasked("scalef", x, n, [](Values &arguments, VectorType) { arguments.push_back(arguments[0]); });
}

Number orNan(Number x, Number y) {
  return onMasked("fixupimm", x, y, [&](Values &arguments, VectorType type) {
    OpBuilder &b = x.e().b;
    // Four bits per kind of number, quiet and signalling NaN the lowest: 1 takes y, 0 keeps x.
    Type integer = b.getIntegerType(x.bits());
    auto table =
        DenseElementsAttr::get(VectorType::get(type.getShape(), integer), Attribute(b.getIntegerAttr(integer, 0x11)));
    arguments.push_back(b.create<arith::ConstantOp>(x.e().loc, table));
    arguments.push_back(b.create<LLVM::ConstantOp>(x.e().loc, b.getI32Type(), b.getI32IntegerAttr(0)));
  });
}

} // namespace pliant::codegen
