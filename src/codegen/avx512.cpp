// SPDX-License-Identifier: Apache-2.0
// AVX-512 instructions by their LLVM intrinsics, register by register.
#include "codegen/avx512.h"

using namespace mlir;

namespace pliant::codegen {

bool hasAvx512(Number x) {
  const int64_t lanes = x.e().lanes, bits = lanes * x.bits();
  const TargetDescription &target = x.e().target;
  return lanes && x.isFloat() && target.has("avx512f") &&
         (bits % 512 == 0 || ((bits == 256 || bits == 128) && target.has("avx512vl")));
}

/// llvm.x86.avx512.mask.NAME.p{s,d}.BITS on each register of a and b; `rest` adds the operands after them.
static Number onRegisters(const char *name, Number a, Number b, llvm::function_ref<void(Values &, VectorType)> rest) {
  OpBuilder &builder = a.e().b;
  const Location loc = a.e().loc;
  const int64_t lanes = cast<VectorType>(a.type()).getNumElements();
  const int64_t part = std::min<int64_t>(lanes, 512 / a.bits());
  const auto bits = static_cast<unsigned>(part) * a.bits();
  auto type = VectorType::get({part}, a.element());
  const std::string intrinsic =
      std::string("llvm.x86.avx512.mask.") + name + (a.isF64() ? ".pd." : ".ps.") + std::to_string(bits);
  Value result = a;
  for (int64_t at = 0; at < lanes; at += part) {
    auto piece = [&](Value v) -> Value {
      return part == lanes ? v : Value(builder.create<vector::ExtractStridedSliceOp>(loc, v, at, part, int64_t(1)));
    };
    Values arguments{piece(a), piece(b)};
    rest(arguments, type);
    Type maskType = builder.getIntegerType(static_cast<unsigned>(std::max<int64_t>(part, 8)));
    arguments.push_back(builder.create<arith::ConstantOp>(loc, builder.getIntegerAttr(maskType, -1)));
    if (bits == 512) // the rounding mode is the current one
      arguments.push_back(builder.create<LLVM::ConstantOp>(loc, builder.getI32Type(), builder.getI32IntegerAttr(4)));
    Value done =
        builder.create<LLVM::CallIntrinsicOp>(loc, type, builder.getStringAttr(intrinsic), arguments).getResult(0);
    result =
        part == lanes ? done : Value(builder.create<vector::InsertStridedSliceOp>(loc, done, result, at, int64_t(1)));
  }
  return {a.e(), result};
}

Number scalef(Number x, Number n) {
  return onRegisters("scalef", x, n, [](Values &arguments, VectorType) { arguments.push_back(arguments[0]); });
}

Number orNan(Number x, Number y) {
  return onRegisters("fixupimm", x, y, [&](Values &arguments, VectorType type) {
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
