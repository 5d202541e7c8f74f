// SPDX-License-Identifier: Apache-2.0
#include "driver/trace_import.h"
#include "ir/facts.h"
#include "ir/ir_builder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace pliant::driver {

Result<onnx_import::ImportedModel> importTrace(const trace::Trace &trace, MLIRContext &context) {
  onnx_import::ImportedModel model;
  const Location unknown = UnknownLoc::get(&context);
  model.module = ModuleOp::create(unknown);
  OpBuilder top(model.module->getBodyRegion());
  // The inputs' types follow the guards, so that equal extents have one name.
  Facts facts;
  for (const trace::Guard &guard : trace.guards)
    PLIANT_CHECK(facts.assumeEqual(guard.a, guard.b, "recorded"));
  std::vector<TensorType> inputs = trace.leaves;
  for (TensorType &type : inputs)
    for (Expr &extent : type.shape)
      extent = facts.canonical(extent);
  if (trace.integers) {
    Extents carried{0}; // no element, whatever the numbers are
    for (uint32_t i = 0; i < trace.integers; ++i)
      carried.push_back(Expr::symbol("n" + std::to_string(i)));
    inputs.push_back({DType::U8, std::move(carried)});
  }
  SmallVector<Type> types;
  for (const TensorType &input : inputs)
    types.push_back(ir::toMlir(&context, input));
  auto function = top.create<func::FuncOp>(unknown, "main", top.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  top.setInsertionPointToStart(entry);
  ir::IrBuilder builder(top, facts);
  std::vector<pliant::Value> leaves, values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    leaves.push_back(builder.adopt(entry->getArgument(static_cast<unsigned>(i)), inputs[i]));
    function.setArgAttr(static_cast<unsigned>(i), "pliant.name", top.getStringAttr("leaf" + std::to_string(i)));
  }
  for (const trace::Op &op : trace.ops) {
    builder.at(NameLoc::get(top.getStringAttr(op.place)));
    std::vector<pliant::Value> operands;
    for (const trace::Ref &ref : op.operands)
      operands.push_back(ref.leaf ? leaves[ref.index] : values[ref.index]);
    const std::vector<pliant::Value> results = builder.build(op.id, op.attrs, operands);
    if (builder.failed())
      return builder.takeError().at(op.place);
    values.insert(values.end(), results.begin(), results.end());
  }
  builder.at(unknown);
  SmallVector<mlir::Value> outputs;
  SmallVector<Type> outputTypes;
  for (const trace::Ref &ref : trace.outputs) {
    outputs.push_back(builder.ssa(ref.leaf ? leaves[ref.index] : values[ref.index]));
    outputTypes.push_back(outputs.back().getType());
  }
  builder.builder().create<func::ReturnOp>(unknown, outputs);
  function.setType(top.getFunctionType(types, outputTypes));
  for (size_t i = 0; i < outputs.size(); ++i)
    function.setResultAttr(static_cast<unsigned>(i), "pliant.name", top.getStringAttr("value" + std::to_string(i)));
  ir::writeFacts(function, facts.all());
  return model;
}

} // namespace pliant::driver
