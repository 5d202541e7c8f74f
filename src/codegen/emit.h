// SPDX-License-Identifier: Apache-2.0
// What emitters of single ops see. A pointwise op turns operand values into a result value, scalars or vectors alike; a
// reduction gives its neutral element and how two partial results combine; a kernel op writes its result by loops.
#pragma once
#include "codegen/contraction/emitter.h"
#include "group/group.h"
#include "runtime/pack.h"
#include "runtime/run_state.h"
#include "runtime/target.h"

namespace pliant::codegen {

/// The type in which a kernel computes an element: f16 and bf16 as f32 (rounded after each op), bool as i1, integers
/// signless.
mlir::Type computeType(mlir::MLIRContext *context, DType type);

class PointEmitter {
public:
  OpBuilder &b;
  Location loc;
  const TargetDescription &target;
  int64_t lanes = 0;              ///< 0: scalars, else vectors of that many lanes
  llvm::SmallVector<DType, 3> in; ///< element types of the operands
  DType out = DType::F32;         ///< element type of the result
  Value mask;                     ///< active lanes, or null when all are; for faults only
  Value state;                    ///< the run state, !llvm.ptr
  bool secondIsNumber = false;    ///< the second of two operands is not NaN, or need not be seen to be
  bool notPositive = false;       ///< the operand is not above 0, or NaN

  /// `scalar`, or a vector of it.
  Type shaped(Type scalar) const { return lanes ? Type(mlir::VectorType::get({lanes}, scalar)) : scalar; }
  Type typeOf(DType type) const { return shaped(computeType(b.getContext(), type)); }
  /// A constant of the compute type; integers wrap.
  Value constant(DType type, double value) const;
  Value integer(DType type, int64_t value) const;
  /// A constant of the type of `like` (float or integer, scalar or vector).
  Value constantLike(Value like, double value) const;
  Value splat(Value scalar) const; ///< a vector of a scalar when lanes are in use
  Value select(Value condition, Value yes, Value no) const;
  /// f32 or f64 (a cast may hand over f64) rounded once to nearest even to what f16 or bf16 can hold, as f32; for other
  /// types unchanged.
  Value rounded(Value value, DType type) const;
  /// Records a run-time error where `bad` (i1 or a vector of it) holds in an active lane: the first one of the run
  /// stays.
  void fault(RunErrorCode code, Value bad, Value value, Value bound) const;
};

struct Combiner {
  std::function<Value(const PointEmitter &)> neutral;
  std::function<Value(const PointEmitter &, Value, Value)> combine;
};

/// For ops that write their result by loops of their own (pooling, resize, ...): pointers, extents and a range of
/// units. `emit` returns the number of units as an expression; [begin, end) of them are to be computed.
class KernelEmitter : public Emitter {
public:
  using Emitter::Emitter;
  const GroupNode *node = nullptr;
  std::vector<TensorType> operandTypes;
  Values inputs;    ///< !llvm.ptr, dense
  Values outputs;   ///< !llvm.ptr, dense
  Value begin, end; ///< index
  Value state;
  const TargetDescription *target = nullptr;
  std::vector<bool> weights; ///< per operand: constant for the program's life, so it can be had packed
  Value scratch;             ///< 64-byte aligned, each call has its own
  // What the emitter asks for:
  Expr scratchBytes = 0;
  std::vector<std::pair<size_t, PackSpec>> packed; ///< operands (weights) that it reads packed
  std::function<Value(const Expr &)> extentOf;
  Value extent(const Expr &e) const { return extentOf(e); } ///< index
  /// For scalars, or vectors of so many lanes.
  PointEmitter point(int64_t lanes = 0, Value mask = {}) const {
    PointEmitter p{b, loc, *target};
    p.lanes = lanes;
    p.mask = mask;
    p.state = state;
    return p;
  }
  /// Covers [lo, hi) with blocks of `vectors` vectors, then single ones, then a masked rest: body(at, vectors, point).
  void inVectors(Value lo, Value hi, int vectors, llvm::function_ref<void(Value, int, const PointEmitter &)> body);
};

using PointwiseEmit = Value (*)(PointEmitter &, OpId, const Attrs &, llvm::ArrayRef<Value>);
using ReduceEmit = Combiner (*)(PointEmitter &, OpId, const Attrs &);
using KernelEmit = Result<Expr> (*)(KernelEmitter &, OpId, const Attrs &);
PointwiseEmit pointwiseEmit(OpId op); // generated; null when there is none
ReduceEmit reduceEmit(OpId op);
KernelEmit kernelEmit(OpId op);

} // namespace pliant::codegen
