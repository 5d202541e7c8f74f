// SPDX-License-Identifier: Apache-2.0
// Shape rule of max_pool, avg_pool, sum_pool and max_pool_indices.
#include "ops/spatial.h"

namespace pliant::ops::pool {

template <class A> static Result<std::vector<TensorType>> windows(ShapeContext &c, const A &a, DType result) {
  const TensorType &x = c.operand(0);
  if (x.rank() < 3 || x.rank() > 5)
    return c.error("x has shape " + str(x.shape) + ": the rank must be from 3 to 5", "C2",
                   "x is (batch, channels, spatial...)");
  const size_t axes = x.shape.size() - 2;
  PLIANT_CHECK(spatial::checkCounts(c, axes, a.kernel, "kernel", "C3"));
  PLIANT_CHECK(spatial::checkCounts(c, axes, a.strides, "strides", "C3"));
  PLIANT_CHECK(spatial::checkCounts(c, axes, a.dilations, "dilations", "C3"));
  PLIANT_CHECK(spatial::checkPads(c, axes, a.pads, "C3"));
  Extents extents = x.shape;
  for (size_t i = 0; i < axes; ++i) {
    const size_t axis = spatial::axisOf(i, a.channelsLast);
    const int64_t span = (a.kernel[i] - 1) * a.dilations[i] + 1;
    extents[axis] =
        spatial::pooledCount(c.facts, x.shape[axis], a.pads[i], a.pads[axes + i], span, a.strides[i], a.ceilMode);
    PLIANT_CHECK(spatial::checkNotNegative(c, extents[axis], axis, "C4",
                                           "the dilated kernel reaches beyond the padded input; pad more"));
  }
  return std::vector<TensorType>{{result, std::move(extents)}};
}

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const DType dtype = c.operand(0).dtype;
  if (c.op == OpId::AvgPool || c.op == OpId::SumPool) {
    PLIANT_CHECK(rules::floatType(c, 0, "C1"));
    return c.op == OpId::AvgPool ? windows(c, c.as<AvgPoolAttrs>(), dtype) : windows(c, c.as<SumPoolAttrs>(), dtype);
  }
  if (dtype == DType::Bool)
    return c.error("x has element type bool", "C1", "cast it to a number first");
  if (c.op == OpId::MaxPool)
    return windows(c, c.as<MaxPoolAttrs>(), dtype);
  return windows(c, c.as<MaxPoolIndicesAttrs>(), DType::I64);
}

} // namespace pliant::ops::pool
