// SPDX-License-Identifier: Apache-2.0
// Walks the grouped function and writes steps. Reshapes of whole buffers become aliases; concats become stores into
// parts of one buffer; conditions that shape rules could not decide become checks.
#include "group/index_map.h"
#include "ir/facts.h"
#include "plan/heirs.h"
#include "plan/planner.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace pliant::plan {

/// Name and type of an input or output.
Result<Argument> Planner::argumentOf(Type type, size_t i, bool input) {
  const auto at = static_cast<unsigned>(i);
  auto attribute = [&](llvm::StringRef name) {
    return input ? function.getArgAttr(at, name) : function.getResultAttr(at, name);
  };
  Argument out;
  auto name = dyn_cast_or_null<StringAttr>(attribute("pliant.name"));
  out.name = name ? name.str() : (input ? "arg" : "result") + std::to_string(i);
  auto list = dyn_cast<ir::ListType>(type);
  if (!list) {
    PLIANT_TRY(out.type, ir::fromMlir(type, out.name));
    return out;
  }
  PLIANT_TRY(out.list, ir::fromMlir(list, attribute("pliant.list")));
  out.type.dtype = out.list->dtype;
  return out;
}

Result<Program> Planner::run() {
  for (auto [i, argument] : llvm::enumerate(function.getArguments())) {
    PLIANT_TRY(Argument input, argumentOf(argument.getType(), i, true));
    int buffer = add({input.type, input.list ? Buffer::Storage::List : Buffer::Storage::Input, static_cast<int>(i)});
    program.inputs.push_back(std::move(input));
    program.inputBuffers.push_back(buffer);
    buffers[argument] = buffer;
  }
  PLIANT_CHECK(factChecks());
  PLIANT_CHECK(block(function.getBody().front(), program.steps));
  PLIANT_CHECK(outputs());
  findStates(program, appends);
  findHeirs(program);
  return std::move(program);
}

int Planner::add(Buffer buffer) {
  program.buffers.push_back(std::move(buffer));
  return static_cast<int>(program.buffers.size()) - 1;
}

int Planner::rootOf(int buffer) const {
  while (program.buffers[buffer].storage == Buffer::Storage::Alias)
    buffer = program.buffers[buffer].index;
  return buffer;
}

/// Memory for a value that steps make.
Result<int> Planner::arenaFor(mlir::Value value) {
  if (isa<ir::ListType>(value.getType()))
    return buffers[value] = add({{}, Buffer::Storage::List, -1});
  PLIANT_TRY(TensorType type, ir::fromMlir(value.getType()));
  return buffers[value] = add({type, Buffer::Storage::Arena, -1});
}

