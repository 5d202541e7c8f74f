// SPDX-License-Identifier: Apache-2.0
// The mechanism of drawing: choices, operands, nodes and their types.
#include "drawing.h"
#include "api/compiler.h"
#include <algorithm>

namespace pliant::differential {

Node::Node(const std::string &op, const std::vector<Value> &inputs) {
  proto.set_op_type(op);
  for (const Value &input : inputs)
    proto.add_input(input.name);
}
onnx::AttributeProto &Node::add(const char *name, onnx::AttributeProto::AttributeType type) {
  auto &attribute = *proto.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}
Node &Node::set(const char *name, int64_t value) {
  add(name, onnx::AttributeProto::INT).set_i(value);
  return *this;
}
Node &Node::set(const char *name, double value) {
  add(name, onnx::AttributeProto::FLOAT).set_f(static_cast<float>(value));
  return *this;
}
Node &Node::set(const char *name, const char *value) {
  add(name, onnx::AttributeProto::STRING).set_s(value);
  return *this;
}
Node &Node::set(const char *name, const std::vector<int64_t> &list) {
  auto &attribute = add(name, onnx::AttributeProto::INTS);
  attribute.mutable_ints()->Add(list.begin(), list.end());
  return *this;
}
Node &Node::set(const char *name, const std::vector<double> &list) {
  auto &attribute = add(name, onnx::AttributeProto::FLOATS);
  for (double value : list)
    attribute.add_floats(static_cast<float>(value));
  return *this;
}
Node &Node::set(const char *name, const std::vector<std::string> &list) {
  auto &attribute = add(name, onnx::AttributeProto::STRINGS);
  for (const std::string &text : list)
    attribute.add_strings(text);
  return *this;
}
Node &Node::set(const char *name, const DenseTensor &value) {
  *add(name, onnx::AttributeProto::TENSOR).mutable_t() = protoOf("", value);
  return *this;
}
Node &Node::set(const char *name, const onnx::GraphProto &value) {
  *add(name, onnx::AttributeProto::GRAPH).mutable_g() = value;
  return *this;
}

Drawing::Drawing(uint64_t seed, int64_t opset) : opset(opset), random(seed * 0x9e3779b97f4a7c15u + 7) {
  model.seed = seed;
  model.proto.set_ir_version(opset >= 21 ? 10 : 8);
  model.proto.add_opset_import()->set_version(opset);
  graph().set_name("differential");
}

DType Drawing::type(Types types) {
  if ((types & F32) && below(5) < 3)
    return DType::F32;
  if ((types & STRING) && chance(10))
    return DType::String;
  // ONNX Runtime has few kernels for the others.
  static constexpr Types common = F32 | F64 | I64 | I32 | U8 | BOOL;
  if ((types & common) && below(5))
    types &= common;
  std::vector<DType> list;
  for (int i = 0; i <= static_cast<int>(lastDType); ++i)
    if (auto type = static_cast<DType>(i); types & only(type))
      list.push_back(type);
  return one(list);
}

Expr Drawing::extent() {
  static const std::vector<const char *> symbols = {"n", "m", "k"};
  static const std::vector<int64_t> numbers = {1, 1, 2, 2, 3, 3, 4, 5, 8, 16, 17, 0};
  return chance(2) ? Expr::symbol(one(symbols)) : Expr(one(numbers));
}
Extents Drawing::extents(int rank) {
  Extents shape;
  int64_t count = 1;
  for (int i = 0; i < rank; ++i) {
    Expr e = extent();
    if (count * e.constant().value_or(6) > 3000)
      e = 1 + below(3);
    count *= e.constant().value_or(6);
    shape.push_back(e);
  }
  return shape;
}
int64_t Drawing::axis(int rank) { return below(rank) - (chance(3) ? rank : 0); }
std::vector<int64_t> Drawing::axes(int rank) {
  std::vector<int64_t> list;
  for (int i = 0; i < rank; ++i)
    if (chance(2))
      list.push_back(i - (chance(4) ? rank : 0));
  if (list.empty())
    list.push_back(axis(rank));
  return list;
}

bool Drawing::known(const Extents &shape) const {
  for (const Expr &e : shape)
    if (!model.valueOf(e, {{"n", 2}, {"m", 2}, {"k", 2}}))
      return false;
  return true;
}
bool Drawing::fits(const Value &v, Types types, int minRank, int maxRank, bool exact) const {
  return (types & only(v.type.dtype)) && v.rank() >= minRank && v.rank() <= maxRank && (v.exact || !exact);
}

Value Drawing::value(Types types, int minRank, int maxRank, bool exact) {
  if (below(5)) {
    std::vector<size_t> fitting;
    for (size_t i = 0; i < values.size(); ++i)
      if (fits(values[i], types, minRank, maxRank, exact))
        fitting.push_back(i);
    if (!fitting.empty()) // the latest are likelier, so that chains grow
      return values[chance(2) ? fitting.back() : one(fitting)];
  }
  const DType dtype = type(types);
  const int rank = static_cast<int>(
      std::max<int64_t>(minRank, std::min<int64_t>(maxRank, one<int64_t>({0, 1, 1, 2, 2, 2, 3, 3, 4}))));
  Data data;
  if (dtype == DType::String && chance(2))
    data.kind = Data::Kind::Words;
  if (!exact && isFloat(dtype))
    data.kind = one<Data::Kind>({Data::Kind::Integers, Data::Kind::Quarters, Data::Kind::Real});
  if (isFloat(dtype) && !exact && chance(25))
    data.kind = Data::Kind::Special;
  return input(dtype, extents(rank), data);
}

Value Drawing::input(DType dtype, const Extents &shape, Data data) {
  if (isUnsigned(dtype) || dtype == DType::Bool)
    data.low = data.kind == Data::Kind::Index ? data.low : dtype == DType::Bool ? 0 : std::max(data.low, 0.0);
  if (dtype == DType::Bool)
    data.high = 1;
  data.high = std::max(data.high, data.low);
  Value value{fresh("x"),
              {dtype, {}},
              data.kind != Data::Kind::Real || isInteger(dtype),
              std::max(std::abs(data.low), std::abs(data.high))};
  if (data.kind == Data::Kind::Special)
    value.exact = false;
  auto *info = graph().add_input();
  info->set_name(value.name);
  auto *tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnxType(dtype));
  tensor->mutable_shape();
  for (const Expr &e : shape) {
    auto *dim = tensor->mutable_shape()->add_dim();
    if (auto constant = e.constant()) {
      dim->set_dim_value(*constant);
      value.type.shape.push_back(e);
      continue;
    }
    std::string symbol = e.symbolName().value_or("");
    if (symbol.empty()) {
      for (const auto &[name, expr] : model.derived)
        if (expr == e)
          symbol = name;
      if (symbol.empty()) {
        symbol = "d" + std::to_string(model.derived.size());
        model.derived.emplace_back(symbol, e);
      }
    }
    dim->set_dim_param(symbol);
    value.type.shape.push_back(Expr::symbol(symbol));
  }
  model.inputs.push_back({value.name, value.type, data, std::nullopt});
  values.push_back(value);
  return value;
}

