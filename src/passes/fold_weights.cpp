// SPDX-License-Identifier: Apache-2.0
// Before: %f = pliant.div %scale, %deviation on two weights. After: %f = pliant.weight, computed once at load.
#include "ir/group_of.h"
#include "ir/ir_builder.h"
#include "passes/passes.h"

using namespace mlir;

namespace pliant::passes {
namespace {

// References are plain loops: larger results stay in the program, where kernels or packing take care of them.
constexpr int64_t foldedBytes = 1 << 20;

} // namespace

Status foldWeights(Unit &unit) {
  std::vector<Operation *> ops;
  unit.function.walk([&](Operation *op) {
    auto id = ir::opIdOf(op);
    if (id && op->getNumResults() == 1 && op->getNumOperands() > 0 && info(*id).ref)
      ops.push_back(op);
  });
  Facts facts;
  for (Operation *op : ops) {
    OpId id = *ir::opIdOf(op);
    bool weights = llvm::all_of(op->getOperands(), [](mlir::Value v) {
      return v.getDefiningOp() && isa<ir::WeightOp, ir::ConstantOp>(v.getDefiningOp());
    });
    if (!weights || ir::isWidenedWeight(op))
      continue;
    PLIANT_TRY(TensorType type, ir::fromMlir(op->getResult(0).getType()));
    std::vector<int64_t> dims;
    bool constant = true, symbolic = false;
    for (const Expr &extent : type.shape) {
      auto value = extent.constant();
      constant &= value.has_value();
      dims.push_back(value.value_or(0));
    }
    Attrs attrs = ir::attrsOf(op, id);
    mapExprs(attrs, [&](const Expr &e) {
      symbolic |= !e.constant();
      return e;
    });
    const auto count = elementCount(dims);
    if (!constant || symbolic || !count ||
        (*count > foldedBytes / static_cast<int64_t>(byteSize(type.dtype)) && id != OpId::Reshape))
      continue;
    Weight made{ir::placeOf(op->getLoc()), type.dtype, dims, -1, id, attrs, {}, {}};
    for (mlir::Value operand : op->getOperands()) {
      if (auto weight = operand.getDefiningOp<ir::WeightOp>()) {
        made.inputs.push_back(static_cast<int>(weight.getIndex()));
        continue;
      }
      PLIANT_TRY(DenseTensor value, ir::fromMlir(operand.getDefiningOp<ir::ConstantOp>().getValueAttr()));
      made.inputs.push_back(static_cast<int>(unit.weights.size()));
      unit.weights.push_back({"", value.dtype(), value.dims(), -1, {}, {}, {}, value});
    }
    ir::IrBuilder b(OpBuilder(op), facts);
    b.at(op->getLoc());
    Value weight = b.weight(static_cast<int64_t>(unit.weights.size()), type);
    unit.weights.push_back(std::move(made));
    op->getResult(0).replaceAllUsesWith(b.ssa(weight));
    op->erase();
  }
  return ok();
}

} // namespace pliant::passes
