// SPDX-License-Identifier: Apache-2.0
// Common subexpressions by upstream CSE, dead pure ops by one backward sweep.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "passes/passes.h"

using namespace mlir;

namespace pliant::passes {

/// x to the 2 is x * x, to the last bit and for every special value.
static void squareInsteadOfPower(func::FuncOp function) {
  function.walk([](ir::PowOp pow) {
    auto constant = pow.getRhs().getDefiningOp<ir::ConstantOp>();
    auto type = cast<RankedTensorType>(pow.getResult().getType());
    if (!constant || constant.getValueAttr().getNumElements() != 1 || !isa<FloatType>(type.getElementType()) ||
        pow.getLhs().getType() != pow.getResult().getType())
      return;
    if (auto dense = dyn_cast<DenseFPElementsAttr>(constant.getValueAttr());
        dense && (*dense.begin()).convertToDouble() == 2.0) {
      OpBuilder b(pow);
      auto square = b.create<ir::MulOp>(pow.getLoc(), type, pow.getLhs(), pow.getLhs());
      pow.getResult().replaceAllUsesWith(square.getResult());
    }
  });
}

Status simplify(Unit &unit) {
  func::FuncOp function = unit.function;
  squareInsteadOfPower(function);
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
