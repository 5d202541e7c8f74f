// SPDX-License-Identifier: Apache-2.0
// Shape rule of conv.
#include "ops/spatial.h"

namespace pliant::ops::conv {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const auto &a = c.as<ConvAttrs>();
  const TensorType &x = c.operand(0), &w = c.operand(1);
  PLIANT_CHECK(spatial::checkConvolution(c, a, "outputs, channels / groups"));
  const std::string shapes = "x has shape " + str(x.shape) + " but w has shape " + str(w.shape) + ": ";
  const size_t rank = x.shape.size(), axes = rank - 2;
  const size_t channel = spatial::channelAxis(rank, a.channelsLast);
  if (!rules::mayEqual(c, x.shape[channel], w.shape[1] * a.groups))
    return c.error(shapes + "x has " + x.shape[channel].str() + " channels but w has " + w.shape[1].str() + " times " +
                       std::to_string(a.groups) + " groups",
                   "C3", a.channelsLast ? "channelsLast is set: the channels are the last axis of x" : "");
  if (std::optional<int64_t> outputs = w.shape[0].constant(); outputs && *outputs % a.groups != 0)
    return c.error(shapes + std::to_string(*outputs) + " outputs are not divisible by " + std::to_string(a.groups) +
                       " groups",
                   "C3");

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
