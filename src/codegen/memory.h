// SPDX-License-Identifier: Apache-2.0
// Elements between memory and the types they are computed in: bool is a byte, f16 and bf16 are 16 bits in memory.
#pragma once
#include "codegen/emit.h"

namespace pliant::codegen {

/// Memory type of an element: bool as i8, f16 and bf16 as i16.
Type memoryType(mlir::MLIRContext *context, DType type);
/// An unsigned integer of the same size, to move elements without looking at them.
DType movedAs(DType type);
/// The bits of f16 or bf16 as f32, scalar or vector; `hardware`: there is an instruction for f16.
Value widenedHalf(OpBuilder &b, Location loc, Value raw, DType type, bool hardware);
/// Between the two types; a value for f16 or bf16 is rounded already. Scalars and vectors, as `p` says.
Value fromMemory(const PointEmitter &p, Value raw, DType type);
Value toMemory(const PointEmitter &p, Value value, DType type);

/// Scalars, or contiguous vectors under the mask of `p`; `offset` (index) counts elements.
Value loadElements(const PointEmitter &p, Emitter &e, Value pointer, DType type, Value offset);
void storeElements(const PointEmitter &p, Emitter &e, Value value, Value pointer, DType type, Value offset);
/// Elements at a vector of offsets (i64).
Value gatherElements(const PointEmitter &p, Emitter &e, Value pointer, DType type, Value offsets);
void scatterElements(const PointEmitter &p, Emitter &e, Value value, Value pointer, DType type, Value offsets);

} // namespace pliant::codegen
