// SPDX-License-Identifier: Apache-2.0
#include "cases.h"
#include "api/compiler.h"
#include <onnx/onnx_pb.h>

namespace pliant::bench {

Result<std::unique_ptr<Executable>> compileOp(const OneOp &op) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name("bench");
  onnx::NodeProto &node = *graph.add_node();
  node.set_op_type(op.op);
  auto constant = [&](const std::string &name, int type, const std::vector<int64_t> &dims, const void *data,
                      size_t bytes) {
    onnx::TensorProto &tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (int64_t d : dims)
      tensor.add_dims(d);
    tensor.set_raw_data(data, bytes);
    node.add_input(name);
  };
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    onnx::ValueInfoProto &input = *graph.add_input();
    input.set_name("x" + std::to_string(i));
    auto &type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    for (const std::string extent : op.inputs[i]) {
      if (std::isdigit(extent[0]))
        type.mutable_shape()->add_dim()->set_dim_value(std::stoll(extent));
      else
        type.mutable_shape()->add_dim()->set_dim_param(extent);
    }
    node.add_input(input.name());
  }
  for (size_t i = 0; i < op.weights.size(); ++i)
    constant("w" + std::to_string(i), onnx::TensorProto::FLOAT, op.weights[i].dims(), op.weights[i].data(),
             op.weights[i].bytes());
  if (!op.axes.empty())
    constant("axes", onnx::TensorProto::INT64, {static_cast<int64_t>(op.axes.size())}, op.axes.data(),
             op.axes.size() * 8);
  for (auto [name, value] : op.attributes) {
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }
  node.add_output("y");
  std::string result = "y";
  if (*op.activation) {
    onnx::NodeProto &second = *graph.add_node();
    second.set_op_type(op.activation);
    second.add_input(result);
    second.add_output(result = "z");
  }
  onnx::ValueInfoProto &output = *graph.add_output();
  output.set_name(result);
  output.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);

  PLIANT_TRY(const driver::CompilerApi *api, compiler());
  PLIANT_TRY(driver::Compiled compiled, api->bytes(model.SerializeAsString(), {}));
  PLIANT_TRY(auto executable, Executable::load(compiled.program, compiled.image, {}, std::move(compiled.weights)));
  executable->setThreads(1); // as the loops it is timed against
  return executable;
}

Result<DenseTensor> drawn(std::vector<int64_t> dims) {
  PLIANT_TRY(DenseTensor tensor, DenseTensor::allocate(DType::F32, std::move(dims)));
  uint32_t state = 1;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    tensor.as<float>()[i] = static_cast<float>(state >> 16) / 8192 - 4;
  }
  return tensor;
}

} // namespace pliant::bench
