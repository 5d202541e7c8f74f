// SPDX-License-Identifier: Apache-2.0
// Model-level checks of ONNX files: versions, producers, order, cycles, subgraphs; inlining of the model's functions.
#include "onnx/file.test.h"
#include <chrono>
#include <set>

using namespace pliant;
using namespace pliant::onnx_file;
using namespace pliant::onnx_file::test;

namespace {

std::vector<std::string> ops(const GraphProto &graph) {
  std::vector<std::string> names;
  for (const NodeProto &node : graph.node())
    names.push_back(node.op_type());
  return names;
}

TEST(OnnxGraph, Versions) {
  ModelProto model = identityModel();
  for (int64_t version : {1, 7, 22}) {
    model.mutable_opset_import(0)->set_version(version);
    auto file = load(model);
    ASSERT_OPENS(file);
    EXPECT_EQ(file->opset(), version);
    EXPECT_EQ(file->opset("ai.onnx"), version);
    EXPECT_EQ(file->opset("ai.onnx.ml"), 0);
  }
  for (int64_t version : {int64_t(0), int64_t(25), int64_t(-1), INT64_MAX}) {
    model.mutable_opset_import(0)->set_version(version);
    expectError(load(model), {"opset " + std::to_string(version), "1 to 24"});
  }
  model = identityModel();
  model.add_opset_import()->set_version(16);
  model.mutable_opset_import(1)->set_domain("ai.onnx");
  expectError(load(model), {"16", "17"});
  model = identityModel();
  for (int64_t version : {0, 14}) {
    model.set_ir_version(version);
    expectError(load(model), {"ir_version", "1 to 13"});
  }
  model = identityModel();
  model.clear_graph();
  expectError(load(model), {"no graph"});
}

TEST(OnnxGraph, EveryNameHasOneProducer) {
  ModelProto model = identityModel();
  GraphProto &graph = *model.mutable_graph();
  addNode(graph, "Relu", {"nowhere"}, {"z"}, "relu");
  expectError(load(model), {"'relu' (Relu)", "'nowhere'", "nothing produces"});
  graph.mutable_node(1)->set_input(0, "x");
  EXPECT_OPENS(load(model));
  graph.mutable_node(1)->set_output(0, "y");
  expectError(load(model), {"'y'", "twice", "'relu'"});
  graph.mutable_node(1)->set_output(0, "x");
  expectError(load(model), {"'x'", "twice", "'relu'"});
  graph.mutable_node(1)->set_output(0, ""); // left out
  graph.mutable_node(1)->add_input("");
  EXPECT_OPENS(load(model));
  addValue(*graph.mutable_output(), "lost");
  expectError(load(model), {"graph output", "'lost'"});
  graph.mutable_output()->RemoveLast();
  graph.mutable_node(1)->clear_op_type();
  expectError(load(model), {"'relu'", "no op type"});

  model = identityModel(); // an initializer may be the default of an input
  setFloats(*model.mutable_graph()->add_initializer(), 1);
  model.mutable_graph()->mutable_initializer(0)->set_name("x");
  EXPECT_OPENS(load(model));
  *model.mutable_graph()->add_initializer() = model.graph().initializer(0);
  expectError(load(model), {"'x'", "twice", "initializer"});
  model = identityModel();
  addValue(*model.mutable_graph()->mutable_input(), "x");
  expectError(load(model), {"'x'", "twice", "input"});
  model = identityModel();
  for (int i = 0; i < 2; ++i)
    addAttribute(*model.mutable_graph()->mutable_node(0), "a", AttributeProto::INT);
  expectError(load(model), {"'id'", "'a' twice"});
  model = identityModel();
  addAttribute(*model.mutable_graph()->mutable_node(0), "a", AttributeProto::INT).set_ref_attr_name("r");
  expectError(load(model), {"'id'", "'r'", "outside of a function"});
}

TEST(OnnxGraph, UnsortedNodesAreSorted) {
  ModelProto model = identityModel();
  GraphProto &graph = *model.mutable_graph();
  graph.clear_node();
  addNode(graph, "Last", {"b", "a"}, {"y"});
  addNode(graph, "Middle", {"a"}, {"b"});
  addNode(graph, "First", {"x"}, {"a"});
  auto file = load(model);
  ASSERT_OPENS(file);
  EXPECT_EQ(ops(file->proto().graph()), (std::vector<std::string>{"First", "Middle", "Last"}));
  // What a subgraph reads from outside orders its node too.
  graph.clear_node();
  NodeProto &branch = addNode(graph, "If", {"x"}, {"y"}, "if");
  GraphProto &inner = *addAttribute(branch, "then_branch", AttributeProto::GRAPH).mutable_g();
  addNode(inner, "Neg", {"s"}, {"t"});
  addNode(inner, "Abs", {"late"}, {"s"});
  addValue(*inner.mutable_output(), "t");
  addNode(graph, "Late", {"x"}, {"late"});
  auto nested = load(model);
  ASSERT_OPENS(nested);
  EXPECT_EQ(ops(nested->proto().graph()), (std::vector<std::string>{"Late", "If"}));
  EXPECT_EQ(ops(nested->proto().graph().node(1).attribute(0).g()), (std::vector<std::string>{"Abs", "Neg"}));
}

TEST(OnnxGraph, CyclesAreNamed) {
  ModelProto model = identityModel();
  GraphProto &graph = *model.mutable_graph();
  addNode(graph, "Add", {"x", "c"}, {"a"}, "first");
  addNode(graph, "Neg", {"a"}, {"b"}, "second");
  addNode(graph, "Abs", {"b"}, {"c"}, "third");
  addNode(graph, "Relu", {"c"}, {"behind"}, "reader");
  auto result = load(model);
  expectError(result, {"cycle", "'first' (Add) -> node 'second' (Neg) -> node 'third' (Abs) -> node 'first' (Add)"});
  EXPECT_EQ(result.error().message.find("reader"), std::string::npos);
  model = identityModel();
  model.mutable_graph()->mutable_node(0)->set_input(0, "y");
  expectError(load(model), {"cycle", "'id'"});
  model = identityModel(); // through a subgraph
  NodeProto &branch = addNode(*model.mutable_graph(), "If", {"x"}, {"o"}, "if");
  GraphProto &inner = *addAttribute(branch, "then_branch", AttributeProto::GRAPH).mutable_g();
  addNode(inner, "Neg", {"o"}, {"t"});
  addValue(*inner.mutable_output(), "t");
  expectError(load(model), {"cycle", "'if'"});
}

TEST(OnnxGraph, SubgraphsSeeOuterNames) {
  ModelProto model = identityModel();
  NodeProto &branch = addNode(*model.mutable_graph(), "If", {"x"}, {"o"}, "if");
  GraphProto &inner = *addAttribute(branch, "then_branch", AttributeProto::GRAPH).mutable_g();
  addNode(inner, "Neg", {"y"}, {"t"}, "neg");
  addValue(*inner.mutable_output(), "t");
  addValue(*inner.mutable_output(), "x"); // an outer value as the branch's result
  EXPECT_OPENS(load(model));
  inner.mutable_node(0)->set_input(0, "gone");
  expectError(load(model), {"'neg'", "'gone'", "'then_branch'", "'if'"});
  inner.mutable_node(0)->set_input(0, "x");
  addNode(*model.mutable_graph(), "Abs", {"t"}, {"u"}, "abs"); // inner names stay inside
  expectError(load(model), {"'abs'", "'t'"});
  model.mutable_graph()->mutable_node()->RemoveLast();
  addNode(inner, "Sqrt", {"t"}, {"x"}); // hides the outer x after a node read it: which one was meant?
  expectError(load(model), {"'neg'", "'x'", "before", "a graph around"});
}

TEST(OnnxGraph, LargeGraphsStayLinear) {
  ModelProto model = identityModel();
  GraphProto &graph = *model.mutable_graph();
  graph.clear_node();
  constexpr int count = 100000;
  for (int i = count; i > 0; --i) // backwards
    addNode(graph, "Neg", {i == 1 ? "x" : "v" + std::to_string(i - 1)}, {i == count ? "y" : "v" + std::to_string(i)});
  std::string bytes = model.SerializeAsString();
  auto start = std::chrono::steady_clock::now();
  auto file = ModelFile::fromBytes(bytes);
  ASSERT_OPENS(file);
  EXPECT_EQ(file->proto().graph().node(0).input(0), "x");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

FunctionProto &addFunction(ModelProto &model, const std::string &name, std::vector<std::string> inputs,
                           std::vector<std::string> outputs) {
  FunctionProto &function = *model.add_functions();
  function.set_domain("f");
  function.set_name(name);
  for (auto &each : inputs)
    function.add_input(each);
  for (auto &each : outputs)
    function.add_output(each);
  return function;
}
NodeProto &addCall(google::protobuf::RepeatedPtrField<NodeProto> &nodes, const std::string &name,
                   std::vector<std::string> inputs, std::vector<std::string> outputs) {
  NodeProto &node = addNode(nodes, name, std::move(inputs), std::move(outputs));
  node.set_domain("f");
  return node;
}

TEST(OnnxFunctions, BodiesReplaceCalls) {
  ModelProto model = identityModel();
  GraphProto &graph = *model.mutable_graph();
  FunctionProto &inner = addFunction(model, "Scale", {"a", "b"}, {"r"});
  addNode(*inner.mutable_node(), "Mul", {"a", "b"}, {"t"}, "mul");
  addNode(*inner.mutable_node(), "Clip", {"t", ""}, {"r"}, "clip");
  FunctionProto &outer = addFunction(model, "Outer", {"p"}, {"q"});
  addCall(*outer.mutable_node(), "Scale", {"p", "p"}, {"t"});
  addCall(*outer.mutable_node(), "Scale", {"t"}, {"q"});
  addCall(*graph.mutable_node(), "Outer", {"y"}, {"z"});
  addValue(*graph.mutable_output(), "z");
  addNode(graph, "Neg", {"x"}, {"Scale#1/t"}); // the fresh names must avoid this
  auto file = load(model);
  ASSERT_OPENS(file);
  const GraphProto &flat = file->proto().graph();
  EXPECT_EQ(file->proto().functions_size(), 0);
  EXPECT_EQ(ops(flat), (std::vector<std::string>{"Identity", "Mul", "Clip", "Mul", "Clip", "Neg"}));
  EXPECT_EQ(flat.node(1).input(0), "y");
  EXPECT_EQ(flat.node(1).input(1), "y");
  EXPECT_EQ(flat.node(1).output(0), flat.node(2).input(0));
  EXPECT_EQ(flat.node(2).input(1), "");
  EXPECT_EQ(flat.node(3).input(0), flat.node(2).output(0));
  EXPECT_EQ(flat.node(3).input(1), ""); // an input the call leaves out
  EXPECT_EQ(flat.node(4).output(0), "z");
  std::set<std::string> names;
  for (const NodeProto &node : flat.node())
    EXPECT_TRUE(names.insert(node.output(0)).second);
}

TEST(OnnxFunctions, OutputsThatAreInputs) {
  ModelProto model = identityModel();
  addFunction(model, "Pass", {"a"}, {"a", "a"});
  addCall(*model.mutable_graph()->mutable_node(), "Pass", {"y"}, {"u", "v"});
  auto file = load(model);
  ASSERT_OPENS(file);
  EXPECT_EQ(ops(file->proto().graph()), (std::vector<std::string>{"Identity", "Identity", "Identity"}));
  EXPECT_EQ(file->proto().graph().node(2).input(0), "y");
  EXPECT_EQ(file->proto().graph().node(2).output(0), "v");
}

TEST(OnnxFunctions, Attributes) {
  ModelProto model = identityModel();
  FunctionProto &function = addFunction(model, "F", {"a"}, {"r"});
  NodeProto &body = addNode(*function.mutable_node(), "Op", {"a"}, {"r"});
  addAttribute(body, "axis", AttributeProto::INT).set_ref_attr_name("given");
  addAttribute(body, "alpha", AttributeProto::INT).set_ref_attr_name("missing");
  addAttribute(body, "beta", AttributeProto::INT).set_ref_attr_name("byDefault");
  addAttribute(body, "gamma", AttributeProto::INT).set_i(4);
  AttributeProto byDefault;
  byDefault.set_name("byDefault");
  byDefault.set_type(AttributeProto::INT);
  byDefault.set_i(7);
  // FunctionProto.attribute_proto is newer than the library.
  function.mutable_unknown_fields()->AddLengthDelimited(11, byDefault.SerializeAsString());
  addAttribute(addCall(*model.mutable_graph()->mutable_node(), "F", {"x"}, {"z"}), "given", AttributeProto::INT)
      .set_i(3);
  auto file = load(model);
  ASSERT_OPENS(file);
  const NodeProto &node = file->proto().graph().node(1);
  ASSERT_EQ(node.attribute_size(), 3);
  EXPECT_EQ(node.attribute(0).name(), "axis");
  EXPECT_EQ(node.attribute(0).i(), 3);
  EXPECT_TRUE(node.attribute(0).ref_attr_name().empty());
  EXPECT_EQ(node.attribute(1).name(), "beta");
  EXPECT_EQ(node.attribute(1).i(), 7);
  EXPECT_EQ(node.attribute(2).i(), 4);
  model.mutable_graph()->mutable_node(1)->mutable_attribute(0)->set_type(AttributeProto::FLOAT);
  expectError(load(model), {"'given'", "type"});
}

TEST(OnnxFunctions, SubgraphsInBodies) {
  ModelProto model = identityModel();
  FunctionProto &function = addFunction(model, "F", {"p", "q"}, {"r"});
  NodeProto &branch = addNode(*function.mutable_node(), "If", {"p"}, {"r"});
  GraphProto &inner = *addAttribute(branch, "then_branch", AttributeProto::GRAPH).mutable_g();
  addNode(inner, "Neg", {"q"}, {"p"}); // hides the formal p; q is the same value of the caller
  addNode(inner, "Add", {"p", "q"}, {"s"});
  addValue(*inner.mutable_output(), "s");
  addCall(*model.mutable_graph()->mutable_node(), "F", {"x", "x"}, {"z"});
  auto file = load(model);
  ASSERT_OPENS(file);
  const NodeProto &node = file->proto().graph().node(1);
  const GraphProto &body = node.attribute(0).g();
  EXPECT_EQ(node.output(0), "z");
  EXPECT_EQ(body.node(0).input(0), "x");
  EXPECT_NE(body.node(0).output(0), "x");
  EXPECT_EQ(body.node(1).input(0), body.node(0).output(0));
  EXPECT_EQ(body.node(1).input(1), "x");
  EXPECT_EQ(body.output(0).name(), body.node(1).output(0));
}

TEST(OnnxFunctions, GraphsHandedOverBelongToTheCaller) {
  ModelProto model = identityModel();
  FunctionProto &function = addFunction(model, "F", {"x"}, {"r"});
  NodeProto &branch = addNode(*function.mutable_node(), "If", {"x"}, {"r"});
  addAttribute(branch, "then_branch", AttributeProto::GRAPH).set_ref_attr_name("body");
  auto fill = [](NodeProto &call, const std::string &output) -> GraphProto & {
    GraphProto &graph = *addAttribute(call, "body", AttributeProto::GRAPH).mutable_g();
    addValue(*graph.mutable_output(), output);
    return graph;
  };
  GraphProto &body = fill(addCall(*model.mutable_graph()->mutable_node(), "F", {"x"}, {"z"}), "n");
  GraphProto &nested = fill(addCall(*body.mutable_node(), "F", {"y"}, {"n"}), "m"); // no recursion
  addNode(nested, "Neg", {"y"}, {"m"});
  auto file = load(model);
  ASSERT_OPENS(file);
  const NodeProto &outer = file->proto().graph().node(1);
  ASSERT_EQ(outer.op_type(), "If");
  const NodeProto &inner = outer.attribute(0).g().node(0);
  ASSERT_EQ(inner.op_type(), "If");
  EXPECT_EQ(inner.input(0), "y");
  EXPECT_EQ(inner.attribute(0).g().node(0).input(0), "y");
}

TEST(OnnxFunctions, Bounds) {
  ModelProto model = identityModel();
  addCall(*addFunction(model, "A", {"a"}, {"r"}).mutable_node(), "B", {"a"}, {"r"});
  addCall(*addFunction(model, "B", {"a"}, {"r"}).mutable_node(), "A", {"a"}, {"r"});
  EXPECT_OPENS(load(model)); // never called
  addCall(*model.mutable_graph()->mutable_node(), "A", {"x"}, {"z"});
  expectError(load(model), {"calls itself", "'A' -> 'B' -> 'A'"});

  auto tower = [](int height, int width, bool empty) {
    ModelProto tall = identityModel();
    for (int i = 0; i < height; ++i) {
      FunctionProto &function = addFunction(tall, "F" + std::to_string(i), {"a"}, {"r"});
      for (int j = 0; j < width && (i != 0 || !empty); ++j) {
        std::string out = j == 0 ? "r" : "r" + std::to_string(j);
        if (i == 0)
          addNode(*function.mutable_node(), "Neg", {"a"}, {out});
        else
          addCall(*function.mutable_node(), "F" + std::to_string(i - 1), {"a"}, {out});
      }
    }
    addCall(*tall.mutable_graph()->mutable_node(), "F" + std::to_string(height - 1), {"x"}, {"z"});
    return tall;
  };
  EXPECT_OPENS(load(tower(64, 1, false)));
  expectError(load(tower(65, 1, false)), {"more than 64 deep"});
  Limits limits;
  limits.inlinedNodes = 10000;
  expectError(load(tower(60, 2, false), limits), {"expand to more than 10000"});
  expectError(load(tower(60, 2, true), limits), {"expand to more than 10000"}); // calls that leave nothing behind
  expectError(load(tower(60, 2, false)), {"expand to more than"});
}

TEST(OnnxFunctions, Errors) {
  ModelProto model = identityModel();
  FunctionProto &function = addFunction(model, "F", {"a"}, {"r"});
  addNode(*function.mutable_node(), "Neg", {"a"}, {"r"}, "neg");
  addCall(*model.mutable_graph()->mutable_node(), "F", {"x"}, {"z"});
  EXPECT_OPENS(load(model));
  function.add_opset_import()->set_version(16);
  expectError(load(model), {"'F'", "16", "17"});
  function.mutable_opset_import(0)->set_version(17);
  function.add_opset_import()->set_domain("ai.onnx.ml");
  function.mutable_opset_import(1)->set_version(3);
  auto file = load(model);
  ASSERT_OPENS(file);
  EXPECT_EQ(file->opset("ai.onnx.ml"), 3);
  model.mutable_graph()->mutable_node(1)->add_input("x");
  expectError(load(model), {"2 inputs", "takes 1"});
  model.mutable_graph()->mutable_node(1)->mutable_input()->RemoveLast();
  function.mutable_node(0)->set_input(0, "unknown");
  expectError(load(model), {"'F#1/neg' (Neg)", "'F#1/unknown'", "nothing produces"});
  *model.add_functions() = function;
  expectError(load(model), {"'F'", "defined twice"});
}

} // namespace
