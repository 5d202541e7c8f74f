// SPDX-License-Identifier: Apache-2.0
// Grouped IR to a program: order of steps, buffers and their lives, one arena over symbolic sizes.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "plan/program.h"

namespace pliant::plan {

/// `weights` is the table that `pliant.weight` ops index.
Result<Program> plan(mlir::func::FuncOp function, std::vector<Weight> weights);

} // namespace pliant::plan
