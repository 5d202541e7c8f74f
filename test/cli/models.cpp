// SPDX-License-Identifier: Apache-2.0
// pliant-test-models FOLDER [CHAIN]: writes the tiny ONNX models, good and bad, that the test of the command reads;
// with CHAIN also a chain of that many nodes.
#include <cstdlib>
#include <fstream>
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

namespace {

using onnx::TensorProto;

struct Dim {
  const char *symbol;
  int64_t value;
  Dim(const char *symbol) : symbol(symbol), value(0) {}
  Dim(int64_t value) : symbol(nullptr), value(value) {}
};

class Model {
public:
  Model() {
    proto.set_ir_version(8);
    proto.add_opset_import()->set_version(17);
    graph().set_name("g");
  }
  onnx::GraphProto &graph() { return *proto.mutable_graph(); }
  Model &input(const char *name, int type, const std::vector<Dim> &dims) {
    declare(graph().add_input(), name, type, dims);
    return *this;
  }
  Model &output(const char *name, int type, const std::vector<Dim> &dims) {
    declare(graph().add_output(), name, type, dims);
    return *this;
  }
  Model &node(const char *op, const std::vector<std::string> &in, const std::string &out,
              const std::string &name = {}) {
    auto *node = graph().add_node();
    node->set_op_type(op);
    node->set_name(name.empty() ? "make_" + out : name);
    for (const std::string &i : in)
      node->add_input(i);
    node->add_output(out);
    return *this;
  }
  Model &floats(const char *name, const std::vector<int64_t> &dims, const std::vector<float> &values) {
    auto *tensor = graph().add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(TensorProto::FLOAT);
    for (int64_t d : dims)
      tensor->add_dims(d);
    for (float v : values)
      tensor->add_float_data(v);
    return *this;
  }
  /// Of the last node.
  Model &attribute(const char *name, int64_t value) {
    auto *attribute = graph().mutable_node(graph().node_size() - 1)->add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INT);
    attribute->set_i(value);
    return *this;
  }
  Model &attribute(const char *name, Model &body) {
    auto *attribute = graph().mutable_node(graph().node_size() - 1)->add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::GRAPH);
    *attribute->mutable_g() = body.graph();
    return *this;
  }
  /// Another output of the last node.
  Model &also(const char *output) {
    graph().mutable_node(graph().node_size() - 1)->add_output(output);
    return *this;
  }
  void write(const std::string &path) const {
    std::ofstream stream(path, std::ios::binary);
    if (!proto.SerializeToOstream(&stream))
      std::exit(1);
  }

