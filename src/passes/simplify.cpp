// SPDX-License-Identifier: Apache-2.0
// Common subexpressions by upstream CSE, dead pure ops by one backward sweep.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "passes/passes.h"

using namespace mlir;

namespace pliant::passes {

Status simplify(Unit &unit) {
  func::FuncOp function = unit.function;
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  std::vector<Block *> blocks;
  function.walk<WalkOrder::PostOrder>([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (op.use_empty() && isOpTriviallyDead(&op))
        op.erase();
  return ok();
}

} // namespace pliant::passes
