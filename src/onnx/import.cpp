// SPDX-License-Identifier: Apache-2.0
// Walks the graph in order and calls the rows.
#include "onnx/import.h"
#include "ir/facts.h"
#include "ir/ir_builder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "onnx/node_state.h"
#include "onnx/rows.h"
#include <unordered_map>

using namespace mlir;

namespace pliant::onnx_import {
namespace {

using Scope = std::unordered_map<std::string, Value>;

class Importer {
public:
  Importer(const onnx_file::ModelFile &file, MLIRContext &context, const ImportOptions &options)
      : file(file), context(context), options(options) {}

  Result<ImportedModel> run() {
    const auto &graph = file.proto().graph();
    opset = std::max<int64_t>(file.opset(), 1);
    PLIANT_CHECK(reportGaps(graph));
    Location place = NameLoc::get(StringAttr::get(&context, file.path()));
    result.module = ModuleOp::create(place);
    OpBuilder top(result.module->getBodyRegion());
    PLIANT_CHECK(inputTypes(graph));
    PLIANT_CHECK(userFacts());
    SmallVector<Type> types;
    for (const TensorType &type : argumentTypes)
      types.push_back(ir::toMlir(&context, type));
    auto function = top.create<func::FuncOp>(place, "main", top.getFunctionType(types, {}));
    Block *entry = function.addEntryBlock();
    top.setInsertionPointToStart(entry);
    builder.emplace(top, facts);
    scopes.emplace_back();
    for (size_t i = 0; i < argumentNames.size(); ++i) {
      scopes.back()[argumentNames[i]] = builder->adopt(entry->getArgument(i), argumentTypes[i]);
      function.setArgAttr(i, "pliant.name", top.getStringAttr(argumentNames[i]));
    }
    PLIANT_TRY(std::vector<Value> outputs, importGraph(graph));
    SmallVector<mlir::Value> values;
    SmallVector<Type> resultTypes;
    for (Value v : outputs) {
      values.push_back(builder->ssa(v));
      resultTypes.push_back(values.back().getType());
    }
    builder->builder().create<func::ReturnOp>(place, values);
    function.setType(top.getFunctionType(types, resultTypes));
    for (int i = 0; i < graph.output_size(); ++i)
      function.setResultAttr(i, "pliant.name", top.getStringAttr(graph.output(i).name()));
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

private:
  const onnx_file::ModelFile &file;
  MLIRContext &context;
  const ImportOptions &options;
  ImportedModel result;
  Facts facts;
  int64_t opset = 1;
  std::optional<ir::IrBuilder> builder;
  std::vector<Scope> scopes;
  std::vector<std::string> argumentNames;
  std::vector<TensorType> argumentTypes;
  std::unordered_map<const ::onnx::TensorProto *, Value> known;
  int branches = 0;
  std::vector<std::string> placeOfFact; // beside facts.all(): the node that gave it

  /// The user's facts hold from the start; the inputs' types follow them, so that equal extents have one name.
  Status userFacts() {
    std::set<std::string> symbols;
    for (const TensorType &type : argumentTypes)
      for (const Expr &extent : type.shape)
        if (auto name = extent.symbolName())
          symbols.insert(*name);
    for (const std::string &text : options.facts) {
      PLIANT_TRY(Facts::Fact fact, parseFact(text));
      for (const std::string &name : symbolsOf(fact))
        if (!symbols.contains(name)) {
          std::string all;
          for (const std::string &symbol : symbols)
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
    std::vector<TensorType> types = argumentTypes;
    for (TensorType &type : types)
      for (Expr &extent : type.shape) {
        extent = facts.canonical(extent);
        if (auto name = extent.symbolName())
          bound.insert(*name);
        for (std::string &name : extent.symbols())
          used.insert(std::move(name));
      }
    if (std::includes(bound.begin(), bound.end(), used.begin(), used.end()))
      argumentTypes = std::move(types);
    return ok();
  }

  Status reportGaps(const ::onnx::GraphProto &top) {
    std::string gaps;
    int count = 0;
    std::vector<const ::onnx::GraphProto *> stack{&top};
    while (!stack.empty()) {
      const ::onnx::GraphProto *graph = stack.back();
      stack.pop_back();
      for (int i = 0; i < graph->node_size(); ++i) {
        const auto &node = graph->node(i);
        bool ours = node.domain().empty() || node.domain() == "ai.onnx";
        if (node.op_type() != "If" && (!ours || !findRow(node.op_type(), opset)) && ++count <= 50)
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

  Status inputTypes(const ::onnx::GraphProto &graph) {
    Scope initializers;
    for (const auto &tensor : graph.initializer())
      initializers[tensor.name()] = Value{0};
    for (const auto &input : graph.input()) {
      if (initializers.contains(input.name()))
        continue;
      std::string shown = onnx_file::quote(input.name());
      if (!input.type().has_tensor_type())
        return userError("import", "input " + shown + " is not a tensor");
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
        if (fixed && (!options.symbolicInputs || options.staticInputs.contains(input.name()))) {
          type.shape.push_back(dim.dim_value());
          continue;
        }
        std::string name = !fixed && dim.has_dim_param() && !dim.dim_param().empty() ? dim.dim_param() : own;
        if (auto renamed = options.rename.find(name); renamed != options.rename.end())
          name = renamed->second;
        type.shape.push_back(Expr::symbol(name));
      }
      argumentNames.push_back(input.name());
      argumentTypes.push_back(std::move(type));
    }
    return ok();
  }

  Value lookup(const std::string &name) {
    for (size_t depth = scopes.size(); depth-- > 0;)
      if (auto found = scopes[depth].find(name); found != scopes[depth].end())
        return found->second;
    return {};
  }

  /// Small tensors are constants of the program, the others entries of the weight table.
  Result<Value> tensorValue(const ::onnx::TensorProto &proto) {
    PLIANT_TRY(DType dtype, onnx_file::dtypeOf(proto.data_type()));
    std::vector<int64_t> dims(proto.dims().begin(), proto.dims().end());
    PLIANT_TRY(int64_t count, elementCount(dims));
    const onnx_file::WeightBlob *blob = file.blobOf(proto);
    const bool small = static_cast<uint64_t>(count) * byteSize(dtype) <= onnx_file::blobThreshold;
    PLIANT_TRY(Tensor tensor, blob && !small ? file.weight(proto) : file.tensor(proto));
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

  Result<std::vector<Value>> importGraph(const ::onnx::GraphProto &graph) {
    for (const auto &tensor : graph.initializer()) {
      builder->at(NameLoc::get(StringAttr::get(&context, tensor.name())));
      auto value = tensorValue(tensor);
      if (!value)
        return value.takeError().at("initializer " + onnx_file::quote(tensor.name()));
      scopes.back()[tensor.name()] = *value;
    }
    for (int i = 0; i < graph.node_size(); ++i)
      PLIANT_CHECK(importNode(graph.node(i), i));
    std::vector<Value> outputs;
    for (const auto &output : graph.output()) {
      Value v = lookup(output.name());
      if (!v)
        return userError("import", "output " + onnx_file::quote(output.name()) + " is made by no node");
      outputs.push_back(v);
    }
    return outputs;
  }

  Status importNode(const ::onnx::NodeProto &node, int index) {
    std::string place = node.name().empty() ? (node.output_size() ? node.output(0) : "") : node.name();
    builder->at(NameLoc::get(StringAttr::get(&context, place)));
    std::vector<Value> results;
    if (node.op_type() == "If") {
      auto made = importIf(node);
      if (!made)
        return made.takeError().at(onnx_file::describe(node, index));
      results = std::move(*made);
    } else if (node.op_type() == "Constant" && node.attribute_size() == 1 && node.attribute(0).has_t()) {
      auto value = tensorValue(node.attribute(0).t());
      if (!value)
        return value.takeError().at(onnx_file::describe(node, index));
      results = {*value};
    } else {
      NodeImport::State state{file,
                              [&](const std::string &name) { return lookup(name); },
                              [&](Value v) { return builder->constantValue(v); },
                              {}};
      NodeImport import(*builder, opset, node, state);
      Status status = findRow(node.op_type(), opset)->import(import);
      if (status)
        status = builder->status();
      if (!status)
        return status.takeError().at(onnx_file::describe(node, index));
      results = std::move(state.results);
    }
    placeOfFact.resize(facts.all().size(), place);
    for (int k = 0; k < node.output_size(); ++k) {
      if (node.output(k).empty())
        continue;
      if (k >= static_cast<int>(results.size()))
        return userError(node.op_type(), "output " + std::to_string(k) + " is not supported")
            .at(onnx_file::describe(node, index));
      scopes.back()[node.output(k)] = results[k];
    }
    return ok();
  }

  Result<std::vector<Value>> importIf(const ::onnx::NodeProto &node) {
    const ::onnx::GraphProto *graphs[2] = {};
    for (const auto &attribute : node.attribute()) {
      if (attribute.name() == "then_branch")
        graphs[0] = &attribute.g();
      if (attribute.name() == "else_branch")
        graphs[1] = &attribute.g();
    }
    Value condition = node.input_size() ? lookup(node.input(0)) : Value{};
    if (!graphs[0] || !graphs[1] || !condition)
      return userError("If", "a branch or the condition is missing");
    if (builder->dtype(condition) != DType::Bool || !product(builder->shape(condition)).isConstant(1))
      return userError("If", "the condition is " + builder->type(condition).str() + ", not one bool");
    if (const Content *content = builder->content(condition))
      if (auto decided = content->front().constant()) { // shapes decide the branch
        scopes.emplace_back();
        auto values = importGraph(*graphs[*decided ? 0 : 1]);
        scopes.pop_back();
        return values;
      }
    OpBuilder &b = builder->builder();
    Location place = builder->location();
    auto resume = b.saveInsertionPoint();
    std::vector<std::unique_ptr<Region>> regions;
    std::vector<std::vector<Value>> results;
    for (const auto *graph : graphs) {
      regions.push_back(std::make_unique<Region>());
      Block &block = regions.back()->emplaceBlock();
      b.setInsertionPointToStart(&block);
      scopes.emplace_back();
      auto values = importGraph(*graph);
      scopes.pop_back();
      if (!values)
        return values;
      results.push_back(std::move(*values));
    }
    if (results[0].size() != results[1].size())
      return userError("If", "the branches give " + std::to_string(results[0].size()) + " and " +
                                 std::to_string(results[1].size()) + " values");
    std::vector<TensorType> joined;
    for (size_t i = 0; i < results[0].size(); ++i) {
      TensorType a = builder->type(results[0][i]), c = builder->type(results[1][i]);
      if (a.dtype != c.dtype || a.rank() != c.rank())
        return userError("If",
                         "the branches give " + a.str() + " and " + c.str() + ": element types and ranks must agree");
      for (size_t axis = 0; axis < a.shape.size(); ++axis)
        if (!(a.shape[axis] == c.shape[axis]))
          a.shape[axis] = Expr::symbol("if" + std::to_string(branches++));
      joined.push_back(a);
    }
    SmallVector<Type> types;
    for (const TensorType &type : joined)
      types.push_back(ir::toMlir(&context, type));
    for (size_t k = 0; k < 2; ++k) {
      b.setInsertionPointToEnd(&regions[k]->front());
      SmallVector<mlir::Value> values;
      for (Value v : results[k])
        values.push_back(builder->ssa(v));
      b.create<ir::YieldOp>(place, values);
    }
    b.restoreInsertionPoint(resume);
    OperationState state(place, ir::IfOp::getOperationName());
    state.addOperands(builder->ssa(condition));
    state.addTypes(types);
    for (auto &region : regions)
      state.addRegion(std::move(region));
    Operation *made = b.create(state);
    std::vector<Value> values;
    for (size_t i = 0; i < joined.size(); ++i)
      values.push_back(builder->adopt(made->getResult(i), joined[i]));
    return values;
  }
};

} // namespace

Result<ImportedModel> importModel(const onnx_file::ModelFile &file, MLIRContext &context,
                                  const ImportOptions &options) {
  return Importer(file, context, options).run();
}

} // namespace pliant::onnx_import