Value Drawing::constant(const DenseTensor &tensor) {
  const std::string name = fresh("c");
  *graph().add_initializer() = protoOf(name, tensor);
  return {name, {tensor.dtype(), Extents(tensor.dims().begin(), tensor.dims().end())}, true, 3};
}
Value Drawing::constant(DType dtype, const std::vector<int64_t> &dims, Data data) {
  if (isUnsigned(dtype)) {
    data.low = std::max(data.low, 0.0);
    data.high = std::max(data.high, data.low);
  }
  Value value = constant(*filled(dtype, dims, data, 1, random));
  value.bound = std::max(std::abs(data.low), std::abs(data.high));
  value.exact = data.kind != Data::Kind::Real || !isFloat(dtype);
  return value;
}
Value Drawing::ints(const std::vector<int64_t> &list, DType dtype) {
  DenseTensor tensor = *DenseTensor::allocate(dtype, {static_cast<int64_t>(list.size())});
  for (size_t i = 0; i < list.size(); ++i)
    dtype == DType::I64 ? void(tensor.as<int64_t>()[i] = list[i])
                        : void(tensor.as<int32_t>()[i] = static_cast<int32_t>(list[i]));
  return constant(tensor);
}
Value Drawing::intScalar(int64_t value, DType dtype) {
  DenseTensor tensor = *DenseTensor::allocate(dtype, {});
  dtype == DType::I64 ? void(*tensor.as<int64_t>() = value) : void(*tensor.as<int32_t>() = static_cast<int32_t>(value));
  return constant(tensor);
}
Value Drawing::intsOrInput(const std::vector<int64_t> &list) {
  Value value = ints(list);
  if (!chance(5) || list.empty())
    return value;
  // The same numbers as an input: drop the constant.
  const onnx::TensorProto proto = graph().initializer(graph().initializer_size() - 1);
  graph().mutable_initializer()->RemoveLast();
  Value read = input(DType::I64, value.type.shape);
  DenseTensor tensor = *DenseTensor::allocate(DType::I64, {static_cast<int64_t>(list.size())});
  std::copy(list.begin(), list.end(), tensor.as<int64_t>());
  model.inputs.back().given = tensor;
  values.pop_back(); // it is a list, no operand
  return read;
}

