// SPDX-License-Identifier: Apache-2.0
// Shape rule of conv_transpose.
#include "ops/spatial.h"

namespace pliant::ops::conv_transpose {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const auto &a = c.as<ConvTransposeAttrs>();
  const TensorType &x = c.operand(0), &w = c.operand(1);
  PLIANT_CHECK(spatial::sameNumbers(c));
  PLIANT_CHECK(spatial::checkConvolution(c, a, "channels, outputs / groups"));
  const std::string shapes = "x has shape " + str(x.shape) + " but w has shape " + str(w.shape) + ": ";
  const size_t rank = x.shape.size(), axes = rank - 2;
  const size_t channel = spatial::channelAxis(rank, a.channelsLast);
  if (!rules::mayEqual(c, x.shape[channel], w.shape[0]))
    return c.error(shapes + "x has " + x.shape[channel].str() + " channels but w has " + w.shape[0].str(), "C3",
                   a.channelsLast ? "channelsLast is set: the channels are the last axis of x" : "");
  if (std::optional<int64_t> channels = w.shape[0].constant(); channels && *channels % a.groups != 0)
    return c.error(shapes + std::to_string(*channels) + " channels are not divisible by " + std::to_string(a.groups) +
                       " groups",
                   "C3");
  if (a.outputPadding.size() != axes)
    return c.error("outputPadding has " + std::to_string(a.outputPadding.size()) + " entries but x has " +
                       std::to_string(axes) + " spatial axes",
                   "C4", "give one entry per spatial axis");

  Extents result(rank);
  result[0] = x.shape[0];
  result[channel] = w.shape[1] * a.groups;
  for (size_t i = 0; i < axes; ++i) {
    const size_t axis = spatial::axisOf(i, a.channelsLast);
    result[axis] = (x.shape[axis] - 1) * a.strides[i] + a.outputPadding[i] + (w.shape[2 + i] - 1) * a.dilations[i] + 1 -
                   a.pads[i] - a.pads[axes + i];
    PLIANT_CHECK(spatial::checkNotNegative(c, result[axis], axis, "C5", "the pads crop more than there is"));
  }
  return std::vector<TensorType>{{x.dtype, std::move(result)}};
}

} // namespace pliant::ops::conv_transpose
