// SPDX-License-Identifier: Apache-2.0
// What the tests of reading ONNX files share: small models made in process, folders that clean up, error checks.
#pragma once
#include "onnx/file.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace pliant::onnx_file::test {

using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

inline NodeProto &addNode(google::protobuf::RepeatedPtrField<NodeProto> &nodes, const std::string &op,
                          std::vector<std::string> inputs, std::vector<std::string> outputs,
                          const std::string &name = {}) {
  NodeProto &node = *nodes.Add();
  node.set_op_type(op);
  if (!name.empty())
    node.set_name(name);
  for (auto &each : inputs)
    node.add_input(each);
  for (auto &each : outputs)
    node.add_output(each);
  return node;
}
inline NodeProto &addNode(GraphProto &graph, const std::string &op, std::vector<std::string> inputs,
                          std::vector<std::string> outputs, const std::string &name = {}) {
  return addNode(*graph.mutable_node(), op, std::move(inputs), std::move(outputs), name);
}

inline void addValue(google::protobuf::RepeatedPtrField<::onnx::ValueInfoProto> &values, const std::string &name) {
  auto &value = *values.Add();
  value.set_name(name);
  auto &type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_param("N");
}

inline AttributeProto &addAttribute(NodeProto &node, const std::string &name, AttributeProto::AttributeType type) {
  AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

/// `count` floats start, start+1, ... as raw data.
inline void setFloats(TensorProto &tensor, int64_t count, float start = 0) {
  tensor.set_data_type(TensorProto::FLOAT);
  tensor.add_dims(count);
  std::string &raw = *tensor.mutable_raw_data();
  for (int64_t i = 0; i < count; ++i) {
    float value = start + static_cast<float>(i);
    raw.append(reinterpret_cast<const char *>(&value), 4);
  }
}

/// x -> Identity -> y, opset 17.
inline ModelProto identityModel() {
  ModelProto model;
  model.set_ir_version(8);
  auto &import = *model.add_opset_import();
  import.set_version(17);
  GraphProto &graph = *model.mutable_graph();
  graph.set_name("g");
  addValue(*graph.mutable_input(), "x");
  addValue(*graph.mutable_output(), "y");
  addNode(graph, "Identity", {"x"}, {"y"}, "id");
  return model;
}

/// Weights in an initializer, a Constant node and a subgraph, small tensors, a default attribute, a function: a
/// model with every kind of message that the scan knows.
inline ModelProto richModel(int64_t weights = 100) {
  ModelProto model = identityModel();
  GraphProto &graph = *model.mutable_graph();
  setFloats(*graph.add_initializer(), weights, 1);
  graph.mutable_initializer(0)->set_name("w");
  setFloats(*graph.add_initializer(), 2, 5);
  graph.mutable_initializer(1)->set_name("small");
  setFloats(*addAttribute(addNode(graph, "Constant", {}, {"c"}), "value", AttributeProto::TENSOR).mutable_t(), weights,
            2);
  NodeProto &branch = addNode(graph, "If", {"cond"}, {"b"}, "if");
  for (const char *name : {"then_branch", "else_branch"}) {
    GraphProto &inner = *addAttribute(branch, name, AttributeProto::GRAPH).mutable_g();
    TensorProto &weight = *inner.add_initializer();
    weight.set_name("inner");
    setFloats(weight, weights, 3);
    addNode(inner, "Add", {"inner", "w"}, {"sum"});
    addValue(*inner.mutable_output(), "sum");
  }
  addValue(*graph.mutable_input(), "cond");
  auto &sequence = *graph.add_value_info();
  sequence.set_name("b");
  sequence.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(1);
  FunctionProto &function = *model.add_functions();
  function.set_domain("f");
  function.set_name("Twice");
  function.add_input("a");
  function.add_output("r");
  function.add_opset_import()->set_version(17);
  setFloats(*addAttribute(addNode(*function.mutable_node(), "Constant", {}, {"k"}), "value", AttributeProto::TENSOR)
                 .mutable_t(),
            weights, 4);
  addNode(*function.mutable_node(), "Mul", {"a", "k"}, {"r"}, "mul");
  model.add_opset_import()->set_domain("f");
  model.mutable_opset_import(1)->set_version(1);
  for (const char *out : {"t1", "t2"})
    addNode(graph, "Twice", {"w"}, {out}).set_domain("f");
  return model;
}

inline Result<ModelFile> load(const ModelProto &model, const Limits &limits = {}) {
  return ModelFile::fromBytes(model.SerializeAsString(), {}, limits);
}

/// The text of the error of a model that must not open; every part must occur in it.
template <class T> void expectError(const Result<T> &result, std::initializer_list<std::string> parts) {
  ASSERT_FALSE(bool(result)) << "no error, expected " << *parts.begin();
  std::string text = result.error().message + " @ " + result.error().where;
  EXPECT_EQ(result.error().kind, Error::Kind::User);
  for (const std::string &part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}
#define EXPECT_OPENS(result) EXPECT_TRUE(bool(result)) << ((result) ? std::string() : (result).error().message)
#define ASSERT_OPENS(result) ASSERT_TRUE(bool(result)) << ((result) ? std::string() : (result).error().message)

class Folder {
public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "pliant-onnx-XXXXXX").string();
    where = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(where); }
  std::string write(const std::string &name, const std::string &bytes) const {
    std::filesystem::create_directories((where / name).parent_path());
    std::ofstream(where / name, std::ios::binary) << bytes;
    return (where / name).string();
  }
  std::filesystem::path where;
};

/// A folder of test data named by a variable or by default; nullopt when absent, which CI does not allow.
inline std::optional<std::filesystem::path> dataFolder(const char *variable, const char *fallback = nullptr) {
  const char *value = std::getenv(variable), *ci = std::getenv("CI");
  std::filesystem::path path = value ? value : fallback ? fallback : "";
#ifdef PLIANT_SOURCE_DIR
  if (!value && std::string(variable) == "PLIANT_MODELS")
    path = std::filesystem::path(PLIANT_SOURCE_DIR) / ".." / "shared" / "models"; // beside the checkout
#endif
  if (!path.empty() && std::filesystem::is_directory(path))
    return path;
  if (ci && std::string(ci) == "true")
    ADD_FAILURE() << variable << " names no folder, and CI=true";
  return std::nullopt;
}

} // namespace pliant::onnx_file::test
