// SPDX-License-Identifier: Apache-2.0
// Drawers of gathers, scatters, selections and what makes indices.
#include "drawing.h"

namespace pliant::differential {
namespace {

Data indexOf(const Expr &extent) { return {Data::Kind::Index, 0, 0, extent}; }

bool gather(Drawing &d, const char *op) {
  Value x = d.value(ANY, 1, 3);
  const int axis = d.below(x.rank());
  if (!d.known({x.dim(axis)}))
    return false;
  Value at = d.input(d.type(I64 | I32), d.extents(d.below(3)), indexOf(x.dim(axis)));
  return d.move(Node(op, {x, at}).set("axis", static_cast<int64_t>(axis - (d.chance(3) ? x.rank() : 0))), {x});
}
bool gatherElements(Drawing &d, const char *op) {
  Value x = d.value(ANY, 1, 4);
  const int axis = d.below(x.rank());
  Extents shape = x.type.shape;
  shape[static_cast<size_t>(axis)] = d.extent();
  if (!d.known(shape) || !d.known(x.type.shape))
    return false;
  Value at = d.input(d.type(I64 | I32), shape, indexOf(x.dim(axis)));
  return d.move(Node(op, {x, at}).set("axis", static_cast<int64_t>(axis - (d.chance(3) ? x.rank() : 0))), {x});
}
/// Indices of (..., depth): every column in the range of the smallest of the leading extents.
std::optional<Value> tuples(Drawing &d, const Value &x, int batch, int depth, const Extents &rows) {
  if (!d.known(x.type.shape))
    return std::nullopt;
  Extents shape = rows;
  shape.push_back(depth);
  Expr least = x.dim(batch);
  for (int i = 1; i < depth; ++i)
    least = min(least, x.dim(batch + i));
  return d.input(DType::I64, shape, indexOf(least));
}
bool gatherNd(Drawing &d, const char *op) {
  Value x = d.value(ANY, 1, 4);
  const int batch = d.opset >= 12 && x.rank() > 1 && d.chance(3) ? 1 : 0;
  Extents rows(x.type.shape.begin(), x.type.shape.begin() + batch);
  for (int i = d.below(3); i > 0; --i)
    rows.push_back(d.extent());
  auto at = tuples(d, x, batch, 1 + d.below(x.rank() - batch), rows);
  if (!at)
    return false;
  Node node(op, {x, *at});
  if (batch)
    node.set("batch_dims", static_cast<int64_t>(batch));
  return d.move(std::move(node), {x});
}
const char *reduction(Drawing &d) {
  std::vector<const char *> list = {"none"};
  if (d.opset >= 16)
    list.insert(list.end(), {"add", "mul"});
  if (d.opset >= 18)
    list.insert(list.end(), {"min", "max"});
  return d.one(list);
}
bool scatterElements(Drawing &d, const char *op) {
  Value x = d.value(ANY, 1, 3, true);
  const int axis = d.below(x.rank());
  Extents shape = x.type.shape;
  shape[static_cast<size_t>(axis)] = d.between(0, 3);
  if (!d.known(x.type.shape))
    return false;
  Node node(op, {x, d.input(d.type(I64 | I32), shape, indexOf(x.dim(axis)))});
  Value updates = d.operand(x.type.dtype, shape);
  const std::string how = std::string(op) == "Scatter" || x.type.dtype == DType::String ? "none" : reduction(d);
  node.in(updates).set("axis", static_cast<int64_t>(axis - (d.chance(3) ? x.rank() : 0)));
  if (how != "none")
    node.set("reduction", how.c_str());
  return d.emit(std::move(node), {x.exact && updates.exact, x.bound * 27 + 9});
}
bool scatterNd(Drawing &d, const char *op) {
  Value x = d.value(ANY, 1, 3, true);
  Extents shape;
  for (int i = d.below(3); i > 0; --i)
    shape.push_back(d.between(0, 3));
  const int depth = 1 + d.below(x.rank());
  auto at = tuples(d, x, 0, depth, shape);
  if (!at)
    return false;
  shape.insert(shape.end(), x.type.shape.begin() + depth, x.type.shape.end());
  Value updates = d.operand(x.type.dtype, shape);
  Node node(op, {x, *at, updates});
  const std::string how = x.type.dtype == DType::String ? "none" : reduction(d);
  if (how != "none")
    node.set("reduction", how.c_str());
  return d.emit(std::move(node), {x.exact && updates.exact, x.bound * 27 + 9});
}
bool oneHot(Drawing &d, const char *op) {
  const int64_t depth = d.between(1, 5);
  Value at = d.input(d.type(I64 | I32), d.extents(1 + d.below(2)), {Data::Kind::Integers, -6, 6, {}});
  const DType dtype = d.type(F32 | I64 | I32 | BOOL);
  Value values = d.operand(dtype, {Expr(2)});
  return d.emit(Node(op, {at, d.intScalar(depth), values}).set("axis", d.axis(at.rank() + 1)), {true, 3});
}
bool reverseSequence(Drawing &d, const char *op) {
  const int batch = d.below(2);
  Extents shape = d.extents(2 + d.below(2));
  Value x = d.input(d.type(ANY), shape);
  if (!shape[static_cast<size_t>(1 - batch)].constant())
    return false;
  const int64_t steps = *shape[static_cast<size_t>(1 - batch)].constant();
  if (!steps)
    return false;
  Value lengths = d.input(DType::I64, {shape[static_cast<size_t>(batch)]},
                          {Data::Kind::Integers, 1, static_cast<double>(steps), {}});
  return d.move(Node(op, {x, lengths})
                    .set("batch_axis", static_cast<int64_t>(batch))
                    .set("time_axis", static_cast<int64_t>(1 - batch)),
                {x});
}
bool compress(Drawing &d, const char *op) {
  Value x = d.value(ANY, 1, 3);
  const bool flat = d.chance(3);
  const int axis = d.below(x.rank());
  if (!d.known(x.type.shape))
    return false;
  const Expr most = flat ? product(x.type.shape) : x.dim(axis);
  Value which = d.input(DType::Bool, {most});
  Node node(op, {x, which});
  if (!flat)
    node.set("axis", static_cast<int64_t>(axis - (d.chance(3) ? x.rank() : 0)));
  return d.move(std::move(node), {x});
}
bool nonZero(Drawing &d, const char *op) {
  Value x = d.value(ANY, 1, 3, true); // ranks are static; scalars have one row here and none there
  return d.emit(Node(op, {x}), {});
}
bool unique(Drawing &d, const char *op) {
  Value x = d.value(F32 | F64 | I64 | I8 | STRING, 1, 3, true);
  Node node(op, {x});
  if (d.chance(2))
    node.set("axis", d.axis(x.rank()));
  if (d.chance(2))
    node.set("sorted", d.between(0, 1));
  return d.emit(std::move(node), {true, x.bound, d.chance(2) ? 4 : 1});
}
bool topK(Drawing &d, const char *op) {
  Value x = d.value(F32 | F64 | I64 | I32, 1, 3, true);
  const int axis = d.below(x.rank());
  const int64_t most = x.dim(axis).constant().value_or(1);
  const int64_t k = d.between(0, std::min<int64_t>(most, 5));
  Node node(op, {x});
  node.set("axis", static_cast<int64_t>(axis - (d.chance(3) ? x.rank() : 0)));
  if (d.opset < 10)
    node.set("k", std::max<int64_t>(k, 1));
  else
    node.in(d.intsOrInput({k}));
  if (d.opset >= 11)
    node.set("largest", d.between(0, 1));
  return d.move(std::move(node), {x}, 2);
}
bool nonMaxSuppression(Drawing &d, const char *op) {
  const Expr batches = d.between(1, 2), boxes = d.extent();
  Value where = d.input(DType::F32, {batches, boxes, 4}, {Data::Kind::Real, 0, 4, {}});
  Value scores = d.input(DType::F32, {batches, Expr(d.between(1, 3)), boxes}, {Data::Kind::Real, 0, 1, {}});
  auto scalar = [&](double v) { return d.constant(DType::F32, {1}, {Data::Kind::Real, v, v, {}}); };
  Node node(op, {where, scores, d.ints({d.between(0, 5)}), scalar(0.5)});
  if (d.chance(2))
    node.in(scalar(0.25));
  return d.emit(std::move(node.set("center_point_box", d.between(0, 1))), {});
}
bool range(Drawing &d, const char *op) {
  const DType dtype = d.type(F32 | I64 | I32);
  auto scalar = [&](int64_t low, int64_t high) {
    return d.constant(dtype, {}, {Data::Kind::Integers, static_cast<double>(low), static_cast<double>(high), {}});
  };
  Value first = scalar(-3, 3),
        last = d.chance(3) ? d.input(dtype, {}, {Data::Kind::Integers, -4, 12, {}}) : scalar(-4, 12);
  return d.emit(Node(op, {first, last, d.chance(3) ? scalar(-3, -1) : scalar(1, 3)}), {true, 16});
}
bool eyeLike(Drawing &d, const char *op) {
  Node node(op, {d.value(ANY, 2, 2)});
  if (d.chance(2))
    node.set("k", d.between(-3, 3));
  if (d.chance(2))
    node.set("dtype", static_cast<int64_t>(onnxType(d.type(F32 | F64 | I64 | I32))));
  return d.emit(std::move(node), {});
}
bool trilu(Drawing &d, const char *op) {
  Value x = d.value(ANY, 2, 4);
  Node node(op, {x});
  if (d.chance(2))
    node.in(d.intScalar(d.between(-3, 3)));
  return d.move(std::move(node.set("upper", d.between(0, 1))), {x});
}
bool cumSum(Drawing &d, const char *op) {
  Value x = d.value(F32 | F64 | I64 | I32, 1, 3);
  Node node(op, {x, d.intScalar(d.axis(x.rank()), d.type(I64 | I32))});
  return d.emit(std::move(node.set("exclusive", d.between(0, 1)).set("reverse", d.between(0, 1))),
                {x.exact, x.bound * 64});
}

const Drawer drawers[] = {
    {"Gather", gather, 3},
    {"GatherElements", gatherElements},
    {"GatherND", gatherNd},
    {"ScatterElements", scatterElements},
    {"Scatter", scatterElements},
    {"ScatterND", scatterNd},
    {"OneHot", oneHot},
    {"ReverseSequence", reverseSequence},
    {"Compress", compress},
    {"NonZero", nonZero},
    {"Unique", unique},
    {"TopK", topK},
    {"NonMaxSuppression", nonMaxSuppression},
    {"Range", range},
    {"EyeLike", eyeLike},
    {"Trilu", trilu},
    {"CumSum", cumSum},
};

} // namespace

std::span<const Drawer> indexing() { return drawers; }

} // namespace pliant::differential
