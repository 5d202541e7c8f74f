// SPDX-License-Identifier: Apache-2.0
// IR to IR. Each function is one pass over one function; `pipeline.cpp` is the only schedule.
#pragma once
#include "ir/convert.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "plan/program.h"

namespace pliant::passes {

/// Facts about the function's symbols: bounds declared by its `bind` ops, over the default for extents.
Facts factsOf(mlir::func::FuncOp function);

/// What passes work on: one function and the weight table its `weight` ops index.
struct Unit {
  mlir::func::FuncOp function;
  std::vector<Weight> &weights;
};

/// Composites become the ops they stand for.
Status decompose(Unit &unit);
/// Convolutions and what stands between them work with channels last.
Status layout(Unit &unit);
/// Equal pure ops are shared, dead ones vanish. No recursion by graph size.
Status simplify(Unit &unit);
/// Ops on weights alone become weights that are computed when the program is loaded.
Status foldWeights(Unit &unit);
/// Gives each op that runs in a kernel the number of its fused group (`pliant.group`).
Status fuse(Unit &unit);

/// Where a compilation may stop or print, in order.
struct PassInfo {
  const char *name;
  const char *summary;
  Status (*run)(Unit &);
  bool optional = true; ///< left out when the program only serves as the oracle
};
std::span<const PassInfo> pipeline();

} // namespace pliant::passes
