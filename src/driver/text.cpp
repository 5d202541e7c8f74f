// SPDX-License-Identifier: Apache-2.0
// Reads a program's text.
#include "driver/text.h"
#include "ir/symbols.h"
#include "mlir/Parser/Parser.h"
#include "passes/passes.h"
#include <set>

using namespace mlir;

namespace pliant::driver {
namespace {

constexpr int64_t weightLimit = 1 << 20;

/// The weights that the text's ops name. Numbers that nothing names are empty entries.
Result<std::vector<Weight>> weightsOf(func::FuncOp function) {
  std::vector<Weight> weights;
  Status status = ok();
  function.walk([&](ir::WeightOp op) {
    const int64_t index = static_cast<int64_t>(op.getIndex());
    auto type = ir::fromMlir(op.getResult().getType());
    std::vector<int64_t> dims;
    for (const Expr &extent : type ? type->shape : Extents())
      dims.push_back(extent.constant().value_or(-1));
    if (!type || index < 0 || index >= weightLimit || llvm::is_contained(dims, -1)) {
      status = userError("weight", "weight " + std::to_string(index) + " needs a number from 0 to " +
                                       std::to_string(weightLimit - 1) + " and fixed extents");
      return;
    }
    if (static_cast<size_t>(index) >= weights.size())
      weights.resize(static_cast<size_t>(index) + 1, Weight{"", DType::F32, {0}, -1, {}, {}, {}, {}});
    weights[static_cast<size_t>(index)] = {
        ir::placeOf(op.getLoc()), type->dtype, dims, static_cast<int>(index), {}, {}, {}, {}};
  });
  PLIANT_CHECK(std::move(status));
  return weights;
}

/// Every symbol must get a value at a run: from an input's axis, from a `bind`, or from the branch of an `if`.
Status allBound(func::FuncOp function) {
  std::set<std::string> symbols = ir::liveSymbols(function);
  auto bind = [&](Type type) {
    if (auto tensor = ir::fromMlir(type))
      for (const Expr &extent : tensor->shape)
        if (auto name = extent.symbolName())
          symbols.erase(*name);
  };
  for (Type type : function.getArgumentTypes())
    bind(type);
  auto erase = [&](const Extents &names) {
    for (const Expr &symbol : names)
      symbols.erase(symbol.symbolName().value_or(""));
  };
  function.walk([&](Operation *op) {
    erase(ir::declaredBy(op));
    if (auto loop = dyn_cast<ir::LoopOp>(op)) {
      erase(ir::fromMlir(loop.getIteration()));
      for (Type type : loop.getBody().getArgumentTypes())
        bind(type);
    }
  });
  if (symbols.empty())
    return ok();
  return userError("types", "nothing gives symbol '" + *symbols.begin() + "' a value", "",
                   "it must be the extent of an axis of an input, or the name that a bind declares");
}

} // namespace

Result<onnx_import::ImportedModel> readText(const std::string &path, MLIRContext &context) {
  std::string problem;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
    problem += (problem.empty() ? "" : "\n") + ir::placeOf(d.getLocation()) + ": " + d.str();
    return success();
  });
  onnx_import::ImportedModel model;
  model.module = parseSourceFile<ModuleOp>(path, ParserConfig(&context));
  if (!model.module)
    return userError("parse", problem.empty() ? path + " cannot be read" : problem);
  auto function = model.module->lookupSymbol<func::FuncOp>("main");
  if (!function || function.isDeclaration() || !function.getBody().hasOneBlock())
    return userError("parse", "the text has no function @main with a body of one block");
  for (Operation &op : *model.module->getBody())
    if (&op != function)
      return userError("parse", "the text holds more than the function @main");
  PLIANT_TRY(model.weights, weightsOf(function));
  passes::Unit unit{function, model.weights};
  PLIANT_CHECK(passes::refine(unit));
  PLIANT_CHECK(allBound(function));
  return model;
}

} // namespace pliant::driver
