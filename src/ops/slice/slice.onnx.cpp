// SPDX-License-Identifier: Apache-2.0
// ONNX Slice and Split.
#include "ops/extent_math.h"
#include "ops/onnx_util.h"

namespace pliant::ops::slice {
using namespace onnx_import;

/// Exporters write "to the end" as the largest number of 32 or 64 bits.
constexpr int64_t farAway = INT32_MAX;

/// One axis of a slice, clamped as NumPy does. Only what can matter is clamped, so that extents stay simple: x[:, :n]
/// has min(n, extent), x[1:] has max(extent - 1, 0), and a start beyond the end only occurs in an empty result.
struct Range {
  Expr start, size;
};
struct End {
  Expr at;                        ///< counted from the front, not clamped
  bool fromBack = false;          ///< extent minus a positive constant: below the extent
  bool low = false, high = false; ///< beyond any extent
};

static End resolve(const Facts &facts, const Expr &given, const Expr &extent) {
  if (std::optional<int64_t> value = given.constant()) {
    if (*value >= farAway || *value <= -farAway)
      return {0, false, *value < 0, *value > 0};
    return *value < 0 ? End{extent + *value, true} : End{given};
  }
  const Interval bounds = facts.bounds(given);
  if (bounds.lo >= 0)
    return {given};
  if (bounds.hi < 0)
    return {extent + given, true};
  const Expr negative = Expr(0) - max(min(given, 0), -1); // 1 below zero, else 0; no overflow at the smallest number
  return {given + extent * negative};
}

static Range forward(const Facts &facts, const End &start, const End &end, int64_t step, const Expr &extent) {
  if (start.high || end.low)
    return {0, 0};
  const Expr from = start.low ? Expr(0) : maxOf(facts, start.at, 0);
  const Expr to = end.high ? extent : end.fromBack ? end.at : minOf(facts, end.at, extent);
  Expr length = to - from;
  if (start.fromBack && !start.low && !(from == start.at)) // to - max(at, 0), without the nesting
    length = minOf(facts, to - start.at, to);
  return {from, maxOf(facts, ceilDiv(length, step), 0)};
}

static Range backward(const Facts &facts, const End &start, const End &end, int64_t step, const Expr &extent) {
  if (start.low || end.high)
    return {0, 0};
  const Expr from = start.high ? extent - 1 : start.fromBack ? start.at : minOf(facts, start.at, extent - 1);
  const Expr to = end.low ? Expr(-1) : maxOf(facts, end.at, -1);
  return {from, maxOf(facts, ceilDiv(from - to, -step), 0)};
}

static Status sliceAxes(NodeImport &n, Value x, const Extents &starts, const Extents &ends,
                        const std::vector<int64_t> &axes, const std::vector<int64_t> &steps) {
  if (n.b.failed())
    return n.b.status();
  Extents shape = n.b.shape(x), at(shape.size(), 0), sizes = shape;
  std::vector<int64_t> strides(shape.size(), 1);
  if (starts.size() != ends.size() || starts.size() != axes.size() || starts.size() != steps.size())
    return n.error("starts, ends, axes and steps have " + std::to_string(starts.size()) + ", " +
                   std::to_string(ends.size()) + ", " + std::to_string(axes.size()) + " and " +
                   std::to_string(steps.size()) + " elements");
  PLIANT_CHECK(axisSet(n, axes, n.b.rank(x)));
  for (size_t i = 0; i < axes.size(); ++i) {
    PLIANT_TRY(int64_t signedAxis, axisOf(n, axes[i], n.b.rank(x)));
    const auto axis = static_cast<size_t>(signedAxis);
    if (steps[i] == 0)
      return n.error("the step of axis " + std::to_string(axis) + " is 0");
    const Facts &facts = n.b.facts();
    const int64_t step = std::max(std::min(steps[i], farAway), -farAway);
    const End start = resolve(facts, starts[i], shape[axis]), end = resolve(facts, ends[i], shape[axis]);
    Range range =
        step > 0 ? forward(facts, start, end, step, shape[axis]) : backward(facts, start, end, step, shape[axis]);
    at[axis] = std::move(range.start);
    sizes[axis] = std::move(range.size);
    strides[axis] = step;
  }
  const bool whole =
      sizes == shape && at == Extents(shape.size(), 0) && strides == std::vector<int64_t>(shape.size(), 1);
  n.out(whole ? x : n.b.slice(x, std::move(at), std::move(strides), std::move(sizes)));
  return n.b.status();
}

static std::vector<int64_t> firstAxes(size_t count) {
  std::vector<int64_t> axes;
  for (size_t i = 0; i < count; ++i)
    axes.push_back(static_cast<int64_t>(i));
  return axes;
}

static Status sliceByAttributes(NodeImport &n) {
  std::optional<std::vector<int64_t>> starts = n.intsAttr("starts"), ends = n.intsAttr("ends");
  if (!starts || !ends)
    return n.error("the attributes starts and ends are missing");
  return sliceAxes(n, n.in(0), Extents(starts->begin(), starts->end()), Extents(ends->begin(), ends->end()),
                   n.intsAttr("axes").value_or(firstAxes(starts->size())), std::vector<int64_t>(starts->size(), 1));
}

static Status sliceByInputs(NodeImport &n) {
  Value x = n.in(0);
  const Extents starts = n.ints(1, {}, "start"), ends = n.ints(2, {}, "end");
  std::vector<int64_t> axes = firstAxes(starts.size()), steps(starts.size(), 1);
  for (size_t i : {3, 4})
    if (n.has(i)) {
      std::optional<std::vector<int64_t>> list = n.constInts(i);
      if (!list)
        return n.unsupported(i == 3 ? "axes that are not constant" : "steps that are not constant");
      (i == 3 ? axes : steps) = std::move(*list);
    }
  return sliceAxes(n, x, starts, ends, axes, steps);
}

/// Sizes of `count` pieces: the rounded-up share until nothing is left.
static Extents evenSizes(const Facts &facts, const Expr &extent, int64_t count) {
  Extents sizes;
  if (std::optional<Expr> share = facts.divideExactly(extent, count))
    return Extents(static_cast<size_t>(count), *share);
  const Expr share = ceilDiv(extent, count);
  for (int64_t i = 0; i < count; ++i)
    sizes.push_back(minOf(facts, share, maxOf(facts, extent - share * i, 0)));
  return sizes;
}

static Status split(NodeImport &n) {
  Value x = n.in(0);
  const bool given = n.has(1) || n.hasAttr("split");
  Extents sizes;
  if (n.has(1)) {
    sizes = n.ints(1, extentBounds, "split");
  } else if (given) {
    std::vector<int64_t> list = n.intsAttr("split").value_or(std::vector<int64_t>{});
    sizes.assign(list.begin(), list.end());
  }
  if (n.b.failed())
    return n.b.status();
  const Extents shape = n.b.shape(x);
  PLIANT_TRY(int64_t signedAxis, axisOf(n, n.intAttr("axis", 0), n.b.rank(x)));
  const auto axis = static_cast<size_t>(signedAxis);
  if (!given) {
    const int64_t count = n.intAttr("num_outputs", static_cast<int64_t>(n.outputs()));
    if (count < 1 || count > 65536)
      return n.error("cannot split into " + std::to_string(count) + " pieces");
    if (n.opset < 18 && shape[axis].constant() && *shape[axis].constant() % count != 0)
      return n.error("axis " + std::to_string(axis) + " of shape " + str(shape) + " does not split into " +
                     std::to_string(count) + " equal pieces");
    sizes = evenSizes(n.b.facts(), shape[axis], count);
  }
  Expr total = 0;
  for (const Expr &size : sizes)
    total = total + size;
  if (n.b.facts().equal(total, shape[axis]) == Proof::No || sizes.size() < n.outputs())
    return n.error("pieces of " + str(sizes) + " do not make up axis " + std::to_string(axis) + " of shape " +
                   str(shape) + " in " + std::to_string(n.outputs()) + " outputs");
  Extents starts(shape.size(), 0), pieces = shape;
  for (size_t i = 0; i < n.outputs(); ++i) {
    pieces[axis] = sizes[i];
    n.out(n.b.slice(x, starts, std::vector<int64_t>(shape.size(), 1), pieces));
    starts[axis] = starts[axis] + sizes[i];
  }
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"Slice", 1, sliceByAttributes}, {"Slice", 10, sliceByInputs}, {"Split", 1, split}};
  return rows;
}

} // namespace pliant::ops::slice
