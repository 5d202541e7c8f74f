// SPDX-License-Identifier: Apache-2.0
// Drawers of ops that move elements by extents: reshapes, slices, concatenation, padding, and extents as values.
#include "drawing.h"
#include <algorithm>

namespace pliant::differential {
namespace {

/// Axes (or another list) that are an attribute before an opset and an input from then on.
Node withList(Drawing &d, const char *op, const Value &x, const char *name, const std::vector<int64_t> &list,
              int64_t since) {
  Node node(op, {x});
  return d.opset < since ? node.set(name, list) : node.in(d.intsOrInput(list));
}

bool reshape(Drawing &d, const char *op) {
  Value x = d.value(ANY);
  const int rank = x.rank();
  std::vector<int64_t> target;
  bool inferred = false;
  // Neighbours are joined, constants split; an extent that is not known is copied or inferred.
  for (int i = 0; i < rank; ++i) {
    auto constant = x.dim(i).constant();
    if (!inferred && i + 1 < rank && d.chance(3)) {
      target.push_back(-1);
      inferred = true;
      ++i;
    } else if (constant && *constant > 1 && *constant % 2 == 0 && d.chance(3)) {
      target.push_back(*constant / 2);
      target.push_back(2);
    } else if (static_cast<size_t>(i) == target.size() && (!constant || d.chance(2))) {
      target.push_back(0);
    } else if (constant && *constant != 0) {
      target.push_back(*constant);
    } else if (!inferred) {
      target.push_back(-1);
      inferred = true;
    } else {
      return false;
    }
  }
  if (d.chance(6)) {
    target = {-1};
    if (d.chance(2))
      target.insert(target.begin(), 1);
  }
  while (target.size() < 5 && d.chance(5))
    target.push_back(1);
  Node node(op, {x, d.intsOrInput(target)});
  if (d.opset >= 14 && d.chance(8))
    node.set("allowzero", int64_t(1));
  return d.move(std::move(node), {x});
}
bool flatten(Drawing &d, const char *op) {
  Value x = d.value(ANY);
  return d.move(Node(op, {x}).set("axis", d.between(x.rank() ? -x.rank() : 0, x.rank())), {x});
}
bool squeeze(Drawing &d, const char *op) {
  Value x = d.value(ANY, 1);
  std::vector<int64_t> ones;
  for (int i = 0; i < x.rank(); ++i)
    if (x.dim(i).isConstant(1) && d.below(4))
      ones.push_back(i - (d.chance(3) ? x.rank() : 0));
  if (ones.empty() || d.chance(8))
    return d.move(Node(op, {x}), {x});
  return d.move(withList(d, op, x, "axes", ones, 13), {x});
}
bool unsqueeze(Drawing &d, const char *op) {
  Value x = d.value(ANY, 0, 3);
  const int rank = x.rank() + 1;
  std::vector<int64_t> list{d.axis(rank)};
  if (rank < 4 && d.chance(3)) {
    list = {d.between(0, rank), -1};
    if (list[0] == rank)
      list[0] = 0;
  }
  return d.move(withList(d, op, x, "axes", list, 13), {x});
}
bool transpose(Drawing &d, const char *op) {
  Value x = d.value(ANY, 0, 5);
  if (d.chance(4))
    return d.move(Node(op, {x}), {x});
  std::vector<int64_t> perm;
  for (int i = 0; i < x.rank(); ++i)
    perm.insert(perm.begin() + d.below(i + 1), i);
  return d.move(Node(op, {x}).set("perm", perm), {x});
}
bool depthSpace(Drawing &d, const char *op) {
  const bool toSpace = std::string(op) == "DepthToSpace";
  const int64_t block = d.between(1, 3);
  const Expr scale = toSpace ? Expr(block * block) : Expr(1), by = toSpace ? Expr(1) : Expr(block);
  Value x = d.input(d.type(ANY), {d.extent(), scale * d.between(1, 2), by * d.between(0, 3),
                                  by * (d.chance(2) ? Expr::symbol("n") : Expr(2))});
  Node node(op, {x});
  node.set("blocksize", block);
  if (toSpace && d.chance(2))
    node.set("mode", d.chance(2) ? "CRD" : "DCR");
  return d.move(std::move(node), {x});
}
bool expand(Drawing &d, const char *op) {
  Value x = d.value(ANY, 0, 3);
  std::vector<int64_t> target;
  for (int i = 0; i < x.rank(); ++i)
    target.push_back(x.dim(i).isConstant(1) ? d.one<int64_t>({0, 1, 2, 3, 5}) : x.dim(i).constant().value_or(1));
  while (!target.empty() && d.chance(6))
    target.erase(target.begin());
  if (d.chance(2))
    target.insert(target.begin(), static_cast<int64_t>(target.size()) == x.rank() ? d.between(0, 3) : 1);
  return d.move(Node(op, {x, d.intsOrInput(target)}), {x});
}
bool expandToShape(Drawing &d, const char *op) {
  Value x = d.value(ANY, 0, 3);
  Value like = d.value(ANY, x.rank(), 4);
  Value ones = d.constant(x.type.dtype, std::vector<int64_t>(static_cast<size_t>(like.rank()), 1));
  return d.move(Node(op, {ones, {d.part(Node("Shape", {like})).front(), {}}}), {ones});
}
bool tile(Drawing &d, const char *op) {
  Value x = d.value(ANY, 1, 4);
  std::vector<int64_t> repeats;
  for (int i = 0; i < x.rank(); ++i)
    repeats.push_back(d.one<int64_t>({1, 1, 2, 3, 0}));
  return d.move(Node(op, {x, d.intsOrInput(repeats)}), {x});
}
bool constantOfShape(Drawing &d, const char *op) {
  std::vector<int64_t> shape;
  for (int i = d.below(4); i > 0; --i)
    shape.push_back(d.between(0, 4));
  Node node(op, {d.intsOrInput(shape)});
  if (d.below(4)) {
    std::mt19937_64 random(static_cast<uint64_t>(d.below(1000)));
    node.set("value", *filled(d.type(ALL), {1}, {Data::Kind::Integers, 0, 3, {}}, 1, random));
  }
  return d.emit(std::move(node), {});
}
bool slice(Drawing &d, const char *op) {
  Value x = d.value(ANY, 1, 4);
  std::vector<int64_t> all, starts, ends, steps;
  for (int i = 0; i < x.rank(); ++i)
    if (d.chance(2) || (all.empty() && i + 1 == x.rank())) {
      all.push_back(i - (d.chance(3) ? x.rank() : 0));
      steps.push_back(d.one<int64_t>({1, 1, 1, 1, 2, 3, -1, -2}));
      starts.push_back(d.one<int64_t>({0, 0, 1, 2, -1, -3, INT64_MAX, INT64_MIN, 100}));
      ends.push_back(d.one<int64_t>({INT64_MAX, INT32_MAX, -1, 2, 5, 0, INT64_MIN, -100}));
    }
  if (d.opset < 10)
    return d.move(Node(op, {x}).set("starts", starts).set("ends", ends).set("axes", all), {x});
  Node node(op, {x, d.intsOrInput(starts), d.intsOrInput(ends), d.intsOrInput(all)});
  if (d.below(4))
    node.in(d.intsOrInput(steps));
  return d.move(std::move(node), {x});
}
bool split(Drawing &d, const char *op) {
  Value x = d.value(ANY, 1, 4);
  const int axis = d.below(x.rank());
  const int parts = 1 + d.below(3);
  Node node(op, {x});
  const auto constant = x.dim(axis).constant();
  if (d.opset >= 18 && (!constant || d.chance(2))) {
    node.set("num_outputs", static_cast<int64_t>(parts));
  } else if (constant) {
    std::vector<int64_t> sizes;
    int64_t left = *constant;
    for (int i = 0; i + 1 < parts; ++i, left -= sizes.back())
      sizes.push_back(d.between(0, left));
    sizes.push_back(left);
    node = withList(d, op, x, "split", sizes, 13);
  } else {
    return false; // equal parts, when the extent allows it
  }
  return d.move(std::move(node.set("axis", static_cast<int64_t>(axis - (d.chance(3) ? x.rank() : 0)))), {x}, parts);
}
bool concat(Drawing &d, const char *op) {
  Value x = d.value(ANY, 1, 4);
  const int axis = d.below(x.rank());
  Node node(op, {x});
  std::vector<Value> of{x};
  for (int i = d.below(4); i > 0; --i) {
    Extents shape = x.type.shape;
    if (d.chance(2))
      shape[static_cast<size_t>(axis)] = d.extent();
    if (!d.known(shape))
      continue;
    of.push_back(d.operand(x.type.dtype, shape));
    node.in(of.back());
  }
  return d.move(std::move(node.set("axis", static_cast<int64_t>(axis - (d.chance(3) ? x.rank() : 0)))), of);
}
bool pad(Drawing &d, const char *op) {
  Value x = d.value(d.opset < 11 ? F32 | F64 : d.opset < 13 ? NUMBERS : ANY, 1, 4);
  std::vector<std::string> modes = {"constant", "constant", "reflect", "edge"};
  if (d.opset >= 19)
    modes.push_back("wrap");
  const std::string mode = d.one(modes);
  std::vector<int64_t> pads, list;
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < x.rank(); ++i)
      pads.push_back(mode == "constant" ? d.one<int64_t>({0, 0, 1, 2, 3, -1}) : d.one<int64_t>({0, 0, 1, -1}));
  const bool someAxes = d.opset >= 18 && d.chance(3);
  if (someAxes) {
    const int rank = x.rank(), axis = d.below(rank);
    list = {axis - (d.chance(2) ? rank : 0)};
    pads = {pads[static_cast<size_t>(axis)], pads[static_cast<size_t>(axis + rank)]};
  }
  if (d.opset < 11) {
    Node old(op, {x});
    if (d.chance(2))
      old.set("value", 1.5);
    return d.move(std::move(old.set("pads", pads).set("mode", mode.c_str())), {x});
  }
  Node node(op, {x, d.intsOrInput(pads)});
  if (someAxes || d.chance(2))
    node.in(d.chance(4) ? Drawing::none() : d.constant(x.type.dtype, {}, {Data::Kind::Integers, 0, 1, {}}));
  if (someAxes)
    node.in(d.ints(list));
  return d.move(std::move(node.set("mode", mode.c_str())), {x});
}
bool centerCropPad(Drawing &d, const char *op) {
  Value x = d.value(ANY, 1, 4);
  std::vector<int64_t> list, sizes;
  for (int i = 0; i < x.rank(); ++i)
    if (d.chance(2) || (list.empty() && i + 1 == x.rank())) {
      list.push_back(i - (d.chance(3) ? x.rank() : 0));
      sizes.push_back(d.between(0, 6));
    }
  Node node(op, {x, d.intsOrInput(sizes)});
  return d.move(std::move(node.set("axes", list)), {x});
}

bool shape(Drawing &d, const char *op) {
  Value x = d.value(ANY);
  Node node(op, {x});
  if (d.opset >= 15 && d.chance(2)) {
    node.set("start", d.between(-2, 2));
    if (d.chance(2))
      node.set("end", d.between(-2, 4));
  }
  return d.emit(std::move(node), {});
}
bool size(Drawing &d, const char *op) { return d.emit(Node(op, {d.value(ANY)}), {}); }
bool dropout(Drawing &d, const char *op) {
  Value x = d.value(F32 | F64 | F16);
  Node node(op, {x});
  if (d.opset >= 12 && d.chance(2))
    node.in(d.constant(DType::F32, {}, {Data::Kind::Real, 0.1, 0.9, {}}));
  return d.move(std::move(node), {x}, d.chance(2) ? 2 : 1);
}
bool constant(Drawing &d, const char *op) {
  Node node(op);
  switch (d.opset >= 12 ? d.below(8) : 7) {
  case 0:
    return d.emit(std::move(node.set("value_float", 1.5)), {});
  case 1:
    return d.emit(std::move(node.set("value_int", d.between(-3, 3))), {});
  case 2:
    return d.emit(std::move(node.set("value_ints", std::vector<int64_t>{1, -2, 3})), {});
  case 3:
    return d.emit(std::move(node.set("value_floats", std::vector<double>{0.5, -2, 3})), {});
  case 4:
    return d.emit(std::move(node.set("value_string", "one")), {});
  case 5:
    return d.emit(std::move(node.set("value_strings", std::vector<std::string>{"a", "", "B"})), {});
  default:
    std::mt19937_64 random(static_cast<uint64_t>(d.below(1000)));
    return d.emit(
        std::move(node.set("value",
                           *filled(d.type(ANY), std::vector<int64_t>(static_cast<size_t>(d.below(3)), d.between(0, 3)),
                                   {}, 1, random))),
        {});
  }
}

const Drawer drawers[] = {
    {"Reshape", reshape, 3},
    {"Flatten", flatten},
    {"Squeeze", squeeze},
    {"Unsqueeze", unsqueeze},
    {"Transpose", transpose, 2},
    {"DepthToSpace", depthSpace},
    {"SpaceToDepth", depthSpace},
    {"Expand", expand},
    {"Expand", expandToShape},
    {"Tile", tile},
    {"ConstantOfShape", constantOfShape},
    {"Slice", slice, 3},
    {"Split", split, 2},
    {"Concat", concat, 3},
    {"Pad", pad, 2},
    {"CenterCropPad", centerCropPad},
    {"Shape", shape},
    {"Size", size},
    {"Dropout", dropout},
    {"Constant", constant},
};

} // namespace

std::span<const Drawer> shapes() { return drawers; }

} // namespace pliant::differential
