// SPDX-License-Identifier: Apache-2.0
// ONNX Slice and Split.
#include "ops/extent_math.h"
#include "ops/onnx_list.h"
#include "ops/onnx_run_axes.h"

namespace pliant::ops::slice {
using namespace onnx_import;

/// Exporters write "to the end" as the largest number of 32 or 64 bits.
constexpr int64_t farAway = INT32_MAX;

/// One axis of a slice, clamped as the standard says: as NumPy does, but that a start below the front is the front also
/// where the step is negative. Only what can matter is clamped, so that extents stay simple: x[:, :n]
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
  if (end.high)
    return {0, 0};
  const Expr last = extent - 1, front = start.low ? Expr(0) : maxOf(facts, start.at, 0);
  const Expr from = start.high || start.at == last ? last : minOf(facts, front, last);
  const Expr to = end.low ? Expr(-1) : maxOf(facts, end.at, -1);
  return {from, maxOf(facts, ceilDiv(from - to, -step), 0)};
}

/// One sliced axis.
struct Axis {
  size_t at;
  int64_t step;
  Expr extent;
};

static Result<std::vector<Axis>> planAxes(NodeImport &n, Value x, const std::vector<int64_t> &axes,
                                          const std::vector<int64_t> &steps, size_t count) {
  if (axes.size() != count || steps.size() != count)
    return n.error(std::to_string(count) + " starts do not fit " + std::to_string(axes.size()) + " axes and " +
                   std::to_string(steps.size()) + " steps");
  PLIANT_CHECK(axisSet(n, axes, n.b.rank(x)));
  std::vector<Axis> plan;
  for (size_t i = 0; i < count; ++i) {
    PLIANT_TRY(int64_t axis, axisOf(n, axes[i], n.b.rank(x)));
    if (steps[i] == 0)
      return n.error("the step of axis " + std::to_string(axis) + " is 0");
    plan.push_back({static_cast<size_t>(axis), std::max(std::min(steps[i], farAway), -farAway),
                    n.b.shape(x)[static_cast<size_t>(axis)]});
  }
  return plan;
}

static Status sliceAxes(NodeImport &n, Value x, const std::vector<Axis> &plan, const std::vector<End> &starts,
                        const std::vector<End> &ends) {
  if (n.b.failed())
    return n.b.status();
  if (starts.size() != plan.size() || ends.size() != plan.size())
    return n.error(std::to_string(starts.size()) + " starts and " + std::to_string(ends.size()) + " ends for " +
                   std::to_string(plan.size()) + " axes");
  Extents shape = n.b.shape(x), at(shape.size(), 0), sizes = shape;
  std::vector<int64_t> strides(shape.size(), 1), ones = strides;
  for (size_t i = 0; i < plan.size(); ++i) {
    auto &[axis, step, extent] = plan[i];
    Range range = (step > 0 ? forward : backward)(n.b.facts(), starts[i], ends[i], step, extent);
    at[axis] = std::move(range.start);
    sizes[axis] = std::move(range.size);
    strides[axis] = step;
  }
  const bool whole = sizes == shape && at == Extents(shape.size(), 0) && strides == ones;
  n.out(whole ? x : n.b.slice(x, std::move(at), std::move(strides), std::move(sizes)));
  return n.b.status();
}

static std::vector<End> resolveAll(NodeImport &n, const Content &given, const std::vector<Axis> &plan) {
  std::vector<End> ends;
  for (size_t i = 0; i < given.size() && i < plan.size(); ++i)
    ends.push_back(resolve(n.b.facts(), given[i], plan[i].extent));
  return ends;
}

/// Starts or ends read at run time: wrapped and clamped by small tensor arithmetic, so that the host reads positions in
/// [0, extent], or in [-1, extent - 1] where the step is negative, and nothing about signs is left to decide.
static std::vector<End> readAll(NodeImport &n, Value given, const std::vector<Axis> &plan, bool starts) {
  ValueBuilder &b = n.b;
  Extents extents, high;
  std::vector<int64_t> low, front; // a start is never below 0, unless there is no element
  for (const Axis &axis : plan) {
    extents.push_back(axis.extent);
    low.push_back(axis.step > 0 ? 0 : -1);
    front.push_back(starts ? 0 : low.back());
    high.push_back(axis.extent + low.back());
  }
  Value at = b.dtype(given) == DType::I64 ? given : b.cast(given, DType::I64), lowest = b.ints(low);
  at = b.select(b.less(at, b.scalar(DType::I64, 0)), b.add(at, b.extents(extents)), at);
  at = b.sub(b.min(b.max(at, b.ints(front)), b.extents(high)), lowest);
  const Extents bound = b.bind(at, extentBounds, starts ? "start" : "end");
  std::vector<End> ends;
  for (size_t i = 0; i < bound.size() && i < plan.size(); ++i) {
    if (Status clamped = b.facts().assumeLessEqual(bound[i], extents[i], "clamped slice"); !clamped)
      b.fail(clamped.takeError());
    ends.push_back({bound[i] + low[i]});
  }
  return ends;
}

static std::vector<int64_t> firstAxes(size_t count) {
  std::vector<int64_t> axes;
  for (size_t i = 0; i < count; ++i)
    axes.push_back(static_cast<int64_t>(i));
  return axes;
}

