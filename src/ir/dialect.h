// SPDX-License-Identifier: Apache-2.0
// The dialect `pliant`: ops generated from the contracts, symbolic shapes as the encoding of builtin tensors.
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace pliant::ir {
/// The verifier of every op: types must be consistent with the op's shape rule (static extents, ranks, element types).
llvm::LogicalResult verifyByRule(mlir::Operation *op);
} // namespace pliant::ir

#include "ir/dialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/types.h.inc"
#define GET_OP_CLASSES
#include "ir/ops.h.inc"
