// SPDX-License-Identifier: Apache-2.0
// Before: %1 = pliant.add %x, %0 ... -> tensor<?x4xf32>, as a person writes it.
// After:  %1 = pliant.add %x, %0 ... -> tensor<?x4xf32, #pliant.shape<"x.0", "4">>.
#include "passes/passes.h"

using namespace mlir;

namespace pliant::passes {
namespace {

bool unnamed(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getEncoding() && !tensor.hasStaticShape();
}

class Refiner {
public:
  explicit Refiner(func::FuncOp function) : function(function), facts(ir::factsOf(function)) {}

  Status run() {
    MLIRContext *context = function.getContext();
    for (BlockArgument argument : function.getArguments()) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "pliant.name");
      const std::string own = name ? name.str() : "arg" + std::to_string(argument.getArgNumber());
      PLIANT_TRY(TensorType type, ir::fromMlir(argument.getType(), own));
      argument.setType(ir::toMlir(context, type));
    }
    taken = ir::liveSymbols(function);
    std::vector<Operation *> ops; // regions before the op that holds them
    function.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      Status status = isa<ir::IfOp>(op) ? join(cast<ir::IfOp>(op)) : infer(op);
      if (!status)
        return status.takeError().at(ir::placeOf(op->getLoc()));
    }
    SmallVector<Type> results(function.front().getTerminator()->getOperandTypes());
    for (auto [declared, actual] : llvm::zip(function.getResultTypes(), results))
      if (declared != actual && !unnamed(declared))
        return differs("the function's result", declared, actual);
    function.setType(FunctionType::get(context, SmallVector<Type>(function.getBody().getArgumentTypes()), results));
    return ok();
  }

private:
  func::FuncOp function;
  Facts facts;
  std::set<std::string> taken;
  int fresh = 0;

  Expr freshSymbol() {
    std::string name;
    do
      name = "if" + std::to_string(fresh++);
    while (!taken.insert(name).second);
    return Expr::symbol(name);
  }

  static Error differs(const std::string &what, Type declared, Type actual) {
    auto text = [](Type type) {
      auto shown = ir::fromMlir(type);
      return shown ? shown->str() : std::string("no tensor");
    };
    return userError("types", what + " is declared " + text(declared) + " but is " + text(actual));
  }

  /// Gives results without named extents what the op's rule says; the others must provably agree with it.
  Status infer(Operation *op) {
    auto id = ir::opIdOf(op);
    if (!id) {
      for (Type type : op->getResultTypes())
        if (unnamed(type))
          return userError("types", "the extents of a result of " + op->getName().getStringRef().str() +
                                        " do not follow from a rule: name them with #pliant.shape");
      return ok();
    }
    std::vector<TensorType> operands;
    for (Type type : op->getOperandTypes()) {
      PLIANT_TRY(TensorType converted, ir::fromMlir(type));
      operands.push_back(std::move(converted));
    }
    PLIANT_TRY(std::vector<TensorType> types, inferTypes(*id, ir::attrsOf(op, *id), operands, facts));
    if (types.size() != op->getNumResults())
      return userError(info(*id).name, "has " + std::to_string(op->getNumResults()) + " results instead of " +
                                           std::to_string(types.size()));
    for (auto [result, type] : llvm::zip(op->getResults(), types)) {
      for (Expr &extent : type.shape)
        extent = facts.canonical(extent);
      Type ruled = ir::toMlir(op->getContext(), type);
      if (unnamed(result.getType())) {
        result.setType(ruled);
        continue;
      }
      PLIANT_TRY(TensorType declared, ir::fromMlir(result.getType()));
      bool same = declared.dtype == type.dtype && declared.rank() == type.rank();
      for (size_t i = 0; same && i < type.shape.size(); ++i)
        same = facts.equal(declared.shape[i], type.shape[i]) == Proof::Yes;
      if (!same)
        return differs("a result of " + std::string(info(*id).name), result.getType(), ruled);
    }
    return ok();
  }

  /// Extents in which the branches differ are fresh symbols.
  Status join(ir::IfOp op) {
    auto yields = [&](unsigned region) { return op->getRegion(region).front().getTerminator()->getOperands(); };
    if (yields(0).size() != op->getNumResults() || yields(1).size() != op->getNumResults())
      return userError("if", "the branches give " + std::to_string(yields(0).size()) + " and " +
                                 std::to_string(yields(1).size()) + " values for " +
                                 std::to_string(op->getNumResults()) + " results");
    Extents symbols;
    for (auto [result, first, second] : llvm::zip(op->getResults(), yields(0), yields(1))) {
      if (isa<ir::ListType>(result.getType()))
        continue;
      PLIANT_TRY(TensorType a, ir::fromMlir(first.getType()));
      PLIANT_TRY(TensorType b, ir::fromMlir(second.getType()));
      PLIANT_TRY(TensorType declared, ir::fromMlir(result.getType()));
      if (a.dtype != b.dtype || a.rank() != b.rank() || declared.dtype != a.dtype || declared.rank() != a.rank())
        return userError("if", "the branches give " + a.str() + " and " + b.str() + " for a result declared " +
                                   declared.str() + ": element types and ranks must agree");
      for (size_t axis = 0; axis < a.shape.size(); ++axis) {
        const bool same = facts.equal(a.shape[axis], b.shape[axis]) == Proof::Yes;
        if (unnamed(result.getType())) {
          if (!same)
            a.shape[axis] = freshSymbol();
        } else if (!(same && facts.equal(declared.shape[axis], a.shape[axis]) == Proof::Yes) &&
                   !declared.shape[axis].symbolName()) {
          return userError("if", "extent " + declared.shape[axis].str() + " of the result is " + a.shape[axis].str() +
                                     " in one branch and " + b.shape[axis].str() + " in the other");
        }
      }
      if (unnamed(result.getType()))
        result.setType(ir::toMlir(op->getContext(), a));
      PLIANT_TRY(TensorType joined, ir::fromMlir(result.getType()));
      for (size_t axis = 0; axis < a.shape.size(); ++axis) {
        PLIANT_TRY(TensorType yielded, ir::fromMlir(first.getType()));
        if (!(joined.shape[axis] == yielded.shape[axis]) || !(joined.shape[axis] == b.shape[axis]))
          symbols.push_back(joined.shape[axis]);
      }
    }
    op->setAttr("declares", ir::toMlir(op->getContext(), symbols));
    return ok();
  }
};

} // namespace

Status refine(Unit &unit) { return Refiner(unit.function).run(); }

} // namespace pliant::passes
