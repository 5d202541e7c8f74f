// SPDX-License-Identifier: Apache-2.0
// Short names for the operations the contraction emitters build.
#include "codegen/contraction/emitter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace pliant::codegen {

Emitter::Emitter(OpBuilder &b, Location loc, DType dtype, int64_t lanes, bool fused)
    : b(b), loc(loc), element(dtype == DType::F64   ? Type(b.getF64Type())
                              : dtype == DType::I32 ? Type(b.getI32Type())
                                                    : Type(b.getF32Type())),
      lanes(lanes), fused(fused), elementBytes(static_cast<int64_t>(byteSize(dtype))) {}

bool Emitter::isConstant(Value v, int64_t value) const { return getConstantIntValue(v) == value; }

Value Emitter::idx(int64_t value) { return b.create<arith::ConstantIndexOp>(loc, value); }

Value Emitter::add(Value x, Value y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return idx(*cx + *cy);
  if (cx == 0)
    return y;
  return cy == 0 ? x : b.create<arith::AddIOp>(loc, x, y);
}
Value Emitter::sub(Value x, Value y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return idx(*cx - *cy);
  return cy == 0 ? x : b.create<arith::SubIOp>(loc, x, y);
}
Value Emitter::mul(Value x, Value y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy)
    return idx(*cx * *cy);
  if (cx == 0 || cy == 0)
    return idx(0);
  if (cx == 1)
    return y;
  return cy == 1 ? x : b.create<arith::MulIOp>(loc, x, y);
}
Value Emitter::div(Value x, Value y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy && *cx >= 0 && *cy > 0)
    return idx(*cx / *cy);
  return cy == 1 ? x : b.create<arith::DivUIOp>(loc, x, y);
}
Value Emitter::rem(Value x, Value y) {
  auto cx = getConstantIntValue(x), cy = getConstantIntValue(y);
  if (cx && cy && *cx >= 0 && *cy > 0)
    return idx(*cx % *cy);
  return cy == 1 ? idx(0) : b.create<arith::RemUIOp>(loc, x, y);
}
Value Emitter::min(Value x, Value y) { return b.create<arith::MinSIOp>(loc, x, y); }
Value Emitter::max(Value x, Value y) { return b.create<arith::MaxSIOp>(loc, x, y); }
// A constant stands on the right: MLIR 19's conversions fold a comparison by swapping its operands in place, which can
// leave it with an operand of another op.
static Value compare(Emitter &e, arith::CmpIPredicate predicate, arith::CmpIPredicate swapped, Value x, Value y) {
  if (getConstantIntValue(x) && !getConstantIntValue(y))
    return e.b.create<arith::CmpIOp>(e.loc, swapped, y, x);
  return e.b.create<arith::CmpIOp>(e.loc, predicate, x, y);
}
Value Emitter::less(Value x, Value y) {
  return compare(*this, arith::CmpIPredicate::slt, arith::CmpIPredicate::sgt, x, y);
}
Value Emitter::lessEqual(Value x, Value y) {
  return compare(*this, arith::CmpIPredicate::sle, arith::CmpIPredicate::sge, x, y);
}
Value Emitter::equal(Value x, Value y) {
  return compare(*this, arith::CmpIPredicate::eq, arith::CmpIPredicate::eq, x, y);
}
Value Emitter::both(Value x, Value y) { return b.create<arith::AndIOp>(loc, x, y); }
Value Emitter::either(Value x, Value y) { return b.create<arith::OrIOp>(loc, x, y); }
Value Emitter::select(Value condition, Value x, Value y) {
  return x == y ? x : b.create<arith::SelectOp>(loc, condition, x, y);
}

