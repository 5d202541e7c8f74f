// SPDX-License-Identifier: Apache-2.0
// Drawers of branches and loops: bodies that capture values, end early, hold others, and carry extents that change.
#include "drawing.h"

namespace pliant::differential {
namespace {

/// A condition: an input, or what a shape decides.
Value condition(Drawing &d, const Value &x) {
  if (d.below(4))
    return d.input(DType::Bool, d.chance(3) ? Extents{1} : Extents{});
  Value size = named(d.part(Node("Size", {x})).front());
  return named(d.part(Node("Greater", {size, d.intScalar(d.between(0, 12))})).front());
}

std::string step(Drawing &d, Body &body, const std::string &state, const Value &x, const std::string &trip, int depth);

/// A body of one step.
onnx::GraphProto stepGraph(Drawing &d, const char *name, const std::string &state, const Value &x,
                           const std::string &trip, int depth) {
  Body body(name);
  const std::string result = step(d, body, state, x, trip, depth);
  body.output(result, x.type.dtype);
  return body.graph;
}
/// What a body makes of a state and of x, both of x's type and shape: itself, or in a branch or loop of its own.
std::string step(Drawing &d, Body &body, const std::string &state, const Value &x, const std::string &trip, int depth) {
  const int way = depth > 0 ? d.below(5) : 0;
  if (way < 3)
    return body.node(Node(d.one<const char *>({"Add", "Add", "Sub", "Max"}), {named(state), x}), d.fresh("b"));
  if (way == 3) {
    std::string flag;
    if (trip.empty() || d.chance(3)) {
      flag = d.input(DType::Bool, {}).name;
    } else {
      const std::string odd = body.node(Node("Mod", {named(trip), d.intScalar(2)}), d.fresh("b"));
      flag = body.node(Node("Equal", {named(odd), d.intScalar(0)}), d.fresh("b"));
    }
    return body.node(Node("If", {named(flag)})
                         .set("then_branch", stepGraph(d, "then", state, x, trip, depth - 1))
                         .set("else_branch", stepGraph(d, "else", state, x, trip, depth - 1)),
                     d.fresh("b"));
  }
  Body inner("inner");
  const std::string i = d.fresh("b"), go = d.fresh("b"), own = d.fresh("b");
  inner.input(i, DType::I64, 0);
  inner.input(go, DType::Bool, 0);
  inner.input(own, x.type.dtype, x.rank());
  inner.output(inner.node(Node("Identity", {named(go)}), d.fresh("b")), DType::Bool);
  inner.output(step(d, inner, own, x, i, depth - 1), x.type.dtype);
  Value trips = trip.empty() || d.chance(2) ? d.intScalar(d.between(0, 2)) : named(trip);
  return body.node(Node("Loop", {trips, Drawing::none(), named(state)}).set("body", inner.graph), d.fresh("b"));
}

bool branch(Drawing &d, const char *op) {
  Value x = d.value(F32 | I64 | I32, 0, 3);
  if (!d.known(x.type.shape))
    return false;
  Value y = d.operand(x.type.dtype, x.type.shape), flag = condition(d, x);
  Body yes("then"), no("else");
  const std::string a = step(d, yes, x.name, y, "", 2);
  std::string b;
  bool otherRank = false;
  switch (x.rank() ? d.below(6) : 0) {
  case 1:
    b = no.node(Node("Concat", {x, x}).set("axis", int64_t(0)), d.fresh("b")); // another extent
    break;
  case 2:
    b = no.node(Node("Flatten", {x}).set("axis", int64_t(0)), d.fresh("b"));
    otherRank = x.rank() != 2;
    break;
  default:
    b = step(d, no, x.name, y, "", 2);
  }
  yes.output(a, x.type.dtype);
  no.output(b, x.type.dtype);
  const bool two = d.chance(4);
  if (two) {
    yes.output(yes.node(Node("Neg", {x}), d.fresh("b")), x.type.dtype);
    no.output(no.node(Node("Identity", {y}), d.fresh("b")), x.type.dtype);
  }
  Node node(op, {flag});
  node.set("then_branch", yes.graph).set("else_branch", no.graph);
  const Results results{x.exact && y.exact, x.bound + 16 * y.bound, two ? 2 : 1};
  if (!otherRank || two || d.chance(4))
    return d.emit(std::move(node), results);
  // Of one rank again.
  Value any = named(d.part(std::move(node)).front());
  return d.emit(Node("Reshape", {any, d.ints({-1})}), results);
}

/// What says whether a loop goes on: what it was told, a number of trips, or the state.
std::string goesOn(Drawing &d, Body &body, const std::string &told, const std::string &trip, const std::string &state,
                   const Value &x) {
  switch (d.below(x.exact && d.opset >= 13 ? 4 : 3)) {
  case 0:
    return body.node(Node("Less", {named(trip), d.intScalar(d.between(0, 3))}), d.fresh("b"));
  case 3: {
    const std::string sum = body.node(Node("ReduceSum", {named(state)}).set("keepdims", int64_t(0)), d.fresh("b"));
    Value most = d.constant(x.type.dtype, {}, {Data::Kind::Integers, 0, 20, {}});
    return body.node(Node("Less", {named(sum), most}), d.fresh("b"));
  }
  default:
    return body.node(Node("Identity", {named(told)}), d.fresh("b"));
  }
}

bool loop(Drawing &d, const char *op) {
  Value x = d.value(F32 | I64 | I32, 0, 3);
  if (!d.known(x.type.shape))
    return false;
  Value first = d.operand(x.type.dtype, x.type.shape);
  Value trips = d.chance(2) ? d.intScalar(d.between(0, 4)) : d.input(DType::I64, {}, {Data::Kind::Integers, -1, 4, {}});
  Value go = Drawing::none();
  if (d.chance(2))
    go = d.chance(3) ? d.input(DType::Bool, {}) : d.constant(DType::Bool, {}, {Data::Kind::Integers, 1, 1, {}});
  const std::string i = d.fresh("b"), told = d.fresh("b"), s = d.fresh("b"), more = d.fresh("b");
  Body body("body");
  body.input(i, DType::I64, 0);
  body.input(told, DType::Bool, 0);
  body.input(s, x.type.dtype, x.rank());
  // Another one whose extents change, or not.
  const bool second = x.rank() && d.chance(2);
  if (second)
    body.input(more, x.type.dtype, x.rank());
  const std::string next = step(d, body, s, x, i, 2);
  body.output(goesOn(d, body, told, i, next, x), DType::Bool);
  body.output(next, x.type.dtype);
  if (second) {
    Node change("Neg", {named(more)});
    if (d.chance(2))
      change = Node("Concat", {named(more), x}).set("axis", int64_t(0));
    else if (d.opset >= 10 && d.chance(2))
      change = Node("Slice", {named(more), d.ints({1}), d.ints({INT64_MAX}), d.ints({0})});
    body.output(body.node(std::move(change), d.fresh("b")), x.type.dtype);
  }
  int results = second ? 2 : 1;
  if (d.chance(2)) {
    body.output(body.node(Node("Neg", {named(next)}), d.fresh("b")), x.type.dtype);
    ++results;
  }
  if (d.chance(4)) { // a vector of scalars
    body.output(body.node(Node("Identity", {named(i)}), d.fresh("b")), DType::I64);
    ++results;
  }
  Node node(op, {trips, go, first});
  if (second)
    node.in(x);
  return d.emit(std::move(node.set("body", body.graph)),
                {x.exact && first.exact, first.bound + 200 * x.bound, results});
}

bool scan(Drawing &d, const char *op) {
  Value x = d.value(F32 | I64 | I32, 1, 3);
  if (!d.known(x.type.shape))
    return false;
  const int axis = d.below(x.rank());
  Extents row = x.type.shape;
  row.erase(row.begin() + axis);
  Value first = d.operand(x.type.dtype, row);
  const DType other = d.type(F32 | I64);
  const int otherRank = d.below(3), otherAxis = d.below(otherRank + 1);
  Extents otherShape = d.extents(otherRank);
  otherShape.insert(otherShape.begin() + otherAxis, x.dim(axis));
  const bool stateless = d.chance(4), two = stateless || d.chance(2);
  const std::string s = d.fresh("b"), each = d.fresh("b"), more = d.fresh("b");
  Body body("body");
  if (!stateless)
    body.input(s, x.type.dtype, x.rank() - 1);
  body.input(each, x.type.dtype, x.rank() - 1);
  if (two)
    body.input(more, other, otherRank);
  Value element{each, {x.type.dtype, row}};
  const std::string next = step(d, body, stateless ? each : s, element, "", 1);
  if (!stateless)
    body.output(next, x.type.dtype);
  body.output(body.node(Node("Neg", {named(next)}), d.fresh("b")), x.type.dtype);
  if (two)
    body.output(body.node(Node("Identity", {named(more)}), d.fresh("b")), other);
  Node node(op);
  if (!stateless)
    node.in(first);
  node.in(x);
  if (two)
    node.in(d.input(other, otherShape));
  node.set("body", body.graph).set("num_scan_inputs", int64_t(two ? 2 : 1));
  auto lists = [&](const char *name, std::vector<int64_t> list) {
    if (!two)
      list.pop_back();
    node.set(name, list);
  };
  const bool back = d.chance(3);
  if (axis || otherAxis || d.chance(3))
    lists("scan_input_axes", {axis - (back ? x.rank() : 0), otherAxis - (back ? otherRank + 1 : 0)});
  if (d.chance(3))
    lists("scan_input_directions", {d.between(0, 1), d.between(0, 1)});
  if (d.chance(3))
    lists("scan_output_axes", {d.axis(x.rank()), d.axis(otherRank + 1)});
  if (d.chance(3))
    lists("scan_output_directions", {d.between(0, 1), d.between(0, 1)});
  return d.emit(std::move(node), {x.exact && first.exact, first.bound + 64 * x.bound, (stateless ? 1 : 2) + two});
}

const Drawer drawers[] = {
    {"If", branch, 2},
    {"Loop", loop, 3},
    {"Scan", scan, 2},
};

} // namespace

std::span<const Drawer> control() { return drawers; }

} // namespace pliant::differential