static Status sliceByAttributes(NodeImport &n) {
  std::optional<std::vector<int64_t>> starts = n.intsAttr("starts"), ends = n.intsAttr("ends");
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  if (!starts || !ends)
    return n.error("the attributes starts and ends are missing");
  const size_t count = starts->size();
  PLIANT_TRY(std::vector<Axis> plan,
             planAxes(n, x, n.intsAttr("axes").value_or(firstAxes(count)), std::vector<int64_t>(count, 1), count));
  return sliceAxes(n, x, plan, resolveAll(n, Content(starts->begin(), starts->end()), plan),
                   resolveAll(n, Content(ends->begin(), ends->end()), plan));
}

/// Axes or steps known only at run time: starts, ends and steps are spread over all axes, clamped as above by tensor
/// arithmetic, and every axis is gathered. A step of 0 divides by zero, which is the error it should be.
static Status sliceBy(NodeImport &n, Value x, Value starts, Value ends) {
  ValueBuilder &b = n.b;
  for (size_t i = 1; i < n.inputs(); ++i)
    if (n.has(i) && b.rank(n.in(i)) != 1)
      return n.error("input " + std::to_string(i) + " has shape " + str(b.shape(n.in(i))) + " but must be a list");
  const Extents shape = b.shape(x);
  const int64_t rank = b.rank(x);
  auto number = [&](int64_t v) { return b.scalar(DType::I64, static_cast<double>(v)); };
  auto wide = [&](Value list) { return b.failed() || b.dtype(list) == DType::I64 ? list : b.cast(list, DType::I64); };
  Value zero = number(0), one = number(1), extents = b.extents(shape);
  Value axes = n.has(3) ? wrappedAxes(b, n.in(3), rank) : axisNumbers(b, b.shape(starts)[0]);
  Value hits = axisHits(b, axes, rank);
  if (b.failed())
    return b.status();
  Value named = b.greater(b.reduceSum(b.cast(hits, DType::I64), {0}, false), zero);
  auto spread = [&](Value list, Value otherwise) {
    list = wide(list);
    if (b.failed())
      return Value{};
    Value column = b.reshape(list, {b.shape(list)[0], 1});
    return b.select(named, b.reduceSum(b.select(hits, column, zero), {0}, false), otherwise);
  };
  Value step = n.has(4) ? spread(n.in(4), one) : b.broadcastTo(one, {rank});
  step = b.max(b.min(step, number(farAway)), number(-farAway));
  Value up = b.greater(step, zero), low = b.select(up, zero, number(-1)), high = b.add(extents, low);
  auto clamped = [&](Value at, Value least) {
    at = b.select(b.less(at, zero), b.add(at, extents), at);
    return b.min(b.max(at, least), high);
  };
  Value from = clamped(spread(starts, zero), zero), to = clamped(spread(ends, extents), low), size = b.abs(step);
  Value span = b.select(up, b.sub(to, from), b.sub(from, to));
  Value counts = b.max(b.div(b.add(span, b.sub(size, one)), size), zero);
  const Extents sizes = b.bind(counts, extentBounds, "slice");
  for (int64_t axis = 0; axis < rank && !b.failed(); ++axis) {
    auto entry = [&](Value list) { return b.reshape(b.slice(list, {axis}, {1}, {1}), {}); };
    Value places = b.add(b.mul(axisNumbers(b, sizes[axis]), entry(step)), entry(from));
    x = b.gather(x, places, axis);
  }
  n.out(x);
  return b.status();
}

static Status sliceByInputs(NodeImport &n) {
  Value x = n.in(0), starts = n.in(1), ends = n.in(2);
  if (n.b.failed())
    return n.b.status();
  const bool open = (n.has(3) && !n.constInts(3)) || (n.has(4) && !n.constInts(4));
  if (open && n.b.rank(starts) == 1 && n.b.rank(ends) == 1)
    return sliceBy(n, x, starts, ends);
  const std::optional<int64_t> length = listLength(n, starts);
  if (!length || n.b.shape(starts) != n.b.shape(ends))
    return n.error("starts of shape " + str(n.b.shape(starts)) + " and ends of shape " + str(n.b.shape(ends)) +
                   " must be lists of one known length");
  const auto count = static_cast<size_t>(*length);
  std::vector<int64_t> axes = firstAxes(count), steps(count, 1);
  for (size_t i : {3, 4})
    if (n.has(i))
      (i == 3 ? axes : steps) = n.constInts(i).value_or(std::vector<int64_t>{});
  PLIANT_TRY(std::vector<Axis> plan, planAxes(n, x, axes, steps, count));
  auto resolved = [&](Value given, bool start) {
    const Content *known = n.b.content(given);
    return known ? resolveAll(n, *known, plan) : readAll(n, given, plan, start);
  };
  const std::vector<End> from = resolved(starts, true), to = resolved(ends, false);
  return sliceAxes(n, x, plan, from, to);
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
  if (n.b.facts().equal(total, shape[axis]) == Proof::Unknown) { // what a run has to test: a reshape keeps the count
    pieces[axis] = total;
    x = n.b.reshape(x, pieces);
  }
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
