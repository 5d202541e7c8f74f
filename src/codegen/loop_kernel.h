// SPDX-License-Identifier: Apache-2.0
// Kernels of loops and rows: pointwise groups, index maps, and reductions with what stands before and after them.
#pragma once
#include "codegen/group_emitter.h"

namespace pliant::codegen {

/// Operations that an op's value takes, roughly.
int64_t pointCost(OpId op);

/// Emits the loops over units [begin, end) at the insertion point; returns the number of units.
Result<Expr> emitLoops(GroupEmitter &g, Value begin, Value end);

} // namespace pliant::codegen
