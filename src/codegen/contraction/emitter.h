// SPDX-License-Identifier: Apache-2.0
// Short names for the operations the contraction emitters build: index arithmetic, loops, raw loads and stores.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "pliant/dtype.h"

namespace pliant::codegen {

using mlir::Location;
using mlir::OpBuilder;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
using Values = llvm::SmallVector<Value>;

struct Emitter {
  OpBuilder &b;
  Location loc;
  Type element;  ///< of operands and results
  int64_t lanes; ///< of one vector
  bool fused;    ///< multiply-add in one rounding
  int64_t elementBytes;
  bool hasF16c = false; ///< an instruction widens f16

  Emitter(OpBuilder &b, Location loc, DType dtype, int64_t lanes, bool fused);

  mlir::VectorType vectorType() const { return mlir::VectorType::get({lanes}, element); }
  Type pointerType() const { return mlir::LLVM::LLVMPointerType::get(b.getContext()); }
  bool isConstant(Value v, int64_t value) const;

  // Index arithmetic on non-negative numbers, with the trivial folds.
  Value idx(int64_t value);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value div(Value x, Value y); ///< unsigned
  Value rem(Value x, Value y); ///< unsigned
  Value min(Value x, Value y); ///< signed
  Value max(Value x, Value y); ///< signed
  Value ceilDiv(Value x, Value y) { return div(add(x, sub(y, idx(1))), y); }
  Value less(Value x, Value y);      ///< signed
  Value lessEqual(Value x, Value y); ///< signed
  Value equal(Value x, Value y);
  Value both(Value x, Value y);
  Value either(Value x, Value y);
  Value select(Value condition, Value x, Value y);

  // Memory. Offsets count elements of the kernel's type.
  Value i64(Value index);
  Value at(Value pointer, Value offset);
  Value at(Value pointer, int64_t offset);
  Value atType(Type type, Value pointer, Value offset);
  Value atByte(Value pointer, Value offset) { return atType(b.getI8Type(), pointer, offset); }
  Value load(Type type, Value pointer);
  Value loadVector(Value pointer) { return load(vectorType(), pointer); }
  void store(Value value, Value pointer);
  Value maskFor(Value count); ///< lanes below `count`, which may exceed the lanes or be negative
  Value loadMasked(Value pointer, Value mask);
  void storeMasked(Value value, Value pointer, Value mask);
  Value loadIndex(Value pointer, Value slot); ///< an array of 64-bit integers
  void storeIndex(Value value, Value pointer, Value slot);
  Value loadPointer(Value pointer, Value slot);
  void storePointer(Value value, Value pointer, Value slot);
  void prefetch(Value pointer, int locality, bool write = false);
  /// Stack memory of the enclosing function, allocated once at its entry.
  Value stack(int64_t bytes);

  /// Emits `body` as a function of its own and a call of it here. What stands in a cold place of a hot loop must not
  /// share its registers: LLVM hoists constants out of all loops and then spills the accumulators.
  void outOfLine(llvm::function_ref<void()> body);

  Value zeroVector();
  Value splat(Value scalar);
  Value multiplyAdd(Value x, Value y, Value acc);

  /// The same values through an instruction that does nothing: they are in registers here, what reads them stays behind
  /// it, and nobody computes them from something else once more.
  Values pinned(ValueRange values);

  void loop(Value lo, Value hi, Value step, llvm::function_ref<void(Value)> body);
  Values loop(Value lo, Value hi, Value step, ValueRange init, llvm::function_ref<Values(Value, ValueRange)> body);
  /// `for (u = lo; u < hi; u = next(u))` with a step known only inside.
  void advance(Value lo, Value hi, llvm::function_ref<Value(Value)> next);
  void when(Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise = nullptr);
  Values choose(Value condition, llvm::function_ref<Values()> then, llvm::function_ref<Values()> otherwise);
};

} // namespace pliant::codegen
