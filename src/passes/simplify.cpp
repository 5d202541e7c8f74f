// SPDX-License-Identifier: Apache-2.0
// Common subexpressions by upstream CSE, dead pure ops by one backward sweep, then one order for equal functions.
#include "ir/symbols.h"
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

/// Puts the ops of a block into the order in which its results ask for them, operands first, so that two files of one
/// function that list their nodes differently give the same groups. What declares symbols stays first, after whatever
/// it reads; what names a symbol comes after its declaration.
static void orderByUse(Block &block) {
  ir::SymbolUses symbols(block);
  llvm::SmallVector<Operation *> roots, order;
  auto declares = [&](Operation &op) { return !symbols.empty() && !ir::declaredBy(&op).empty(); };
  for (Operation &op : block)
    if (declares(op))
      roots.push_back(&op);
  roots.push_back(block.getTerminator());
  for (Operation &op : block) // whatever nothing reads
    if (op.use_empty() && !declares(op) && !op.hasTrait<OpTrait::IsTerminator>())
      roots.insert(roots.end() - 1, &op);
  llvm::DenseSet<Operation *> started, done;
  for (Operation *root : roots) {
    llvm::SmallVector<Operation *> stack{root};
    while (!stack.empty()) {
      Operation *op = stack.back();
      if (!started.insert(op).second) {
        stack.pop_back();
        if (done.insert(op).second)
          order.push_back(op);
        continue;
      }
      llvm::SmallVector<Operation *> makers;
      op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
        for (mlir::Value operand : inner->getOperands())
          if (Operation *maker = operand.getDefiningOp())
            if (Operation *here = block.findAncestorOpInBlock(*maker); here && here != op && !started.contains(here))
              makers.push_back(here);
      });
      for (Operation *maker : symbols.of(op))
        if (!started.contains(maker))
          makers.push_back(maker);
      stack.append(makers.rbegin(), makers.rend()); // the first operand comes out first
    }
  }
  for (Operation *op : order)
    if (!op->hasTrait<OpTrait::IsTerminator>())
      op->moveBefore(block.getTerminator());
}

/// A branch or loop of which nothing is read and no symbol named.
static bool isDeadControl(Operation *op) { return isa<ir::IfOp, ir::LoopOp>(op) && ir::declaredBy(op).empty(); }

Status simplify(Unit &unit) {
  func::FuncOp function = unit.function;
  squareInsteadOfPower(function);
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  auto blocks = [&] { // inner ones first
    std::vector<Block *> all;
    function.walk<WalkOrder::PostOrder>([&](Block *block) { all.push_back(block); });
    return all;
  };
  for (Block *block : blocks())
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (op.use_empty() && (isOpTriviallyDead(&op) || isDeadControl(&op)))
        op.erase();
  for (Block *block : blocks()) // anew: those of a dead branch went with it
    if (block->mightHaveTerminator())
      orderByUse(*block);
  return ok();
}

} // namespace pliant::passes