Value Emitter::i64(Value index) { return b.create<arith::IndexCastOp>(loc, b.getI64Type(), index); }
Value Emitter::atType(Type type, Value pointer, Value offset) {
  if (auto constant = getConstantIntValue(offset); constant && std::abs(*constant) < (1 << 30))
    return *constant == 0 ? pointer
                          : b.create<LLVM::GEPOp>(loc, pointerType(), type, pointer,
                                                  ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(*constant)});
  return b.create<LLVM::GEPOp>(loc, pointerType(), type, pointer, ArrayRef<LLVM::GEPArg>{i64(offset)});
}
Value Emitter::at(Value pointer, Value offset) { return atType(element, pointer, offset); }
Value Emitter::at(Value pointer, int64_t offset) { return at(pointer, idx(offset)); }
Value Emitter::load(Type type, Value pointer) {
  return b.create<LLVM::LoadOp>(loc, type, pointer, static_cast<unsigned>(elementBytes));
}
void Emitter::store(Value value, Value pointer) {
  b.create<LLVM::StoreOp>(loc, value, pointer, static_cast<unsigned>(elementBytes));
}
Value Emitter::maskFor(Value count) {
  // By hand: vector.create_mask of a count that folds during conversion is miscompiled by MLIR 19 (an index compared
  // with a vector). Clamped first, because lanes are compared in 32 bits.
  Value clamped = max(min(count, idx(lanes)), idx(0));
  auto type = VectorType::get({lanes}, b.getI32Type());
  llvm::SmallVector<int32_t> numbers;
  for (int64_t i = 0; i < lanes; ++i)
    numbers.push_back(static_cast<int32_t>(i));
  Value lane = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, llvm::ArrayRef(numbers)));
  Value bound = b.create<vector::SplatOp>(loc, type, b.create<arith::IndexCastOp>(loc, b.getI32Type(), clamped));
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lane, bound);
}
Value Emitter::loadMasked(Value pointer, Value mask) {
  return b.create<LLVM::MaskedLoadOp>(loc, vectorType(), pointer, mask, ValueRange{zeroVector()},
                                      static_cast<unsigned>(elementBytes));
}
void Emitter::storeMasked(Value value, Value pointer, Value mask) {
  b.create<LLVM::MaskedStoreOp>(loc, value, pointer, mask, static_cast<unsigned>(elementBytes));
}
Value Emitter::loadIndex(Value pointer, Value slot) {
  Value raw = b.create<LLVM::LoadOp>(loc, b.getI64Type(), atType(b.getI64Type(), pointer, slot), 8);
  return b.create<arith::IndexCastOp>(loc, b.getIndexType(), raw);
}
void Emitter::storeIndex(Value value, Value pointer, Value slot) {
  b.create<LLVM::StoreOp>(loc, i64(value), atType(b.getI64Type(), pointer, slot), 8);
}
Value Emitter::loadPointer(Value pointer, Value slot) {
  return b.create<LLVM::LoadOp>(loc, pointerType(), atType(b.getI64Type(), pointer, slot), 8);
}
void Emitter::storePointer(Value value, Value pointer, Value slot) {
  b.create<LLVM::StoreOp>(loc, value, atType(b.getI64Type(), pointer, slot), 8);
}
void Emitter::prefetch(Value pointer, int locality, bool write) {
  b.create<LLVM::Prefetch>(loc, pointer, /*rw=*/write ? 1u : 0u, static_cast<unsigned>(locality), /*cache=*/1u);
}
Value Emitter::stack(int64_t bytes) {
  auto function = b.getInsertionBlock()->getParentOp();
  while (function && !isa<FunctionOpInterface>(function))
    function = function->getParentOp();
  OpBuilder::InsertionGuard guard(b);
  if (function)
    b.setInsertionPointToStart(&cast<FunctionOpInterface>(function).getFunctionBody().front());
  Value size = b.create<LLVM::ConstantOp>(loc, b.getI64Type(), b.getI64IntegerAttr(bytes));
  return b.create<LLVM::AllocaOp>(loc, pointerType(), b.getI8Type(), size, 64);
}

