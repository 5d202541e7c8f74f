// SPDX-License-Identifier: Apache-2.0
// Groups around a contraction: picks the schedule, hands operands to the generator, emits the rest as its epilogue.
#pragma once
#include "codegen/contraction/contraction.h"
#include "codegen/group_emitter.h"
#include "codegen/kernel.h"

namespace pliant::codegen {

struct ContractionPlan {
  Expr units, scratchBytes;
  Expr work; ///< Kernel::work
  std::vector<PackedInput> packed;
};
Result<ContractionPlan> emitContraction(GroupEmitter &g, const Values &inputs, Value scratch, Value begin, Value end,
                                        const TargetDescription &target);

/// Convolutions with channels last; called by emitContraction.
Result<ContractionPlan> emitConvolution(GroupEmitter &g, const Values &inputs, Value scratch, Value begin, Value end,
                                        const TargetDescription &target);

/// The zero point at `pointer` as i32.
Value zeroPoint(Emitter &e, Value pointer, DType type);

/// Emits a group around the accumulator at a site and stores its outputs; `instances` are all but the contraction's.
void storeEpilogue(GroupEmitter &g, Site &here, Value accumulator, const std::vector<int> &instances,
                   const std::vector<bool> &varies);

/// Nanoseconds for so many products on one thread, roughly.
Expr contractionWork(const Expr &products, DType dtype, const TargetDescription &target);

int64_t epilogueCost(const GroupEmitter &g); ///< rough count of operations, to choose how it is emitted

} // namespace pliant::codegen