Value Drawing::operand(DType dtype, const Extents &shape, Data data) {
  std::vector<Value> fitting;
  for (const Value &v : values)
    if (v.type.dtype == dtype && v.type.shape == shape && data.kind != Data::Kind::Index && v.exact &&
        v.bound <= data.high)
      fitting.push_back(v);
  if (!fitting.empty() && below(3))
    return one(fitting);
  std::vector<int64_t> dims;
  for (const Expr &e : shape)
    if (auto constant = e.constant())
      dims.push_back(*constant);
  if (dims.size() == shape.size() && chance(2) && data.kind != Data::Kind::Index)
    return constant(dtype, dims, data);
  return input(dtype, shape, data);
}

Value Drawing::broadcastable(const Value &other, Data data) {
  Extents shape = other.type.shape;
  while (!shape.empty() && chance(5))
    shape.erase(shape.begin());
  for (Expr &e : shape)
    if (chance(4) || !known({e}))
      e = 1;
  if (shape.size() == other.type.shape.size() && shape.size() < 4 && chance(10))
    shape.insert(shape.begin(), extent());
  return operand(other.type.dtype, shape, data);
}

std::vector<std::string> Drawing::part(Node node, int results) {
  std::vector<std::string> list;
  for (int i = 0; i < results; ++i)
    list.push_back(fresh("v"));
  for (const std::string &name : list)
    node.proto.add_output(name);
  opsDrawn.push_back(node.proto.op_type());
  *graph().add_node() = std::move(node.proto);
  return list;
}

bool Drawing::emit(Node node, Results results) {
  const std::vector<std::string> made = part(std::move(node), results.count);
  onnx::ModelProto probe = model.proto;
  for (const std::string &name : made)
    probe.mutable_graph()->add_output()->set_name(name);
  driver::Options options;
  options.cache = false;
  options.listValues = true;
  options.stopAfter = "import";
  auto api = compiler();
  if (!api)
    return false;
  auto typed = (*api)->bytes(probe.SerializeAsString(), options);
  if (!typed) {
    Model wrong = model;
    wrong.proto = std::move(probe);
    refused.emplace_back(std::move(wrong), typed.error().text());
    return false;
  }
  for (const std::string &name : made)
    for (const driver::ValueNote &note : typed->values)
      if (note.op == "output" && note.name == name && !note.list) {
        Value value{name, note.type, results.exact, results.bound};
        const DType t = note.type.dtype;
        const double largest = t == DType::F16 ? 1024 : t == DType::BF16 ? 128 : 1e6;
        value.exact = !isFloat(t) || (results.exact && results.bound <= largest);
        if (results.read && (value.exact || (t != DType::F16 && t != DType::BF16))) // these round too coarsely to go on
          values.push_back(value);
      }
  return true;
}

bool Drawing::move(Node node, const std::vector<Value> &of, int count) {
  Results results{true, 0, count};
  for (const Value &v : of) {
    results.exact &= v.exact;
    results.bound = std::max(results.bound, v.bound);
  }
  return emit(std::move(node), results);
}

bool Drawing::step(const std::function<bool(Drawing &)> &draw) {
  const Model before = model;
  const std::vector<Value> had = values;
  const size_t drawn = opsDrawn.size();
  if (draw(*this)) {
    return true;
  }
  model = before;
  values = had;
  opsDrawn.resize(drawn);
  return false;
}

namespace {
void namesRead(const onnx::GraphProto &graph, std::vector<std::string> &out) {
  std::vector<const onnx::GraphProto *> graphs{&graph};
  for (size_t i = 0; i < graphs.size(); ++i)
    for (const auto &node : graphs[i]->node()) {
      out.insert(out.end(), node.input().begin(), node.input().end());
      for (const auto &a : node.attribute())
        if (a.has_g()) {
          graphs.push_back(&a.g());
          for (const auto &output : a.g().output())
            out.push_back(output.name());
        }
    }
}
} // namespace

Model Drawing::finish() {
  std::vector<std::string> read;
  namesRead(graph(), read);
  std::vector<std::string> made;
  for (const auto &node : graph().node())
    made.insert(made.end(), node.output().begin(), node.output().end());
  for (const Value &value : values) {
    if (std::find(made.begin(), made.end(), value.name) == made.end())
      continue;
    if (std::find(read.begin(), read.end(), value.name) == read.end() || chance(6))
      graph().add_output()->set_name(value.name);
  }
  // Results that no drawer may read are outputs all the same.
  for (const auto &node : graph().node())
    for (const std::string &name : node.output()) {
      const bool listed = std::any_of(values.begin(), values.end(), [&](const Value &v) { return v.name == name; });
      if (!listed && std::find(read.begin(), read.end(), name) == read.end())
        graph().add_output()->set_name(name);
    }
  return model;
}

