// SPDX-License-Identifier: Apache-2.0
// ONNX Pad, all versions.
#include "ops/extent_math.h"
#include "ops/onnx_util.h"

namespace pliant::ops::pad {
using namespace onnx_import;

/// Takes what negative counts crop off x and leaves those that add.
static Result<Value> crop(NodeImport &n, Value x, Extents &low, Extents &high) {
  ValueBuilder &b = n.b;
  const Extents shape = b.shape(x);
  Extents starts(shape.size(), Expr(0)), sizes = shape;
  bool crops = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    const Expr first = maxOf(b.facts(), Expr(0) - low[i], 0), last = maxOf(b.facts(), Expr(0) - high[i], 0);
    starts[i] = first;
    sizes[i] = shape[i] - first - last;
    if (b.facts().lessEqual(0, sizes[i]) == Proof::No)
      return n.error("axis " + std::to_string(i) + " of shape " + str(shape) +
                     " is cropped to less than nothing, before anything is added (pad.C4)");
    low[i] = low[i] + first;
    high[i] = high[i] + last;
    crops |= !first.isConstant(0) || !last.isConstant(0);
  }
  return crops ? b.slice(x, std::move(starts), std::vector<int64_t>(shape.size(), 1), std::move(sizes)) : x;
}

static Status padAxes(NodeImport &n, Value x, const Extents &counts, Value value, const std::vector<int64_t> *axes) {
  if (n.b.failed())
    return n.b.status();
  const size_t rank = n.b.shape(x).size(), given = axes ? axes->size() : rank;
  if (counts.size() != 2 * given)
    return n.error(std::to_string(counts.size()) + " pads for " + std::to_string(given) + " axes of shape " +
                   str(n.b.shape(x)) + ": two per axis are needed");
  Extents low(rank, 0), high(rank, 0);
  if (axes)
    PLIANT_CHECK(axisSet(n, *axes, n.b.rank(x)));
  for (size_t i = 0; i < given; ++i) {
    PLIANT_TRY(int64_t axis, axisOf(n, axes ? (*axes)[i] : static_cast<int64_t>(i), n.b.rank(x)));
    low[static_cast<size_t>(axis)] = counts[i];
    high[static_cast<size_t>(axis)] = counts[given + i];
  }
  const std::string mode = n.strAttr("mode", "constant");
  if (mode != "constant") { // before anything is read to add it
    PLIANT_TRY(x, crop(n, x, low, high));
  }
  n.out(n.b.pad(x, value, std::move(low), std::move(high), mode));
  return n.b.status();
}

static Status padByAttributes(NodeImport &n) {
  std::optional<std::vector<int64_t>> pads = n.intsAttr(n.hasAttr("pads") ? "pads" : "paddings");
  if (!pads)
    return n.error("the attribute pads is missing");
  Value x = n.in(0);
  return padAxes(n, x, Extents(pads->begin(), pads->end()), n.b.scalarLike(x, n.floatAttr("value", 0)), nullptr);
}

/// Counts read at run time may be negative: the host reads what is added and what is cropped.
static Extents countsOf(NodeImport &n) {
  Value given = n.in(1);
  if (n.b.failed())
    return {};
  if (const Content *known = n.b.content(given))
    return *known;
  const Value zero = n.b.scalarLike(given, 0);
  Extents added = n.b.bind(n.b.max(given, zero), extentBounds, "pad");
  const Extents cropped = n.b.bind(n.b.max(n.b.neg(given), zero), extentBounds, "crop");
  for (size_t i = 0; i < added.size() && i < cropped.size(); ++i)
    added[i] = added[i] - cropped[i];
  return added;
}

static Status padByInputs(NodeImport &n) {
  Value x = n.in(0);
  const Extents counts = countsOf(n);
  Value value = n.has(2) ? asScalar(n, n.in(2)) : n.b.scalarLike(x, 0);
  std::optional<std::vector<int64_t>> axes;
  if (n.has(3) && !(axes = n.constInts(3)))
    return n.unsupported("axes that are not constant");
  return padAxes(n, x, counts, value, axes ? &*axes : nullptr);
}

/// To given extents around the middle; the odd element is left out, or added, at the end.
static Status centerCropPad(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0);
  const Extents target = n.ints(1, extentBounds, "shape");
  if (b.failed())
    return b.status();
  const Extents shape = b.shape(x);
  std::vector<int64_t> axes = n.intsAttr("axes").value_or(std::vector<int64_t>());
  if (!n.hasAttr("axes"))
    for (int64_t i = 0; i < b.rank(x); ++i)
      axes.push_back(i);
  PLIANT_CHECK(axisSet(n, axes, b.rank(x)));
  if (axes.size() != target.size())
    return n.error("shape has " + std::to_string(target.size()) + " entries for " + std::to_string(axes.size()) +
                   " axes of " + str(shape));
  Extents low(shape.size(), Expr(0)), high = low;
  for (size_t i = 0; i < axes.size(); ++i) {
    PLIANT_TRY(int64_t axis, axisOf(n, axes[i], b.rank(x)));
    const Expr more = target[i] - shape[axis];
    low[axis] = max(floorDiv(more, 2), Expr(0)) - max(floorDiv(Expr(0) - more, 2), Expr(0));
    high[axis] = more - low[axis];
  }
  n.out(b.pad(x, b.scalarLike(x, 0), std::move(low), std::move(high), "constant"));
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"Pad", 1, padByAttributes}, {"Pad", 11, padByInputs}, {"CenterCropPad", 18, centerCropPad}};
  return rows;
}

} // namespace pliant::ops::pad
