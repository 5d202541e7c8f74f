// SPDX-License-Identifier: Apache-2.0
// Before: %y = pliant.softmax %x {axis = 1}. After: reduce_max, sub, exp, reduce_sum, div.
#include "ir/ir_builder.h"
#include "passes/passes.h"

using namespace mlir;

namespace pliant::passes {

Status decompose(Unit &unit) {
  func::FuncOp function = unit.function;
  std::vector<Operation *> composites;
  function.walk([&](Operation *op) {
    auto id = ir::opIdOf(op);
    if (id && info(*id).pattern == Pattern::Composite)
      composites.push_back(op);
  });
  Facts facts = ir::factsOf(function);
  for (Operation *op : composites) {
    OpId id = *ir::opIdOf(op);
    ir::IrBuilder b(OpBuilder(op), facts);
    b.at(op->getLoc());
    std::vector<Value> operands;
    for (mlir::Value operand : op->getOperands()) {
      PLIANT_TRY(Value v, b.adopt(operand));
      operands.push_back(v);
    }
    std::vector<Value> results = info(id).decompose(b, ir::attrsOf(op, id), operands);
    if (b.failed())
      return b.takeError().at(ir::placeOf(op->getLoc()));
    for (size_t i = 0; i < results.size(); ++i) {
      // The rule may know more than the type says, never less; uses follow the result's own type.
      op->getResult(static_cast<unsigned>(i)).replaceAllUsesWith(b.ssa(results[i]));
    }
    op->erase();
  }
  // A composite may decompose into composites.
  return composites.empty() ? ok() : decompose(unit);
}

} // namespace pliant::passes
