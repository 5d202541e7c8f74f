// SPDX-License-Identifier: Apache-2.0
// Drawers of sequences and optionals.
#include "drawing.h"

namespace pliant::differential {
namespace {

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
    {"SequenceAt", readSequence},     {"SequenceErase", readSequence},      {"SequenceLength", readSequence},
    {"SequenceMap", readSequence},    {"ConcatFromSequence", readSequence}, {"OptionalHasElement", optional},
    {"OptionalGetElement", optional},
};

} // namespace

std::span<const Drawer> lists() { return drawers; }

} // namespace pliant::differential
