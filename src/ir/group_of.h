// SPDX-License-Identifier: Apache-2.0
// A set of ops of one block as a fused group.
#pragma once
#include "group/group.h"
#include "ir/convert.h"

namespace pliant::ir {

struct BuiltGroup {
  Group group;
  std::vector<mlir::Value> inputs;  ///< SSA values behind the group's inputs
  std::vector<mlir::Value> outputs; ///< SSA values behind the group's outputs
};

/// Whether an op is copied into every group that reads it instead of being a buffer: scalars.
bool isEmbedded(mlir::Operation *op);
/// Whether the memory of a value never changes during the program's life.
bool isWeight(mlir::Value value);
/// Whether an op only widens a weight for the right side of matrix products, which read the narrow one
/// (ops/widening.h).
bool isWidenedWeight(mlir::Operation *op);

/// `ops` in block order. Outputs are the results that are used outside of the set.
Result<BuiltGroup> buildGroup(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace pliant::ir