/// The buffer of a value made outside of groups, created at first use for constants and weights.
Result<int> Planner::bufferOf(mlir::Value value) {
  if (auto found = buffers.find(value); found != buffers.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  PLIANT_TRY(TensorType type, ir::fromMlir(value.getType()));
  int made = -1;
  if (auto constant = dyn_cast_or_null<ir::ConstantOp>(op)) {
    PLIANT_TRY(DenseTensor tensor, ir::fromMlir(constant.getValueAttr()));
    program.constants.push_back(tensor);
    made = add({type, Buffer::Storage::Constant, static_cast<int>(program.constants.size()) - 1});
  } else if (auto weight = dyn_cast_or_null<ir::WeightOp>(op)) {
    made = add({type, Buffer::Storage::Weight, static_cast<int>(weight.getIndex())});
  } else {
    return internalError("plan", "a value without a buffer: " + (op ? op->getName().getStringRef().str() : "argument"));
  }
  buffers[value] = made;
  return made;
}

static std::optional<int64_t> groupNumber(Operation *op) {
  if (auto number = op->getAttrOfType<IntegerAttr>("group"))
    return number.getInt();
  return std::nullopt;
}

/// Steps of a block in an order in which every unit (group or lone op) comes after what it reads.
Status Planner::block(Block &block, std::vector<Step> &steps) {
  ir::SymbolUses symbols(block);
  llvm::MapVector<int64_t, std::vector<Operation *>> units; // negative keys: lone ops
  llvm::DenseMap<Operation *, int64_t> unitOf;
  int64_t lone = -1;
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    int64_t unit = groupNumber(&op).value_or(lone);
    lone -= unit == lone;
    units[unit].push_back(&op);
    unitOf[&op] = unit;
  }
  llvm::DenseMap<int64_t, int> waiting;
  llvm::DenseMap<int64_t, std::vector<int64_t>> readers;
  for (auto &[unit, ops] : units) {
    llvm::SmallDenseSet<int64_t> sources;
    auto after = [&](Operation *here) {
      if (auto found = unitOf.find(here); found != unitOf.end() && found->second != unit)
        sources.insert(found->second);
    };
    for (Operation *op : ops) {
      op->walk([&](Operation *inner) {
        for (mlir::Value operand : inner->getOperands())
          if (Operation *maker = operand.getDefiningOp())
            if (Operation *here = block.findAncestorOpInBlock(*maker))
              after(here);
      });
      for (Operation *declaration : symbols.of(op))
        after(declaration);
    }
    waiting[unit] = static_cast<int>(sources.size());
    for (int64_t source : sources)
      readers[source].push_back(unit);
  }
  // In block order of each unit's first op among the ready ones.
  std::map<int, int64_t> ready;
  llvm::DenseMap<int64_t, int> place;
  int at = 0;
  for (auto &[unit, ops] : units) {
    place[unit] = at++;
    if (waiting[unit] == 0)
      ready[place[unit]] = unit;
  }
  size_t done = 0;
  while (!ready.empty()) {
    int64_t unit = ready.begin()->second;
    ready.erase(ready.begin());
    ++done;
    PLIANT_CHECK(emit(unit, units[unit], steps));
    for (int64_t reader : readers[unit])
      if (--waiting[reader] == 0)
        ready[place[reader]] = reader;
  }
  if (done != units.size())
    return internalError("plan", "groups depend on each other in a cycle");
  return ok();
}

Status Planner::emit(int64_t unit, std::vector<Operation *> &ops, std::vector<Step> &steps) {
  Operation *op = ops[0];
  for (Operation *member : ops)
    PLIANT_CHECK(checks(member, steps));
  if (unit >= 0 && ops.size() == 1 && isa<ir::ReshapeOp>(op)) {
    PLIANT_TRY(int source, bufferOf(op->getOperand(0)));
    PLIANT_TRY(TensorType type, ir::fromMlir(op->getResult(0).getType()));
    buffers[op->getResult(0)] = add({type, Buffer::Storage::Alias, source});
    return ok();
  }
  if (unit >= 0 && ops.size() == 1 && isa<ir::ConcatOp>(op))
    return concat(cast<ir::ConcatOp>(op), steps);
  if (unit >= 0)
    return launch(ops, steps);
  if (isa<ir::ConstantOp, ir::WeightOp>(op))
    return ok();
  if (auto extents = dyn_cast<ir::ExtentsOp>(op)) {
    PLIANT_TRY(int buffer, arenaFor(extents.getResult()));
    Step step{Step::Kind::Extents};
    step.values = ir::fromMlir(extents.getValues());
    step.outputs = {buffer};
    steps.push_back(std::move(step));
    return ok();
  }
  if (auto bind = dyn_cast<ir::BindOp>(op)) {
    PLIANT_TRY(int buffer, bufferOf(bind.getX()));
    buffers[bind.getResult()] = buffer; // the same values
    Step step{Step::Kind::Bind};
    step.inputs = {buffer};
    for (const Expr &symbol : ir::fromMlir(bind.getSymbols()))
      step.symbols.push_back(symbol.symbolName().value_or(""));
    step.low = static_cast<int64_t>(bind.getLow());
    step.high = static_cast<int64_t>(bind.getHigh());
    step.reason = bind.getWhat().str();
    for (const std::string &symbol : step.symbols)
      PLIANT_CHECK(known.assumeRange(symbol, {step.low, step.high}));
    step.place = ir::placeOf(op->getLoc());
    steps.push_back(std::move(step));
    return ok();
  }
  if (auto guard = dyn_cast<ir::GuardOp>(op)) {
    PLIANT_TRY(int buffer, bufferOf(guard.getCondition()));
    Step step{Step::Kind::Guard};
    step.inputs = {buffer};
    step.flag = guard.getValue();
    step.reason = guard.getReason().str();
    step.place = ir::placeOf(op->getLoc());
    steps.push_back(std::move(step));
    return ok();
  }
  if (auto branch = dyn_cast<ir::IfOp>(op))
    return conditional(branch, steps);
  if (auto repeat = dyn_cast<ir::LoopOp>(op))
    return loop(repeat, steps);
  auto id = ir::opIdOf(op);
  if (!id)
    return list(op, steps);
  Step step{Step::Kind::Evaluate};
  step.op = *id;
  step.attrs = ir::attrsOf(op, *id);
  step.place = ir::placeOf(op->getLoc());
  for (mlir::Value operand : op->getOperands()) {
    PLIANT_TRY(int buffer, bufferOf(operand));
    step.inputs.push_back(buffer);
  }
  for (mlir::Value result : op->getResults()) {
    PLIANT_TRY(int buffer, arenaFor(result));
    step.outputs.push_back(buffer);
  }
  steps.push_back(std::move(step));
  return ok();
}

