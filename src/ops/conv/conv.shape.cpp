// SPDX-License-Identifier: Apache-2.0
// Shape rule of conv.
#include "ops/spatial.h"

namespace pliant::ops::conv {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const auto &a = c.as<ConvAttrs>();
  const TensorType &x = c.operand(0), &w = c.operand(1);
  PLIANT_CHECK(rules::sameType(c, 0, 1, "C1"));
  if (x.dtype == DType::Bool)
    return c.error("operands have element type bool", "C1", "cast them to a number first");
  const std::string shapes = "x has shape " + str(x.shape) + " but w has shape " + str(w.shape) + ": ";
  if (x.rank() != w.rank() || x.rank() < 3 || x.rank() > 5)
    return c.error(shapes + "the ranks must be equal, from 3 to 5", "C2",
                   "x is (batch, channels, spatial...), w is (outputs, channels / groups, taps...)");
  const size_t rank = x.shape.size(), axes = rank - 2;
  if (a.groups < 1)
    return c.error("groups is " + std::to_string(a.groups) + " but must be positive", "C3");
  const size_t channel = spatial::channelAxis(rank, a.channelsLast);
  if (!rules::mayEqual(c, x.shape[channel], w.shape[1] * a.groups))
    return c.error(shapes + "x has " + x.shape[channel].str() + " channels but w has " + w.shape[1].str() + " times " +
                       std::to_string(a.groups) + " groups",
                   "C3", a.channelsLast ? "channelsLast is set: the channels are the last axis of x" : "");
  if (std::optional<int64_t> outputs = w.shape[0].constant(); outputs && *outputs % a.groups != 0)
    return c.error(shapes + std::to_string(*outputs) + " outputs are not divisible by " + std::to_string(a.groups) +
                       " groups",
                   "C3");
  PLIANT_CHECK(spatial::checkCounts(c, axes, a.strides, "strides", "C4"));
  PLIANT_CHECK(spatial::checkCounts(c, axes, a.dilations, "dilations", "C4"));
  PLIANT_CHECK(spatial::checkPads(c, axes, a.pads, "C4"));

  Extents result(rank);
  result[0] = x.shape[0];
  result[channel] = w.shape[0];
  for (size_t i = 0; i < axes; ++i) {
    const size_t axis = spatial::axisOf(i, a.channelsLast);
    const Expr span = (w.shape[2 + i] - 1) * a.dilations[i] + 1;
    result[axis] = spatial::windowCount(c.facts, x.shape[axis], a.pads[i], a.pads[axes + i], span, a.strides[i], false);
    PLIANT_CHECK(spatial::checkNotNegative(c, result[axis], axis, "C5",
                                           "the dilated taps reach beyond the padded input; pad more"));
  }
  return std::vector<TensorType>{{x.dtype, std::move(result)}};
}

} // namespace pliant::ops::conv
