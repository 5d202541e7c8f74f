// SPDX-License-Identifier: Apache-2.0
// Kernel IR (scf, arith, one-dimensional vectors) to the LLVM dialect.
#pragma once
#include "mlir/IR/BuiltinOps.h"

namespace pliant::codegen {

llvm::LogicalResult lowerToLlvm(mlir::ModuleOp module);

} // namespace pliant::codegen