/// What is assumed of the inputs' extents is tested at every run, but for what their types say anyway.
Status Planner::factChecks() {
  std::set<std::string> bound;
  for (const Argument &input : program.inputs)
    for (const Expr &extent : input.type.shape)
      if (auto name = extent.symbolName())
        bound.insert(*name);
  PLIANT_TRY(std::vector<Facts::Fact> facts, ir::outsideFacts(function));
  for (const Facts::Fact &fact : facts) {
    const auto names = symbolsOf(fact);
    if (follows(Facts(), fact) || !std::includes(bound.begin(), bound.end(), names.begin(), names.end()))
      continue;
    for (const Expr &residue : residuesOf(fact)) {
      Step step{Step::Kind::Check};
      step.values = {residue, 0};
      step.place = fact.str();
      program.steps.push_back(std::move(step));
    }
  }
  known = ir::factsOf(function);
  return ok();
}

/// Conditions on extents that the shape rule of an op leaves open.
Status Planner::checks(Operation *op, std::vector<Step> &steps) {
  auto id = ir::opIdOf(op);
  if (!id || info(*id).pattern == Pattern::Composite)
    return ok();
  std::vector<TensorType> operands;
  for (Type type : op->getOperandTypes()) {
    PLIANT_TRY(TensorType converted, ir::fromMlir(type));
    operands.push_back(std::move(converted));
  }
  Facts facts = known;
  std::vector<Requirement> open;
  auto types = inferTypes(*id, ir::attrsOf(op, *id), operands, facts, &open);
  if (!types)
    return types.takeError().at(ir::placeOf(op->getLoc()));
  for (const Requirement &need : open) {
    Step step{Step::Kind::Check};
    step.values = {need.a, need.b};
    step.broadcast = need.broadcast;
    step.op = *id;
    step.attrs = ir::attrsOf(op, *id);
    step.operands = operands;
    step.place = ir::placeOf(op->getLoc());
    std::string key = need.a.str() + "|" + need.b.str() + (need.broadcast ? "b" : "e");
    if (!checked.insert(key).second)
      continue;
    if (!need.broadcast && need.b.constant())
      equal.emplace_back(need.a, need.b);
    else if (!need.broadcast)
      equal.emplace_back(need.b, need.a);
    steps.push_back(std::move(step));
  }
  return ok();
}

/// Where checks have shown extents to be equal, kernels know one of them only.
void Planner::unify(TensorType &type) const {
  for (Expr &extent : type.shape)
    for (const auto &[from, to] : equal)
      if (extent == from)
        extent = to;
}

Status Planner::launch(llvm::ArrayRef<Operation *> ops, std::vector<Step> &steps) {
  PLIANT_TRY(ir::BuiltGroup built, ir::buildGroup(ops));
  for (TensorType &input : built.group.inputs)
    unify(input);
  for (GroupNode &node : built.group.nodes)
    unify(node.type);
  Step step{Step::Kind::Launch};
  for (mlir::Value input : built.inputs) {
    PLIANT_TRY(int buffer, bufferOf(input));
    step.inputs.push_back(buffer);
  }
  for (mlir::Value output : built.outputs) {
    PLIANT_TRY(int buffer, arenaFor(output));
    step.outputs.push_back(buffer);
  }
  addLaunch(built.group, std::move(step), steps);
  return ok();
}