void Body::input(const std::string &name, DType dtype, int rank) {
  auto *info = graph.add_input();
  info->set_name(name);
  auto *type = info->mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnxType(dtype));
  type->mutable_shape();
  for (int i = 0; i < rank; ++i)
    type->mutable_shape()->add_dim();
}
std::string Body::node(Node node, const std::string &output) {
  node.proto.add_output(output);
  *graph.add_node() = std::move(node.proto);
  return output;
}
void Body::output(const std::string &name, DType dtype) {
  auto *info = graph.add_output();
  info->set_name(name);
  info->mutable_type()->mutable_tensor_type()->set_elem_type(onnxType(dtype));
}

bool Drawer::has(int64_t opset) const {
  static const std::map<std::string, std::pair<int64_t, int64_t>> versions = {{"Attention", {23, 99}},
                                                                              {"AveragePool", {10, 99}},
                                                                              {"BitShift", {11, 99}},
                                                                              {"BitwiseAnd", {18, 99}},
                                                                              {"BitwiseNot", {18, 99}},
                                                                              {"BitwiseOr", {18, 99}},
                                                                              {"BitwiseXor", {18, 99}},
                                                                              {"BlackmanWindow", {17, 99}},
                                                                              {"CastLike", {15, 99}},
                                                                              {"Celu", {12, 99}},
                                                                              {"CenterCropPad", {18, 99}},
                                                                              {"ConcatFromSequence", {11, 99}},
                                                                              {"ConvInteger", {10, 99}},
                                                                              {"CumSum", {11, 99}},
                                                                              {"DFT", {17, 99}},
                                                                              {"DequantizeLinear", {10, 99}},
                                                                              {"Det", {11, 99}},
                                                                              {"DynamicQuantizeLinear", {11, 99}},
                                                                              {"Einsum", {12, 99}},
                                                                              {"GatherND", {11, 99}},
                                                                              {"Gelu", {20, 99}},
                                                                              {"GreaterOrEqual", {12, 99}},
                                                                              {"GridSample", {16, 99}},
                                                                              {"GroupNormalization", {21, 99}},
                                                                              {"HammingWindow", {17, 99}},
                                                                              {"HannWindow", {17, 99}},
                                                                              {"HardSwish", {14, 99}},
                                                                              {"IsInf", {10, 99}},
                                                                              {"LayerNormalization", {17, 99}},
                                                                              {"LessOrEqual", {12, 99}},
                                                                              {"MatMulInteger", {10, 99}},
                                                                              {"MaxPool", {10, 99}},
                                                                              {"MelWeightMatrix", {17, 99}},
                                                                              {"Mish", {18, 99}},
                                                                              {"Mod", {10, 99}},
                                                                              {"NegativeLogLikelihoodLoss", {12, 99}},
                                                                              {"NonMaxSuppression", {10, 99}},
                                                                              {"OptionalGetElement", {15, 99}},
                                                                              {"OptionalHasElement", {15, 99}},
                                                                              {"QLinearConv", {10, 99}},
                                                                              {"QLinearMatMul", {10, 99}},
                                                                              {"QuantizeLinear", {10, 99}},
                                                                              {"Range", {11, 99}},
                                                                              {"Resize", {10, 99}},
                                                                              {"ReverseSequence", {10, 99}},
                                                                              {"RoiAlign", {10, 99}},
                                                                              {"Round", {11, 99}},
                                                                              {"STFT", {17, 99}},
                                                                              {"Scatter", {9, 10}},
                                                                              {"ScatterElements", {11, 99}},
                                                                              {"ScatterND", {11, 99}},
                                                                              {"SequenceAt", {11, 99}},
                                                                              {"SequenceErase", {11, 99}},
                                                                              {"SequenceLength", {11, 99}},
                                                                              {"SequenceMap", {17, 99}},
                                                                              {"SoftmaxCrossEntropyLoss", {12, 99}},
                                                                              {"StringConcat", {20, 99}},
                                                                              {"StringNormalizer", {10, 99}},
                                                                              {"Trilu", {14, 99}},
                                                                              {"Unique", {11, 99}},
                                                                              {"Upsample", {9, 9}}};
  auto found = versions.find(op);
  return found == versions.end() || (opset >= found->second.first && opset <= found->second.second);
}

std::vector<Drawer> allDrawers() {
  std::vector<Drawer> all;
  for (auto list : {elementwise(), shapes(), indexing(), contractions(), windows(), reductions(), layers(),
                    recurrence(), texts(), control(), lists()})
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

} // namespace pliant::differential
