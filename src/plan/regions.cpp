// SPDX-License-Identifier: Apache-2.0
// Branches, loops and lists as steps. What a loop carries is never copied: its memory is counted, and after each trip
// the carried buffers become what the trip made.
#include "plan/planner.h"

using namespace mlir;

namespace pliant::plan {

Status Planner::conditional(ir::IfOp op, Steps &steps) {
  Step step{Step::Kind::If};
  PLIANT_TRY(int condition, bufferOf(op.getCondition()));
  step.inputs = {condition};
  step.place = ir::placeOf(op->getLoc());
  for (mlir::Value result : op->getResults()) {
    PLIANT_TRY(int buffer, arenaFor(result));
    step.outputs.push_back(buffer);
  }
  for (int branch = 0; branch < 2; ++branch) {
    Steps &inner = branch == 0 ? step.thenSteps : step.elseSteps;
    Block &body = op->getRegion(branch).front();
    auto outer = std::pair(checked, equal); // a check inside a branch holds only there
    PLIANT_CHECK(block(body, inner));
    std::tie(checked, equal) = std::move(outer);
    auto yielded = body.getTerminator()->getOperands();
    PLIANT_CHECK(assign(op->getResultTypes(), yielded.getTypes(), inner));
    for (auto [i, value] : llvm::enumerate(yielded)) {
      if (program.buffers[step.outputs[i]].storage != Buffer::Storage::List) {
        PLIANT_CHECK(copy(value, step.outputs[i], inner));
        continue;
      }
      PLIANT_TRY(int list, bufferOf(value));
      Step share{Step::Kind::Share};
      share.inputs = {list};
      share.outputs = {step.outputs[i]};
      inner.push_back(std::move(share));
    }
  }
  steps.push_back(std::move(step));
  return ok();
}

/// Symbols in the types `to` that stand for the extents of the types `from`.
Status Planner::assign(TypeRange to, TypeRange from, Steps &steps) {
  Step step{Step::Kind::Assign};
  for (auto [target, source] : llvm::zip(to, from)) {
    if (isa<ir::ListType>(target))
      continue;
    PLIANT_TRY(TensorType joined, ir::fromMlir(target));
    PLIANT_TRY(TensorType mine, ir::fromMlir(source));
    for (size_t axis = 0; axis < joined.shape.size(); ++axis)
      if (!(joined.shape[axis] == mine.shape[axis]))
        if (auto symbol = joined.shape[axis].symbolName()) {
          step.symbols.push_back(*symbol);
          step.values.push_back(mine.shape[axis]);
        }
  }
  if (!step.symbols.empty())
    steps.push_back(std::move(step));
  return ok();
}

/// A buffer with the value whose memory others may share: counted, or of the caller or the program and never written.
Result<int> Planner::held(mlir::Value value, Steps &steps) {
  if (isa<ir::ListType>(value.getType()))
    return bufferOf(value);
  if (!ir::isEmbedded(value.getDefiningOp())) {
    PLIANT_TRY(int buffer, bufferOf(value));
    buffer = rootOf(buffer);
    Buffer::Storage &storage = program.buffers[buffer].storage;
    if (storage == Buffer::Storage::Arena)
      storage = Buffer::Storage::Dynamic;
    if (storage != Buffer::Storage::Element)
      return buffer;
  }
  PLIANT_TRY(TensorType type, ir::fromMlir(value.getType()));
  int own = add({type, Buffer::Storage::Dynamic, -1});
  PLIANT_CHECK(copy(value, own, steps));
  return own;
}

/// Computed straight into the growing result `into` when it is made in the loop, after buffer `inside`, for that alone.
Status Planner::collected(mlir::Value value, int into, int inside, Steps &steps) {
  if (!ir::isEmbedded(value.getDefiningOp())) {
    PLIANT_TRY(int buffer, bufferOf(value));
    Buffer &made = program.buffers[buffer];
    if (buffer >= inside && made.storage == Buffer::Storage::Arena) {
      made.storage = Buffer::Storage::Element;
      made.index = into;
      return ok();
    }
  }
  PLIANT_TRY(TensorType type, ir::fromMlir(value.getType()));
  return copy(value, add({type, Buffer::Storage::Element, into}), steps);
}

Status Planner::loop(ir::LoopOp op, Steps &steps) {
  Block &body = op.getBody().front();
  Step step{Step::Kind::Loop}, share{Step::Kind::Share}, release{Step::Kind::Release};
  step.place = ir::placeOf(op->getLoc());
  step.values = ir::fromMlir(op.getTrips());
  for (const Expr &symbol : ir::fromMlir(op.getIteration()))
    step.symbols.push_back(symbol.symbolName().value_or(""));
  if (op.getCondition()) {
    PLIANT_TRY(int condition, bufferOf(op.getCondition()));
    step.inputs = {condition};
  }
  const size_t carried = op.getInitial().size();
  for (size_t k = 0; k < carried; ++k) {
    PLIANT_TRY(int from, held(op.getInitial()[k], steps));
    PLIANT_TRY(int to, arenaFor(body.getArgument(k)));
    if (program.buffers[to].storage == Buffer::Storage::Arena)
      program.buffers[to].storage = Buffer::Storage::Dynamic;
    share.inputs.push_back(from);
    share.outputs.push_back(to);
  }
  const std::vector<int> current = share.outputs;
  PLIANT_CHECK(assign(body.getArgumentTypes(), op.getInitial().getTypes(), steps));
  if (carried)
    steps.push_back(std::move(share));
  std::vector<int> results;
  for (mlir::Value result : op->getResults()) {
    PLIANT_TRY(int buffer, arenaFor(result));
    if (program.buffers[buffer].storage == Buffer::Storage::Arena) {
      program.buffers[buffer].storage = Buffer::Storage::Dynamic;
      shared.insert(buffer);
    }
    results.push_back(buffer);
  }

  const int inside = static_cast<int>(program.buffers.size());
  auto outer = std::pair(checked, equal);
  PLIANT_CHECK(block(body, step.body));
  std::tie(checked, equal) = std::move(outer);
  auto yielded = body.getTerminator()->getOperands();
  if (op.yieldsCondition()) {
    PLIANT_TRY(step.condition, bufferOf(yielded[0]));
    if (llvm::is_contained(current, rootOf(step.condition))) { // it is read when those are the next trip's already
      PLIANT_TRY(TensorType type, ir::fromMlir(yielded[0].getType()));
      step.condition = add({type, Buffer::Storage::Arena, -1});
      PLIANT_CHECK(copy(yielded[0], step.condition, step.body));
    }
    yielded = yielded.drop_front();
  }
  Step next{Step::Kind::Share};
  next.outputs = current;
  for (size_t k = 0; k < carried; ++k) {
    PLIANT_TRY(int from, held(yielded[k], step.body));
    next.inputs.push_back(from);
  }
  for (size_t j = carried; j < results.size(); ++j)
    PLIANT_CHECK(collected(yielded[j], results[j], inside, step.body));
  for (int from : next.inputs)
    if (from >= inside)
      release.outputs.push_back(from);
  if (carried)
    step.body.push_back(next);
  PLIANT_CHECK(assign(body.getArgumentTypes(), TypeRange(yielded.take_front(carried).getTypes()), step.body));
  steps.push_back(std::move(step));

  // What comes after the loop sees its last values.
  PLIANT_CHECK(assign(TypeRange(op->getResultTypes()).take_front(carried), body.getArgumentTypes(), steps));
  if (carried) {
    Step last{Step::Kind::Share};
    last.inputs = current;
    last.outputs.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(carried));
    last.flag = true;
    steps.push_back(std::move(release));
    steps.push_back(std::move(last));
  }
  if (results.size() > carried) {
    Step collect{Step::Kind::Collect};
    collect.place = ir::placeOf(op->getLoc());
    for (const Expr &symbol : ir::declaredBy(op))
      collect.symbols.push_back(symbol.symbolName().value_or(""));
    collect.outputs.assign(results.begin() + static_cast<std::ptrdiff_t>(carried), results.end());
    steps.push_back(std::move(collect));
  }
  return ok();
}

