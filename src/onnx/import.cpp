// SPDX-License-Identifier: Apache-2.0
// Walks the graph in order and calls the rows.
#include "ir/facts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "onnx/importer.h"
#include "onnx/node_state.h"
#include "onnx/rows.h"
#include <numeric>

using namespace mlir;

namespace pliant::onnx_import {

/// Bodies of loops are built until the types of what they carry are settled; a bound for nests of them.
constexpr int64_t importLimit = int64_t(1) << 20;

Result<ImportedModel> Importer::run() {
  const auto &graph = file.proto().graph();
  opset = std::max<int64_t>(file.opset(), 1);
  PLIANT_CHECK(reportGaps(graph));
  Location place = NameLoc::get(StringAttr::get(&context, file.path()));
  result.module = ModuleOp::create(place);
  OpBuilder top(result.module->getBodyRegion());
  PLIANT_CHECK(inputTypes(graph));
  PLIANT_CHECK(userFacts());
  SmallVector<Type> types;
  for (const Input &input : arguments)
    types.push_back(input.list ? toMlir(*input.list) : ir::toMlir(&context, input.type));
  auto function = top.create<func::FuncOp>(place, "main", top.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  top.setInsertionPointToStart(entry);
  builder.emplace(top, facts);
  builder->nameSymbols([this](std::string name) { return fresh(std::move(name)); });
  scopes.emplace_back();
  auto kind = [&](const ListInfo &list) { return top.getI64IntegerAttr(static_cast<int64_t>(list.kind)); };
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Input &input = arguments[i];
    scopes.back()[input.name] = input.list ? Item(dynamic(*input.list, entry->getArgument(i)))
                                           : Item(builder->adopt(entry->getArgument(i), input.type));
    function.setArgAttr(i, "pliant.name", top.getStringAttr(input.name));
    if (input.list)
      function.setArgAttr(i, "pliant.list", kind(*input.list));
  }
  PLIANT_TRY(Items outputs, importGraph(graph));
  builder->at(place);
  SmallVector<mlir::Value> values;
  SmallVector<Type> resultTypes;
  for (const Item &item : outputs) {
    PLIANT_TRY(mlir::Value value, ssa(item));
    values.push_back(value);
    resultTypes.push_back(value.getType());
  }
  builder->builder().create<func::ReturnOp>(place, values);
  function.setType(top.getFunctionType(types, resultTypes));
  for (int i = 0; i < graph.output_size(); ++i) {
    function.setResultAttr(i, "pliant.name", top.getStringAttr(graph.output(i).name()));
    if (outputs[i].list)
      function.setResultAttr(i, "pliant.list", kind(outputs[i].list->type));
  }
  std::vector<Facts::Fact> outside;
  for (size_t i = 0; i < facts.all().size(); ++i) {
    Facts::Fact fact = facts.all()[i];
    if (fact.source == ir::readAtRunTime)
      continue; // the `bind` op says it
    if (!placeOfFact[i].empty())
      fact.source += ", node " + placeOfFact[i];
    outside.push_back(std::move(fact));
  }
  ir::writeFacts(function, outside);
  return std::move(result);
}

/// The user's facts hold from the start; the inputs' types follow them, so that equal extents have one name.
Status Importer::userFacts() {
  for (const std::string &text : options.facts) {
    PLIANT_TRY(Facts::Fact fact, parseFact(text));
    for (const std::string &name : symbolsOf(fact))
      if (!taken.contains(name)) {
        std::string all;
        for (const std::string &symbol : taken)
          all += (all.empty() ? "" : ", ") + symbol;
        return userError("fact", "'" + text + "' names '" + name + "', which is no symbol of the inputs", "",
                         all.empty() ? "every extent is fixed" : "the symbols are: " + all);
      }
    fact.source = "user";
    PLIANT_CHECK(assume(facts, fact));
  }
  placeOfFact.resize(facts.all().size());
  if (facts.all().empty())
    return ok();
  // A symbol that another one gives must not be the only binding of that one: "n == 2*m" leaves m to be read.
  std::set<std::string> bound, used;
  std::vector<Input> inputs = arguments;
  for (Input &input : inputs)
    for (Expr &extent : input.type.shape) {
      extent = facts.canonical(extent);
      if (auto name = extent.symbolName())
        bound.insert(*name);
      for (std::string &name : extent.symbols())
        used.insert(std::move(name));
    }
  if (std::includes(bound.begin(), bound.end(), used.begin(), used.end()))
    arguments = std::move(inputs);
  return ok();
}

Status Importer::reportGaps(const ::onnx::GraphProto &top) {
  std::string gaps;
  int count = 0;
  std::vector<const ::onnx::GraphProto *> stack{&top};
  while (!stack.empty()) {
    const ::onnx::GraphProto *graph = stack.back();
    stack.pop_back();
    for (int i = 0; i < graph->node_size(); ++i) {
      const auto &node = graph->node(i);
      bool ours = node.domain().empty() || node.domain() == "ai.onnx";
      bool known = ours && (isControl(node.op_type()) || isListOp(node.op_type()) || findRow(node.op_type(), opset));
      if (!known && ++count <= 50)
        gaps += "\n  " + onnx_file::describe(node, i) + (ours ? "" : " of domain " + onnx_file::quote(node.domain()));
      for (const auto &attribute : node.attribute())
        if (attribute.has_g())
          stack.push_back(&attribute.g());
    }
  }
  if (!count)
    return ok();
  return userError("import", std::to_string(count) + " nodes are not supported at opset " + std::to_string(opset) +
                                 ":" + gaps + (count > 50 ? "\n  ..." : ""));
}

Status Importer::inputTypes(const ::onnx::GraphProto &graph) {
  std::set<std::string_view> initializers;
  for (const auto &tensor : graph.initializer())
    initializers.insert(tensor.name());
  for (const auto &input : graph.input()) {
    if (initializers.contains(input.name()))
      continue;
    std::string shown = onnx_file::quote(input.name());
    const bool symbolic = options.symbolicInputs && !options.staticInputs.contains(input.name());
    if (!input.type().has_tensor_type()) {
      auto list = listType(input.type(), symbolic);
      if (!list)
        return list.takeError().at("input " + input.name());
      arguments.push_back({input.name(), {}, *list});
      continue;
    }
    const auto &tensor = input.type().tensor_type();
    auto dtype = onnx_file::dtypeOf(tensor.elem_type());
    if (!dtype)
      return dtype.takeError().at("input " + input.name());
    if (!tensor.has_shape())
      return userError("import", "input " + shown + " has no declared rank", "",
                       "the rank is static: declare one dimension per axis, with names for the free ones");
    TensorType type{*dtype, {}};
    for (int axis = 0; axis < tensor.shape().dim_size(); ++axis) {
      const auto &dim = tensor.shape().dim(axis);
      std::string own = input.name() + "." + std::to_string(axis);
      bool fixed = dim.has_dim_value() && dim.dim_value() >= 0; // some exporters write -1 for "free"
      if (fixed && !symbolic) {
        type.shape.push_back(dim.dim_value());
        continue;
      }
      std::string name = !fixed && dim.has_dim_param() && !dim.dim_param().empty() ? dim.dim_param() : own;
      if (auto renamed = options.rename.find(name); renamed != options.rename.end())
        name = renamed->second;
      type.shape.push_back(Expr::symbol(name));
      taken.insert(name);
    }
    arguments.push_back({input.name(), std::move(type), std::nullopt});
  }
  return ok();
}

Item Importer::lookup(const std::string &name) const {
  for (size_t depth = scopes.size(); depth-- > 0;)
    if (auto found = scopes[depth].find(name); found != scopes[depth].end())
      return found->second;
  return {};
}

Item Importer::input(const ::onnx::NodeProto &node, int i) const {
  return i < node.input_size() && !node.input(i).empty() ? lookup(node.input(i)) : Item();
}

/// Small tensors are constants of the program, the others entries of the weight table.
Result<Value> Importer::tensorValue(const ::onnx::TensorProto &proto) {
  PLIANT_TRY(DType dtype, onnx_file::dtypeOf(proto.data_type()));
  std::vector<int64_t> dims(proto.dims().begin(), proto.dims().end());
  PLIANT_TRY(int64_t count, elementCount(dims));
  const onnx_file::WeightBlob *blob = file.blobOf(proto);
  const bool small = static_cast<uint64_t>(count) * byteSize(dtype) <= onnx_file::blobThreshold;
  PLIANT_TRY(DenseTensor tensor, blob && !small ? file.weight(proto) : file.tensor(proto));
  if (small)
    return builder->constant(tensor);
  TensorType type{dtype, Extents(dims.begin(), dims.end())};
  result.weights.push_back({proto.name(), dtype, dims, static_cast<int>(result.weightData.size()), {}, {}, {}, {}});
  result.weightData.push_back(tensor);
  if (blob)
    result.sources.push_back({dtype, dims, *blob, {}});
  else
    result.sources.push_back({dtype, dims, {}, tensor});
  return builder->weight(static_cast<int64_t>(result.weights.size()) - 1, type);
}

Result<Importer::Items> Importer::importGraph(const ::onnx::GraphProto &graph, const Behind *behind, int *passed) {
  for (const auto &tensor : graph.initializer()) {
    builder->at(NameLoc::get(StringAttr::get(&context, tensor.name())));
    auto value = tensorValue(tensor);
    if (!value)
      return value.takeError().at("initializer " + onnx_file::quote(tensor.name()));
    scopes.back()[tensor.name()] = *value;
  }
  Rest rest{graph, std::vector<int>(static_cast<size_t>(graph.node_size())), behind};
  std::iota(rest.nodes.begin(), rest.nodes.end(), 0);
  PLIANT_CHECK(importNodes(rest));
  if (!rest.passed)
    return results(graph);
  *passed = rest.passed;
  return Items();
}

Result<Importer::Items> Importer::results(const ::onnx::GraphProto &graph) const {
  Items outputs;
  for (const auto &output : graph.output()) {
    Item item = lookup(output.name());
    if (!item)
      return userError("import", "output " + onnx_file::quote(output.name()) + " is made by no node");
    outputs.push_back(item);
  }
  return outputs;
}

Status Importer::importNodes(Rest &rest) {
  while (rest.next < rest.nodes.size())
    PLIANT_CHECK(importNext(rest));
  return ok();
}

Status Importer::importNext(Rest &rest) {
  const int index = rest.nodes[rest.next++];
  const auto &node = rest.graph.node(index);
  if (++imported > importLimit)
    return userError("import", "loops in loops whose extents change, or choices of a rank, make this graph too large");
  std::string place = node.name().empty() ? (node.output_size() ? node.output(0) : "") : node.name();
  builder->at(NameLoc::get(StringAttr::get(&context, place)));
  Status status = ok();
  Items results;
  if (node.op_type() == "If") {
    status = importIf(node, index, rest);
  } else if (isControl(node.op_type()) || takesList(node)) {
    auto made = isControl(node.op_type()) ? importControl(node) : importList(node);
    if (made && builder->failed())
      made = builder->takeError();
    if (made)
      results = std::move(*made);
    else
      status = made.takeError();
  } else if (node.op_type() == "Constant" && node.attribute_size() == 1 && node.attribute(0).has_t()) {
    auto value = tensorValue(node.attribute(0).t());
    if (value)
      results = {*value};
    else
      status = value.takeError();
  } else {
    NodeImport::State state{file,
                            [&](const std::string &name) { return lookup(name).value; },
                            [&](Value v) { return builder->constantValue(v); },
                            {}};
    NodeImport import(*builder, opset, node, state);
    status = findRow(node.op_type(), opset)->import(import);
    if (status)
      status = builder->status();
    results.assign(state.results.begin(), state.results.end());
  }
  if (!status)
    return status.takeError().at(onnx_file::describe(node, index));
  placeOfFact.resize(facts.all().size(), place);
  if (node.op_type() == "If")
    return ok();
  status = define(node, results);
  return status ? ok() : Status(status.takeError().at(onnx_file::describe(node, index)));
}

/// The names of a node's outputs stand for its results from here on.
Status Importer::define(const ::onnx::NodeProto &node, const Items &results) {
  for (int k = 0; k < node.output_size(); ++k) {
    if (node.output(k).empty())
      continue;
    if (k >= static_cast<int>(results.size()))
      return userError(node.op_type(), "output " + std::to_string(k) + " is not supported");
    scopes.back()[node.output(k)] = results[static_cast<size_t>(k)];
  }
  return ok();
}

Result<ImportedModel> importModel(const onnx_file::ModelFile &file, MLIRContext &context,
                                  const ImportOptions &options) {
  return Importer(file, context, options).run();
}

} // namespace pliant::onnx_import
