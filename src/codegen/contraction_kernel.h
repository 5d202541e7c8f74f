// SPDX-License-Identifier: Apache-2.0
// Groups around a contraction: picks the schedule, hands operands to the generator, emits the rest as its epilogue.
#pragma once
#include "codegen/group_emitter.h"
#include "codegen/kernel.h"

namespace pliant::codegen {

struct ContractionPlan {
  Expr units, scratchBytes;
  std::vector<PackedInput> packed;
};
Result<ContractionPlan> emitContraction(GroupEmitter &g, const Values &inputs, Value scratch, Value begin, Value end,
                                        const TargetDescription &target);

} // namespace pliant::codegen
