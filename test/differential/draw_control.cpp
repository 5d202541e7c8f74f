// SPDX-License-Identifier: Apache-2.0
// Drawers of branches, loops, sequences and optionals: small bodies that capture values.
#include "drawing.h"

namespace pliant::differential {
namespace {

/// A graph under construction, for a branch or a body.
struct Body {
  onnx::GraphProto graph;
  explicit Body(const char *name) { graph.set_name(name); }
  void input(const std::string &name, DType dtype, int rank) {
    auto *info = graph.add_input();
    info->set_name(name);
    auto *type = info->mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnxType(dtype));
    type->mutable_shape();
    for (int i = 0; i < rank; ++i)
      type->mutable_shape()->add_dim();
  }
  void node(Node node, const std::string &output) {
    node.proto.add_output(output);
    *graph.add_node() = std::move(node.proto);
  }
  void output(const std::string &name, DType dtype) {
    auto *info = graph.add_output();
    info->set_name(name);
    info->mutable_type()->mutable_tensor_type()->set_elem_type(onnxType(dtype));
  }
};
Value named(const std::string &name) { return {name, {}}; }

bool branch(Drawing &d, const char *op) {
  Value x = d.value(F32 | I64 | I32, 0, 3), y = d.broadcastable(x);
  Value condition = d.input(DType::Bool, d.chance(3) ? Extents{1} : Extents{});
  Body yes("then"), no("else");
  const std::string a = x.name + "_then", b = x.name + "_else";
  yes.node(Node(d.one<const char *>({"Add", "Sub", "Mul"}), {x, y}), a);
  if (d.chance(2) && x.rank())
    no.node(Node("Concat", {x, x}).set("axis", int64_t(0)), b); // another extent
  else
    no.node(Node("Neg", {x}), b);
  yes.output(a, x.type.dtype);
  no.output(b, x.type.dtype);
  return d.emit(Node(op, {condition}).set("then_branch", yes.graph).set("else_branch", no.graph),
                {x.exact && y.exact, 2 * x.bound + x.bound * y.bound});
}

bool loop(Drawing &d, const char *op) {
  Value x = d.value(F32 | I64 | I32, 1, 3);
  if (!d.known(x.type.shape))
    return false;
  Value trips = d.chance(2) ? d.intScalar(d.between(0, 3)) : d.input(DType::I64, {}, {Data::Kind::Integers, 0, 3, {}});
  const std::string p = x.name + "_";
  Body body("body");
  body.input(p + "i", DType::I64, 0);
  body.input(p + "c", DType::Bool, 0);
  body.input(p + "s", x.type.dtype, x.rank());
  body.node(Node("Identity", {named(p + "c")}), p + "go");
  const bool grows = d.chance(3);
  if (grows)
    body.node(Node("Concat", {named(p + "s"), x}).set("axis", int64_t(0)), p + "next");
  else
    body.node(Node("Add", {named(p + "s"), x}), p + "next");
  body.output(p + "go", DType::Bool);
  body.output(p + "next", x.type.dtype);
  const bool collects = !grows && d.chance(2);
  if (collects) {
    body.node(Node("Neg", {named(p + "next")}), p + "scan");
    body.output(p + "scan", x.type.dtype);
  }
  Value first = d.operand(x.type.dtype, x.type.shape);
  return d.emit(
      Node(op, {trips, d.chance(2) ? Drawing::none() : d.constant(DType::Bool, {}, {Data::Kind::Integers, 1, 1, {}}),
                first})
          .set("body", body.graph),
      {x.exact && first.exact, 4 * x.bound + first.bound, collects ? 2 : 1});
}

bool scan(Drawing &d, const char *op) {
  Value x = d.value(F32 | I64 | I32, 1, 3);
  if (!d.known(x.type.shape))
    return false;
  const Extents row(x.type.shape.begin() + 1, x.type.shape.end());
  Value first = d.operand(x.type.dtype, row);
  const std::string p = x.name + "_";
  Body body("body");
  body.input(p + "s", x.type.dtype, x.rank() - 1);
  body.input(p + "x", x.type.dtype, x.rank() - 1);
  body.node(Node("Add", {named(p + "s"), named(p + "x")}), p + "next");
  body.node(Node("Neg", {named(p + "next")}), p + "out");
  body.output(p + "next", x.type.dtype);
  body.output(p + "out", x.type.dtype);
  Node node(op, {first, x});
  node.set("body", body.graph).set("num_scan_inputs", int64_t(1));
  if (d.chance(3))
    node.set("scan_input_directions", std::vector<int64_t>{1});
  if (d.chance(4))
    node.set("scan_output_directions", std::vector<int64_t>{1});
  return d.emit(std::move(node), {x.exact && first.exact, first.bound + 20 * x.bound, 2});
}

/// A sequence of a few values of one type and rank, as a name.
std::string sequence(Drawing &d, Value &x) {
  x = d.value(F32 | I64, 1, 3);
  if (d.chance(4)) {
    Node split("SplitToSequence", {x});
    split.set("axis", int64_t(0));
    if (d.chance(2))
      split.set("keepdims", int64_t(1));
    else
      split.in(d.intScalar(1));
    return d.part(std::move(split)).front();
  }
  std::string list;
  if (d.chance(3)) {
    list = d.part(Node("SequenceEmpty").set("dtype", static_cast<int64_t>(onnxType(x.type.dtype)))).front();
    list = d.part(Node("SequenceInsert", {named(list), x})).front();
  } else {
    Node node("SequenceConstruct", {x});
    for (int i = d.below(3); i > 0; --i)
      node.in(d.known(x.type.shape) ? d.operand(x.type.dtype, x.type.shape) : x);
    list = d.part(std::move(node)).front();
  }
  if (d.chance(3)) {
    Node node("SequenceInsert", {named(list), x});
    if (d.chance(2))
      node.in(d.intScalar(d.between(-1, 0)));
    list = d.part(std::move(node)).front();
  }
  return list;
}
bool readSequence(Drawing &d, const char *op) {
  Value x = Drawing::none();
  std::string list = sequence(d, x);
  const std::string name = op;
  if (name == "SequenceErase") {
    list = d.part(Node(op, {named(list)})).front();
    return d.emit(Node("SequenceLength", {named(list)}), {});
  }
  if (name == "SequenceMap") {
    Body body("body");
    const std::string p = list + "_";
    body.input(p + "in", x.type.dtype, x.rank());
    body.node(Node("Neg", {named(p + "in")}), p + "out");
    body.output(p + "out", x.type.dtype);
    list = d.part(Node(op, {named(list)}).set("body", body.graph)).front();
    return d.emit(Node("SequenceAt", {named(list), d.intScalar(0)}), {x.exact, x.bound});
  }
  if (name == "SequenceLength")
    return d.emit(Node(op, {named(list)}), {});
  if (name == "ConcatFromSequence")
    return d.move(Node(op, {named(list)}).set("axis", int64_t(0)).set("new_axis", d.between(0, 1)), {x});
  return d.emit(Node("SequenceAt", {named(list), d.intScalar(d.between(-1, 0))}), {x.exact, 3});
}
bool optional(Drawing &d, const char *op) {
  Value x = d.value(F32 | I64);
  const std::string held = d.part(Node("Optional", {x})).front();
  return std::string(op) == "OptionalHasElement" ? d.emit(Node(op, {named(held)}), {})
                                                 : d.move(Node(op, {named(held)}), {x});
}

const Drawer drawers[] = {
    {"If", branch, 2},
    {"Loop", loop, 2},
    {"Scan", scan},
    {"SequenceAt", readSequence},
    {"SequenceErase", readSequence},
    {"SequenceLength", readSequence},
    {"SequenceMap", readSequence},
    {"ConcatFromSequence", readSequence},
    {"OptionalHasElement", optional},
    {"OptionalGetElement", optional},
};

} // namespace

std::span<const Drawer> control() { return drawers; }

} // namespace pliant::differential
