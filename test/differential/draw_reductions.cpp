// SPDX-License-Identifier: Apache-2.0
// Drawers of reductions, softmax and normalisations.
#include "drawing.h"

namespace pliant::differential {
namespace {

bool reduce(Drawing &d, const char *op) {
  const std::string name = op;
  const bool extreme = name == "ReduceMax" || name == "ReduceMin";
  const bool logarithm = name == "ReduceLogSum" || name == "ReduceLogSumExp";
  const Types types = extreme                                                   ? F32 | F64 | I32 | I64 | U8 | I8
                      : logarithm || name == "ReduceL2" || name == "ReduceMean" ? F32 | F64
                                                                                : F32 | F64 | I32 | I64;
  Value x = name == "ReduceLogSum" ? d.input(d.type(types), d.extents(1 + d.below(3)), {Data::Kind::Real, 0.5, 4, {}})
                                   : d.value(types, 1, 4);
  Node node(op, {x});
  if (d.below(5)) {
    const std::vector<int64_t> list = d.axes(x.rank());
    if (d.opset < (name == "ReduceSum" ? 13 : 18))
      node.set("axes", list);
    else
      node.in(d.intsOrInput(list));
  } else if (d.opset >= (name == "ReduceSum" ? 13 : 18) && d.chance(3))
    node.set("noop_with_empty_axes", int64_t(1));
  if (d.below(3))
    node.set("keepdims", d.between(0, 1));
  if (extreme)
    return d.move(std::move(node), {x});
  const bool exact = x.exact && (name == "ReduceSum" || name == "ReduceL1" || name == "ReduceSumSquare");
  return d.emit(std::move(node), {exact, (name == "ReduceSumSquare" ? x.bound * x.bound : x.bound) * 4000});
}
bool argReduce(Drawing &d, const char *op) {
  Value x = d.value(F32 | F64 | I32 | I8 | U8, 1, 4, true);
  Node node(op, {x});
  node.set("axis", d.axis(x.rank())).set("keepdims", d.between(0, 1));
  if (d.opset >= 12 && d.chance(3))
    node.set("select_last_index", int64_t(1));
  return d.emit(std::move(node), {});
}
bool along(Drawing &d, const char *op) {
  const bool hard = std::string(op) == "Hardmax";
  Value x = d.value(F32 | F64, 1, 4, hard);
  Node node(op, {x});
  if (d.below(3))
    node.set("axis", d.axis(x.rank()));
  return d.emit(std::move(node), hard ? Results{true, 1} : rounded());
}

Value perChannel(Drawing &d, DType dtype, const Expr &channels, double low = -2) {
  return d.operand(dtype, {channels}, {Data::Kind::Quarters, low, 2, {}});
}
Value picture(Drawing &d, Types types, const Expr &channels, int minAxes = 0) {
  Extents shape{d.extent(), channels};
  for (int i = minAxes + d.below(3); i > 0; --i)
    shape.push_back(d.one<Expr>({Expr::symbol("m") + 1, Expr::symbol("k") + 2, 1, 2, 3, 7}));
  return d.input(d.type(types), shape, {Data::Kind::Real, -3, 3, {}});
}
bool batchNorm(Drawing &d, const char *op) {
  const Expr channels = d.between(1, 4);
  Value x = picture(d, F32, channels);
  const DType t = x.type.dtype;
  Node node(op, {x});
  node.in(perChannel(d, t, channels))
      .in(perChannel(d, t, channels))
      .in(perChannel(d, t, channels))
      .in(perChannel(d, t, channels, 0.5));
  if (d.chance(2))
    node.set("epsilon", d.one<double>({1e-3, 0.1}));
  if (d.chance(3))
    node.set("momentum", 0.5); // of training
  return d.emit(std::move(node), rounded());
}
bool instanceNorm(Drawing &d, const char *op) {
  const Expr channels = d.between(1, 4);
  Value x = picture(d, F32, channels, 1);
  Node node(op, {x});
  return d.emit(
      std::move(
          node.in(perChannel(d, DType::F32, channels)).in(perChannel(d, DType::F32, channels)).set("epsilon", 0.01)),
      rounded());
}
bool groupNorm(Drawing &d, const char *op) {
  if (d.opset < 21)
    return false; // the version of 18 was withdrawn
  const int64_t groups = d.between(1, 3);
  const Expr channels = groups * d.between(1, 3);
  Value x = picture(d, F32, channels, 1);
  Node node(op, {x, perChannel(d, DType::F32, channels), perChannel(d, DType::F32, channels)});
  return d.emit(std::move(node.set("num_groups", groups).set("epsilon", 0.01)), rounded());
}
bool layerNorm(Drawing &d, const char *op) {
  const int rank = 1 + d.below(3), axis = d.below(rank);
  Extents shape = d.extents(rank);
  Value x = d.input(d.type(F32 | F64), shape, {Data::Kind::Real, -3, 3, {}});
  const Extents inner(shape.begin() + axis, shape.end());
  Node node(op, {x, d.operand(x.type.dtype, inner)});
  if (d.chance(2))
    node.in(d.operand(x.type.dtype, inner));
  node.set("axis", static_cast<int64_t>(axis - (d.chance(2) ? rank : 0))).set("epsilon", 0.01);
  return d.emit(std::move(node), rounded());
}
bool lrn(Drawing &d, const char *op) {
  Value x = picture(d, F32, d.between(1, 6), 1);
  return d.emit(
      Node(op, {x}).set("size", d.one<int64_t>({1, 3, 5})).set("alpha", 0.1).set("beta", 0.75).set("bias", 1.0),
      rounded());
}
bool meanVariance(Drawing &d, const char *op) {
  Value x = d.input(DType::F32, {d.one<Expr>({Expr::symbol("n"), 2}), 3, Expr::symbol("m") + 2, 4},
                    {Data::Kind::Real, -3, 3, {}});
  Node node(op, {x});
  if (d.chance(2))
    node.set("axes", d.one<std::vector<int64_t>>({{0, 2, 3}, {2, 3}, {1, 2, 3}}));
  return d.emit(std::move(node), rounded());
}
bool lpNorm(Drawing &d, const char *op) {
  Value x = d.input(d.type(F32 | F64), d.extents(1 + d.below(3)), {Data::Kind::Real, 0.5, 3, {}});
  return d.emit(Node(op, {x}).set("axis", d.axis(x.rank())).set("p", d.between(1, 2)), rounded());
}
bool det(Drawing &d, const char *op) {
  const Expr side = d.between(1, 4);
  Value x = d.input(d.type(F32), d.chance(2) ? Extents{side, side} : Extents{d.extent(), side, side},
                    {Data::Kind::Real, -3, 3, {}}); // integers are often singular
  return d.emit(Node(op, {x}), rounded());
}

const Drawer drawers[] = {
    {"ReduceSum", reduce, 2},
    {"ReduceMean", reduce, 2},
    {"ReduceMax", reduce, 2},
    {"ReduceMin", reduce},
    {"ReduceProd", reduce},
    {"ReduceL1", reduce},
    {"ReduceL2", reduce},
    {"ReduceLogSum", reduce},
    {"ReduceLogSumExp", reduce},
    {"ReduceSumSquare", reduce},
    {"ArgMax", argReduce},
    {"ArgMin", argReduce},
    {"Softmax", along, 2},
    {"LogSoftmax", along},
    {"Hardmax", along},
    {"BatchNormalization", batchNorm},
    {"InstanceNormalization", instanceNorm},
    {"GroupNormalization", groupNorm},
    {"LayerNormalization", layerNorm},
    {"LRN", lrn},
    {"MeanVarianceNormalization", meanVariance},
    {"LpNormalization", lpNorm},
    {"Det", det},
};

} // namespace

std::span<const Drawer> reductions() { return drawers; }

} // namespace pliant::differential
