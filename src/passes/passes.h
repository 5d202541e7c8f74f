// SPDX-License-Identifier: Apache-2.0
// IR to IR. Each function is one pass over one function; `pipeline.cpp` is the only schedule.
#pragma once
#include "ir/convert.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pliant::passes {

/// Facts about the function's symbols: bounds declared by its `bind` ops, over the default for extents.
Facts factsOf(mlir::func::FuncOp function);

/// Composites become the ops they stand for.
Status decompose(mlir::func::FuncOp function);
/// Convolutions and what stands between them work with channels last.
Status layout(mlir::func::FuncOp function);
/// Equal pure ops are shared, dead ones vanish. No recursion by graph size.
Status simplify(mlir::func::FuncOp function);
/// Gives each op that runs in a kernel the number of its fused group (`pliant.group`).
Status fuse(mlir::func::FuncOp function);

/// Where a compilation may stop or print, in order.
struct PassInfo {
  const char *name;
  const char *summary;
  Status (*run)(mlir::func::FuncOp);
};
std::span<const PassInfo> pipeline();

} // namespace pliant::passes