private:
  onnx::ModelProto proto;
  static void declare(onnx::ValueInfoProto *info, const char *name, int type, const std::vector<Dim> &dims) {
    info->set_name(name);
    auto *tensor = info->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    auto *shape = tensor->mutable_shape();
    for (const Dim &dim : dims) {
      if (dim.symbol)
        shape->add_dim()->set_dim_param(dim.symbol);
      else
        shape->add_dim()->set_dim_value(dim.value);
    }
  }
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  const std::string folder = std::string(argv[1]) + "/";
  const int f32 = TensorProto::FLOAT, i64 = TensorProto::INT64, i32 = TensorProto::INT32;

  Model add; // y = (x + x) * bias
  add.input("x", f32, {"batch", 3}).output("y", f32, {"batch", 3}).floats("bias", {3}, {1, 2, 3});
  add.node("Add", {"x", "x"}, "sum").node("Mul", {"sum", "bias"}, "y").write(folder + "add.onnx");

  Model fixed;
  fixed.input("x", f32, {2, 3}).output("y", f32, {2, 3}).node("Relu", {"x"}, "y").write(folder + "fixed.onnx");

  Model product; // two symbols, two inputs
  product.input("a", f32, {"batch", "width"}).input("b", f32, {"width", 4}).output("y", f32, {"batch", 4});
  product.node("MatMul", {"a", "b"}, "y").write(folder + "product.onnx");

  // A vector or its sum, and a sequence.
  Model vector, total, either;
  vector.node("Neg", {"x"}, "g").output("g", f32, {"N"});
  total.node("ReduceSum", {"x"}, "h").attribute("keepdims", 0).output("h", f32, {});
  either.input("c", TensorProto::BOOL, {}).input("x", f32, {"N"});
  either.output("y", f32, {}).output("s", f32, {});
  either.node("If", {"c"}, "y").attribute("then_branch", vector).attribute("else_branch", total);
  either.node("SequenceConstruct", {"x", "x"}, "s").write(folder + "either.onnx");

  Model sum; // a broadcast that only a run decides
  sum.input("a", f32, {"n"}).input("b", f32, {"m"}).output("y", f32, {"k"});
  sum.node("Add", {"a", "b"}, "y", "the_sum").write(folder + "sum.onnx");

  Model gather; // rows of a table of 5
  gather.input("ids", i64, {"count"}).output("y", f32, {"count", 2});
  gather.floats("table", {5, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}).node("Gather", {"table", "ids"}, "y", "lookup");
  gather.write(folder + "gather.onnx");

  Model divide;
  divide.input("a", i32, {"n"}).input("b", i32, {"n"}).output("y", i32, {"n"}).node("Div", {"a", "b"}, "y");
  divide.write(folder + "divide.onnx");

  Model remainder;
  remainder.input("a", i64, {"n"}).input("b", i64, {"n"}).output("y", i64, {"n"}).node("Mod", {"a", "b"}, "y");
  remainder.write(folder + "remainder.onnx");

  Model elements; // one element per index, along the last axis
  elements.input("x", f32, {"n", "k"}).input("ids", i64, {"n", 2}).output("y", f32, {"n", 2});
  elements.node("GatherElements", {"x", "ids"}, "y", "pick");
  auto *along = elements.graph().mutable_node(0)->add_attribute();
  along->set_name("axis");
  along->set_type(onnx::AttributeProto::INT);
  along->set_i(1);
  elements.write(folder + "elements.onnx");

  Model picture; // mean over a picture's axes
  picture.input("image", f32, {"batch", 3, "height", "width"}).output("y", f32, {"batch", 3, 1, 1});
  picture.node("GlobalAveragePool", {"image"}, "y").write(folder + "picture.onnx");

  Model apart; // an exponential that a product reads from memory, and a running sum with loops of its own
  apart.input("a", f32, {"n", "k"}).input("b", f32, {"k", 8}).output("y", f32, {"n", 8});
  auto *axis = apart.graph().add_initializer();
  axis->set_name("axis");
  axis->set_data_type(i64);
  axis->add_int64_data(1);
  apart.node("Exp", {"a"}, "e").node("MatMul", {"e", "b"}, "p").node("CumSum", {"p", "axis"}, "y");
  apart.write(folder + "apart.onnx");

  Model cycle;
  cycle.input("x", f32, {2}).output("y", f32, {2}).node("Add", {"x", "q"}, "p", "first");
  cycle.node("Add", {"p", "x"}, "q", "second").node("Relu", {"q"}, "y").write(folder + "cycle.onnx");

  Model huge;
  huge.input("x", f32, {2}).output("y", f32, {2}).floats("w", {int64_t(1) << 40, int64_t(1) << 40}, {});
  huge.node("Add", {"x", "w"}, "y").write(folder + "huge.onnx");

  Model negative;
  negative.input("x", f32, {2}).output("y", f32, {2}).floats("w", {-2}, {1, 2}).node("Add", {"x", "w"}, "y");
  negative.write(folder + "negative.onnx");

  Model mismatch;
  mismatch.input("x", f32, {"batch", 4}).output("y", f32, {"batch", 2}).floats("w", {5, 2}, std::vector<float>(10, 1));
  mismatch.node("MatMul", {"x", "w"}, "y", "the_product").write(folder + "mismatch.onnx");

  Model gaps;
  gaps.input("x", f32, {2})
      .output("y", f32, {2})
      .node("Frobnicate", {"x"}, "a", "one")
      .node("Twiddle", {"a"}, "y", "two");
  gaps.write(folder + "gaps.onnx");

  Model layers; // five equal layers with weights of their own and a mask that the first makes for all, and a head
  layers.input("x", f32, {"rows", 16}).input("mask", i64, {"rows", 16}).output("y", f32, {"rows", 4});
  for (int i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i), x = i ? "x" + n : "x";
    layers.floats(("w" + n).c_str(), {16, 16}, std::vector<float>(256, 0.125f));
    layers.node("MatMul", {x, "w" + n}, "p" + n, "layer." + n + "/product");
    if (!i)
      layers.node("Cast", {"mask"}, "keep").attribute("to", f32);
    layers.node("Softmax", {"p" + n}, "s" + n, "layer." + n + "/softmax").node("Mul", {"s" + n, "keep"}, "k" + n);
    layers.node("MatMul", {"k" + n, "w" + n}, "q" + n).node("Add", {"q" + n, x}, "x" + std::to_string(i + 1));
  }
  layers.floats("head", {16, 4}, std::vector<float>(64, 0.5f)).node("MatMul", {"x5", "head"}, "y");
  layers.write(folder + "layers.onnx");

  Model branch; // branches that compute different things
  branch.input("x", f32, {"rows", 16}).input("which", onnx::TensorProto::BOOL, {}).output("y", f32, {"rows", 4});
  branch.floats("w", {16, 16}, std::vector<float>(256, 0.5f)).floats("v", {16, 4}, std::vector<float>(64, 0.5f));
  branch.node("Softmax", {"x"}, "a");
  Model yes, no;
  yes.node("MatMul", {"a", "w"}, "b").node("Softmax", {"b"}, "c").node("MatMul", {"c", "w"}, "d");
  yes.output("d", f32, {"rows", 16});
  no.node("Tanh", {"a"}, "e").output("e", f32, {"rows", 16});
  branch.node("If", {"which"}, "f", "choice").attribute("then_branch", yes).attribute("else_branch", no);
  branch.node("MatMul", {"f", "v"}, "y").write(folder + "branch.onnx");

  Model loop; // a carried value, a value collected over the trips
  loop.input("x", f32, {"rows", 16}).input("trips", i64, {}).output("y", f32, {"rows", 4});
  loop.output("all", f32, {"trip", "rows", 16}).floats("w", {16, 16}, std::vector<float>(256, 0.5f));
  loop.floats("v", {16, 4}, std::vector<float>(64, 0.5f));
  Model trip;
  trip.input("i", i64, {}).input("go", TensorProto::BOOL, {}).input("state", f32, {"rows", 16});
  trip.node("Identity", {"go"}, "on").node("MatMul", {"state", "w"}, "p").node("Softmax", {"p"}, "next");
  trip.node("Tanh", {"next"}, "part").output("on", TensorProto::BOOL, {}).output("next", f32, {"rows", 16});
  trip.output("part", f32, {"rows", 16});
  loop.node("Loop", {"trips", "", "x"}, "last", "turns").attribute("body", trip).also("all");
  loop.node("MatMul", {"last", "v"}, "y").write(folder + "loop.onnx");

  Model append; // a state and its sum
  append.input("x", f32, {"batch", "new", 4}).input("past", f32, {"batch", "length", 4});
  append.output("present", f32, {"batch", "total", 4}).output("top", f32, {});
  append.node("Concat", {"past", "x"}, "present").attribute("axis", 1);
  append.node("ReduceMax", {"present"}, "top").attribute("keepdims", 0).write(folder + "append.onnx");

  Model hostile; // names that are markup, control characters, or endless
  const std::string longName(2000, 'W');
  hostile.input("x<&\"'>", f32, {longName.c_str(), 4}).output("]]></svg>", f32, {longName.c_str(), 4});
  hostile.node("Tanh", {"x<&\"'>"}, longName, "<script>\x01\n" + longName);
  hostile.node("Softmax", {longName}, "]]></svg>", "--><title>").write(folder + "hostile.onnx");

  if (argc > 2) {
    Model chain;
    chain.input("x", f32, {"n"}).output("y", f32, {"n"});
    const int count = std::atoi(argv[2]);
    for (int i = 0; i < count; ++i)
      chain.node(i % 2 ? "Tanh" : "Sigmoid", {i ? "v" + std::to_string(i - 1) : "x"},
                 i + 1 < count ? "v" + std::to_string(i) : "y");
    chain.write(folder + "chain.onnx");
  }
  return 0;
}