Status Planner::list(Operation *op, Steps &steps) {
  Step step{Step::Kind::List};
  step.place = ir::placeOf(op->getLoc());
  auto at = [&](ir::ShapeAttr attr) { step.values = ir::fromMlir(attr); };
  if (auto make = dyn_cast<ir::ListMakeOp>(op)) {
    step.list = make.getPresent() ? ListAction::Make : ListAction::Absent;
  } else if (auto insert = dyn_cast<ir::ListInsertOp>(op)) {
    step.list = ListAction::Insert;
    at(insert.getPosition());
  } else if (auto erase = dyn_cast<ir::ListEraseOp>(op)) {
    step.list = ListAction::Erase;
    at(erase.getPosition());
  } else if (auto item = dyn_cast<ir::ListAtOp>(op)) {
    step.list = ListAction::At;
    at(item.getPosition());
  } else if (isa<ir::ListLengthOp>(op)) {
    step.list = ListAction::Length;
  } else if (isa<ir::ListPresentOp>(op)) {
    step.list = ListAction::Present;
  } else if (isa<ir::ListGetOp>(op)) {
    step.list = ListAction::Get;
  } else if (auto concat = dyn_cast<ir::ListConcatOp>(op)) {
    step.list = ListAction::Concat;
    step.axis = static_cast<int64_t>(concat.getAxis());
    step.flag = concat.getNewAxis();
  } else if (auto split = dyn_cast<ir::ListSplitOp>(op)) {
    step.list = ListAction::Split;
    at(split.getSize());
    step.axis = static_cast<int64_t>(split.getAxis());
    step.flag = split.getKeepDims();
  } else {
    return internalError("plan", "an unknown op: " + op->getName().getStringRef().str());
  }
  for (const Expr &symbol : ir::declaredBy(op))
    step.symbols.push_back(symbol.symbolName().value_or(""));
  for (mlir::Value operand : op->getOperands()) {
    PLIANT_TRY(int buffer, held(operand, steps)); // elements are shared
    step.inputs.push_back(buffer);
    TensorType type; // of a list only the step itself knows
    if (!isa<ir::ListType>(operand.getType())) {
      PLIANT_TRY(type, ir::fromMlir(operand.getType()));
    }
    step.operands.push_back(std::move(type));
  }
  for (mlir::Value result : op->getResults()) {
    PLIANT_TRY(int buffer, arenaFor(result));
    Buffer &made = program.buffers[buffer];
    if (made.storage == Buffer::Storage::Arena)
      made.storage = Buffer::Storage::Dynamic;
    step.outputs.push_back(buffer);
  }
  steps.push_back(std::move(step));
  return ok();
}

} // namespace pliant::plan
