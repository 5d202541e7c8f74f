// SPDX-License-Identifier: Apache-2.0
// IR ops to group nodes.
#include "ir/group_of.h"
#include "ops/widening.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace pliant::ir {

bool isEmbedded(Operation *op) {
  if (!op)
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return constant.getValueAttr().getNumElements() == 1 &&
           !isa<StringType>(constant.getValueAttr().getElementType()); // kernels hold numbers, no pointers
  if (auto extents = dyn_cast<ExtentsOp>(op))
    return extents.getScalar();
  return false;
}

bool isWeight(mlir::Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<WeightOp, ConstantOp>(op);
}

bool isWidenedWeight(Operation *op) {
  if (!isa<CastOp>(op))
    return false;
  auto from = fromMlir(op->getOperand(0).getType()), to = fromMlir(op->getResult(0).getType());
  if (!from || !to || !isWidening(from->dtype, to->dtype))
    return false;
  mlir::Value source = op->getOperand(0);
  while (Operation *view = source.getDefiningOp()) {
    if (!isa<TransposeOp, ReshapeOp>(view))
      break;
    source = view->getOperand(0);
  }
  return isWeight(source) && llvm::all_of(op->getUses(), [](OpOperand &use) {
           Operation *user = use.getOwner();
           return isa<TransposeOp, ReshapeOp>(user) || (isa<MatmulOp>(user) && use.getOperandNumber() == 1);
         });
}

Result<BuiltGroup> buildGroup(ArrayRef<Operation *> ops) {
  BuiltGroup built;
  llvm::DenseSet<Operation *> inside(ops.begin(), ops.end());
  llvm::DenseMap<mlir::Value, int> number;
  std::vector<Operation *> embedded;
  llvm::DenseSet<Operation *> inMemory; // contractions and kernels read memory, also a single element
  for (Operation *op : ops)
    if (auto id = opIdOf(op); id && (info(*id).pattern == Pattern::Contraction || info(*id).pattern == Pattern::Kernel))
      for (mlir::Value operand : op->getOperands())
        if (Operation *maker = operand.getDefiningOp(); maker && isa<ConstantOp>(maker))
          inMemory.insert(maker);
  for (Operation *op : ops)
    for (mlir::Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (inside.contains(maker) || number.contains(operand))
        continue;
      if (isEmbedded(maker) && !inMemory.contains(maker)) {
        number[operand] = -1;
        embedded.push_back(maker);
        continue;
      }
      number[operand] = static_cast<int>(built.inputs.size());
      built.inputs.push_back(operand);
      PLIANT_TRY(TensorType type, fromMlir(operand.getType()));
      built.group.inputs.push_back(std::move(type));
      built.group.weights.push_back(isWeight(operand));
    }
  int next = static_cast<int>(built.inputs.size());
  auto append = [&](Operation *op) -> Status {
    auto id = opIdOf(op);
    if (!id || (op->getNumResults() != 1 && info(*id).pattern != Pattern::Kernel))
      return internalError("group", "an op that cannot be fused: " + op->getName().getStringRef().str());
    PLIANT_TRY(TensorType type, fromMlir(op->getResult(0).getType()));
    GroupNode node{*id, attrsOf(op, *id), {}, std::move(type), placeOf(op->getLoc())};
    for (mlir::Value operand : op->getOperands())
      node.operands.push_back(number[operand]);
    number[op->getResult(0)] = next++;
    built.group.nodes.push_back(std::move(node));
    return ok();
  };
  for (Operation *op : embedded)
    PLIANT_CHECK(append(op));
  for (Operation *op : ops)
    PLIANT_CHECK(append(op));
  for (Operation *op : ops) {
    mlir::Value result = op->getResult(0);
    if (op->getNumResults() > 1) { // a kernel writes all its results, wanted or not
      for (mlir::OpResult each : op->getResults()) {
        built.group.outputs.push_back({number[result], {}, 0, static_cast<int>(each.getResultNumber())});
        built.outputs.push_back(each);
      }
      continue;
    }
    if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !inside.contains(user); })) {
      built.group.outputs.push_back({number[result], {}, 0});
      built.outputs.push_back(result);
    }
  }
  return built;
}

} // namespace pliant::ir