void Planner::addLaunch(const Group &group, Step step, std::vector<Step> &steps) {
  CanonicalGroup canonical = canonicalize(group);
  auto [at, fresh] = groupByText.try_emplace(canonical.group.text(), static_cast<int>(program.groups.size()));
  if (fresh)
    program.groups.push_back(canonical.group);
  step.group = at->second;
  step.symbols = canonical.symbols;
  for (const GroupNode &node : group.nodes)
    if (step.place.empty() && info(node.op).pattern != Pattern::Source && info(node.op).pattern != Pattern::Host)
      step.place = node.place;
  steps.push_back(std::move(step));
}

Status Planner::concat(ir::ConcatOp op, std::vector<Step> &steps) {
  PLIANT_TRY(int whole, arenaFor(op.getResult()));
  const Extents shape = program.buffers[whole].type.shape;
  int64_t axis = static_cast<int64_t>(op.getAxis());
  axis += axis < 0 ? static_cast<int64_t>(shape.size()) : 0;
  const Extents strides = rowMajor(shape);
  Expr start = 0;
  for (mlir::Value part : op->getOperands()) {
    PLIANT_TRY(TensorType type, ir::fromMlir(part.getType()));
    Group group;
    Step step{Step::Kind::Launch};
    Operation *maker = part.getDefiningOp();
    if (ir::isEmbedded(maker)) {
      auto id = ir::opIdOf(maker);
      group.nodes.push_back({*id, ir::attrsOf(maker, *id), {}, type, {}});
    } else {
      PLIANT_TRY(int buffer, bufferOf(part));
      group.inputs.push_back(type);
      group.weights.push_back(false);
      step.inputs = {buffer};
      if (part == op->getOperand(0) && start.isConstant(0))
        appends.push_back({buffer, whole, axis});
    }
    group.outputs.push_back({0, strides, start * strides[axis]});
    step.outputs = {whole};
    step.place = ir::placeOf(op->getLoc());
    addLaunch(group, std::move(step), steps);
    start = start + type.shape[axis];
  }
  return ok();
}

/// A kernel without nodes: its output is its input (or an embedded scalar).
Status Planner::copy(mlir::Value value, int to, std::vector<Step> &steps) {
  PLIANT_TRY(TensorType type, ir::fromMlir(value.getType()));
  Group group;
  Step step{Step::Kind::Launch};
  if (Operation *maker = value.getDefiningOp(); ir::isEmbedded(maker)) {
    auto id = ir::opIdOf(maker);
    group.nodes.push_back({*id, ir::attrsOf(maker, *id), {}, type, {}});
  } else {
    PLIANT_TRY(int buffer, bufferOf(value));
    group.inputs = {type};
    group.weights = {false};
    step.inputs = {buffer};
  }
  group.outputs.push_back({0, {}, 0});
  step.outputs = {to};
  addLaunch(group, std::move(step), steps);
  return ok();
}

Status Planner::outputs() {
  auto results = function.getBody().front().getTerminator()->getOperands();
  for (auto [i, value] : llvm::enumerate(results)) {
    PLIANT_TRY(Argument output, argumentOf(value.getType(), i, false));
    int root = -1;
    if (!ir::isEmbedded(value.getDefiningOp())) {
      PLIANT_TRY(int buffer, bufferOf(value));
      root = rootOf(buffer);
    }
    if (output.list) {
      program.outputBuffers.push_back(root);
    } else if (root >= 0 && (program.buffers[root].storage == Buffer::Storage::Arena || shared.erase(root))) {
      // Computed straight into the output; the flow allocates it under the shape that is asked for.
      program.buffers[root].storage = Buffer::Storage::Output;
      program.buffers[root].index = static_cast<int>(i);
      program.outputBuffers.push_back(root);
    } else {
      int copy = add({output.type, Buffer::Storage::Output, static_cast<int>(i)});
      PLIANT_CHECK(this->copy(value, copy, program.steps));
      program.outputBuffers.push_back(copy);
    }
    program.outputs.push_back(std::move(output));
  }
  return ok();
}

Result<Program> plan(func::FuncOp function, std::vector<Weight> weights) {
  return Planner(function, std::move(weights)).run();
}

} // namespace pliant::plan