void Emitter::outOfLine(llvm::function_ref<void()> body) {
  auto region = b.create<scf::ExecuteRegionOp>(loc, TypeRange{});
  region->setAttr("out_of_line", b.getUnitAttr()); // lowering moves it: enclosing loops are still being built here
  b.createBlock(&region.getRegion());
  body();
  b.create<scf::YieldOp>(loc);
  b.setInsertionPointAfter(region);
}

Value Emitter::zeroVector() { return b.create<arith::ConstantOp>(loc, vectorType(), b.getZeroAttr(vectorType())); }
Value Emitter::splat(Value scalar) { return b.create<vector::SplatOp>(loc, vectorType(), scalar); }
Value Emitter::multiplyAdd(Value x, Value y, Value acc) {
  if (fused)
    return b.create<LLVM::FMAOp>(loc, x, y, acc);
  return b.create<arith::AddFOp>(loc, b.create<arith::MulFOp>(loc, x, y), acc);
}

Values Emitter::pinned(ValueRange values) {
  std::string results, operands;
  for (auto [i, value] : llvm::enumerate(values)) {
    results += isa<VectorType>(value.getType()) ? lanes * elementBytes >= 64 ? "=v," : "=x," : "=r,";
    operands += std::to_string(i) + ",";
  }
  // With one result the type is its own, otherwise a struct.
  Type type = values.size() == 1 ? values[0].getType()
                                 : LLVM::LLVMStructType::getLiteral(b.getContext(), llvm::to_vector(values.getTypes()));
  auto made = b.create<LLVM::InlineAsmOp>(
      loc, TypeRange{type}, values, "", results + operands + "~{memory}", /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr());
  if (values.size() == 1)
    return {made.getResult(0)};
  Values out;
  for (size_t i = 0; i < values.size(); ++i)
    out.push_back(b.create<LLVM::ExtractValueOp>(loc, made.getResult(0), static_cast<int64_t>(i)));
  return out;
}

void Emitter::loop(Value lo, Value hi, Value step, llvm::function_ref<void(Value)> body) {
  b.create<scf::ForOp>(loc, lo, hi, step, ValueRange{}, [&](OpBuilder &, Location, Value iv, ValueRange) {
    body(iv);
    b.create<scf::YieldOp>(loc);
  });
}
Values Emitter::loop(Value lo, Value hi, Value step, ValueRange init,
                     llvm::function_ref<Values(Value, ValueRange)> body) {
  auto op = b.create<scf::ForOp>(loc, lo, hi, step, init, [&](OpBuilder &, Location, Value iv, ValueRange args) {
    b.create<scf::YieldOp>(loc, body(iv, args));
  });
  return Values(op.getResults());
}
void Emitter::advance(Value lo, Value hi, llvm::function_ref<Value(Value)> next) {
  b.create<scf::WhileOp>(
      loc, TypeRange{b.getIndexType()}, ValueRange{lo},
      [&](OpBuilder &, Location, ValueRange args) { b.create<scf::ConditionOp>(loc, less(args[0], hi), args); },
      [&](OpBuilder &, Location, ValueRange args) { b.create<scf::YieldOp>(loc, ValueRange{next(args[0])}); });
}
void Emitter::when(Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise) {
  auto region = [&](llvm::function_ref<void()> body) {
    return [this, body](OpBuilder &, Location) {
      body();
      b.create<scf::YieldOp>(loc);
    };
  };
  if (otherwise)
    b.create<scf::IfOp>(loc, condition, region(then), region(otherwise));
  else
    b.create<scf::IfOp>(loc, condition, region(then));
}
Values Emitter::choose(Value condition, llvm::function_ref<Values()> then, llvm::function_ref<Values()> otherwise) {
  auto op = b.create<scf::IfOp>(
      loc, condition, [&](OpBuilder &, Location) { b.create<scf::YieldOp>(loc, then()); },
      [&](OpBuilder &, Location) { b.create<scf::YieldOp>(loc, otherwise()); });
  return Values(op.getResults());
}

} // namespace pliant::codegen
