// SPDX-License-Identifier: Apache-2.0
// Writes the model of the cache's tests.
#include "model.h"
#include <cstring>
#include <fstream>
#include <onnx/onnx_pb.h>
#include <vector>

namespace pliant::test {
namespace {

using onnx::TensorProto;

TensorProto &tensor(onnx::GraphProto &graph, const char *name, int type, const std::vector<int64_t> &dims) {
  TensorProto &made = *graph.add_initializer();
  made.set_name(name);
  made.set_data_type(type);
  for (int64_t extent : dims)
    made.add_dims(extent);
  return made;
}

std::string raw(size_t count, float first) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = first + 0.01f * static_cast<float>(i % 17);
  std::string bytes(4 * count, '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A small whole number as a half float.
int32_t halfBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return static_cast<int32_t>((bits >> 13 & 0x3ff) | (((bits >> 23) - 112) << 10));
}

onnx::NodeProto &node(onnx::GraphProto &graph, const char *op, std::vector<std::string> in, const char *out) {
  onnx::NodeProto &made = *graph.add_node();
  made.set_op_type(op);
  made.set_name(std::string("make_") + out);
  for (const std::string &name : in)
    made.add_input(name);
  made.add_output(out);
  return made;
}

void declare(onnx::ValueInfoProto &value, const std::string &name, int64_t columns) {
  value.set_name(name);
  auto &type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_param("batch");
  type.mutable_shape()->add_dim()->set_dim_value(columns);
}

} // namespace

std::string writeModel(const std::string &folder, const ModelParts &parts) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name("g");
  declare(*graph.add_input(), parts.name, 64);
  declare(*graph.add_output(), "y", 100);
  tensor(graph, "w", TensorProto::FLOAT, {64, 32}).set_raw_data(raw(64 * 32, parts.weight));
  TensorProto &bias = tensor(graph, "b", TensorProto::FLOAT, {32});
  if (parts.external.empty()) {
    bias.set_raw_data(raw(32, parts.bias));
  } else {
    std::ofstream(folder + "/" + parts.external, std::ios::binary) << raw(32, parts.bias);
    bias.set_data_location(TensorProto::EXTERNAL);
    auto &location = *bias.add_external_data();
    location.set_key("location");
    location.set_value(parts.external);
  }
  TensorProto &rows = tensor(graph, "rows", TensorProto::INT64, {100});
  for (int64_t i = 0; i < 100; ++i)
    rows.add_int64_data((parts.firstRow + i) % 32 - 32); // negative: ten bytes each
  TensorProto &scale = tensor(graph, "s", TensorProto::FLOAT16, {100});
  for (int i = 0; i < 100; ++i)
    scale.add_int32_data(halfBits(parts.half));
  node(graph, "MatMul", {parts.name, "w"}, "product");
  node(graph, "Add", {"product", "b"}, "sum");
  auto &slope = *node(graph, "LeakyRelu", {"sum"}, "active").add_attribute();
  slope.set_name("alpha");
  slope.set_type(onnx::AttributeProto::FLOAT);
  slope.set_f(parts.slope);
  auto &axis = *node(graph, "Gather", {"active", "rows"}, "picked").add_attribute();
  axis.set_name("axis");
  axis.set_type(onnx::AttributeProto::INT);
  axis.set_i(1);
  auto &to = *node(graph, "Cast", {"s"}, "scale").add_attribute();
  to.set_name("to");
  to.set_type(onnx::AttributeProto::INT);
  to.set_i(TensorProto::FLOAT);
  node(graph, "Mul", {"picked", "scale"}, "y");
  const std::string path = folder + "/model.onnx";
  std::ofstream stream(path, std::ios::binary);
  model.SerializeToOstream(&stream);
  return path;
}

} // namespace pliant::test
