// SPDX-License-Identifier: Apache-2.0
// Axes that a model computes at run time: ranks are static, so what they decide is extents, and those are computed by
// small tensor arithmetic over the axes and read by the host.
#pragma once
#include "ops/compose.h"
#include "ops/onnx_util.h"

namespace pliant::onnx_import {

/// 0, 1, ... of a known or symbolic count.
inline Value axisNumbers(ValueBuilder &b, const Expr &count) { return b.iota({count}, DType::I64); }

/// A list (or scalar) of axes as numbers in [0, rank); others are a run-time error.
inline Value wrappedAxes(ValueBuilder &b, Value axes, int64_t rank) { return b.gather(axisNumbers(b, rank), axes, 0); }

/// (axes, rank) of bool: which axis each entry of a list of wrapped axes names.
inline Value axisHits(ValueBuilder &b, Value wrapped, int64_t rank) {
  if (b.failed())
    return {};
  if (b.rank(wrapped) != 1) {
    b.fail(userError("axes", "axes of shape " + str(b.shape(wrapped)) + " are no list"));
    return {};
  }
  return b.equal(b.reshape(wrapped, {b.shape(wrapped)[0], 1}), axisNumbers(b, rank));
}

/// (rank) of bool: whether an axis is named by a list.
inline Value namedAxes(ValueBuilder &b, Value axes, int64_t rank) {
  Value hits = b.cast(axisHits(b, wrappedAxes(b, axes, rank), rank), DType::I64);
  return b.greater(b.reduceSum(hits, {0}, false), b.scalar(DType::I64, 0));
}

/// The extents of the axes that are not named, in order, when `kept` of them are left.
inline Extents keptExtents(ValueBuilder &b, const Extents &shape, Value named, int64_t kept) {
  if (b.failed() || kept <= 0)
    return {};
  const auto rank = static_cast<int64_t>(shape.size());
  // Named axes are sorted behind all others.
  Value behind = b.mul(b.cast(named, DType::I64), b.scalar(DType::I64, static_cast<double>(rank)));
  std::vector<Value> order = b.topK(b.add(behind, axisNumbers(b, rank)), {kept}, 0, false);
  return b.failed() ? Extents() : b.bind(b.gather(b.extents(shape), order[1], 0), extentBounds, "kept");
}

/// x seen as (before, along, behind) an axis that is a run-time scalar.
inline Value splitAt(NodeImport &n, Value x, Value axis) {
  ValueBuilder &b = n.b;
  if (b.failed())
    return {};
  const int64_t rank = b.rank(x);
  Value at = wrappedAxes(b, asScalar(n, axis), rank), numbers = axisNumbers(b, rank);
  Value all = b.extents(b.shape(x)), one = b.scalar(DType::I64, 1);
  auto part = [&](Value chosen) { return b.reduceProd(b.select(chosen, all, one), {0}, true); };
  const std::array<Value, 3> parts{part(b.less(numbers, at)), part(b.equal(numbers, at)), part(b.greater(numbers, at))};
  const Extents split = b.failed() ? Extents() : b.bind(b.concat(parts, 0), extentBounds, "axis");
  return b.failed() ? Value{} : b.reshape(x, split);
}

} // namespace pliant::onnx_import
