// SPDX-License-Identifier: Apache-2.0
// What the convolutions of all element types share: the rule of their extents and the sums over taps, as conv's
// contract states them (C2 to C5).
#pragma once
#include "ops/ref_values.h"
#include "ops/spatial.h"

namespace pliant::spatial {

/// The extents of the result; the attributes are those of conv.
template <class Attributes> Result<Extents> convolvedShape(ShapeContext &c, const Attributes &a) {
  const TensorType &x = c.operand(0), &w = c.operand(1);
  const std::string shapes = "x has shape " + str(x.shape) + " but w has shape " + str(w.shape) + ": ";
  PLIANT_CHECK(checkConvolution(c, a, "outputs, channels / groups"));
  const size_t rank = x.shape.size(), axes = rank - 2;
  const size_t channel = channelAxis(rank, a.channelsLast);
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
    const size_t axis = axisOf(i, a.channelsLast);
    const Expr span = (w.shape[2 + i] - 1) * a.dilations[i] + 1;
    result[axis] = windowCount(c.facts, x.shape[axis], a.pads[i], a.pads[axes + i], span, a.strides[i], false);
    PLIANT_CHECK(
        checkNotNegative(c, result[axis], axis, "C5", "the dilated taps reach beyond the padded input; pad more"));
  }
  return result;
}

/// The sums in T of the values x with the filters w.
template <class T, class Attributes>
Result<std::vector<T>> convolve(const RefContext &c, const Attributes &a, const std::vector<T> &x,
                                const std::vector<T> &w) {
  const Layout in = layoutOf(c.inputs[0].dims(), a.channelsLast);
  const Layout taps = layoutOf(c.inputs[1].dims(), false); // outputs as batch
  const Layout out = layoutOf(c.outputs[0].dims(), a.channelsLast);
  if (in.channels != taps.channels * a.groups || taps.batch % a.groups != 0)
    return c.error("x has " + std::to_string(in.channels) + " channels but w has " + std::to_string(taps.channels) +
                       " times " + std::to_string(a.groups) + " groups",
                   "C3");
  const Index stride = lift(a.strides, 1), dilation = lift(a.dilations, 1), low = constantPads(a.pads, false);
  std::vector<T> sums(static_cast<size_t>(c.outputs[0].size()));
  const int64_t perGroup = taps.batch / a.groups;
  for (int64_t n = 0; n < out.batch; ++n)
    for (int64_t m = 0; m < out.channels; ++m)
      forEach(out.extent, [&](const Index &o) {
        T sum = 0;
        forEach(taps.extent, [&](const Index &k) {
          Index i;
          for (size_t d = 0; d < 3; ++d)
            i[d] = o[d] * stride[d] - low[d] + k[d] * dilation[d];
          if (!in.inside(i))
            return;
          const int64_t from = in.at(n, m / perGroup * taps.channels, i), tap = taps.at(m, 0, k);
          for (int64_t channel = 0; channel < taps.channels; ++channel)
            sum += x[from + channel * in.channelStride] * w[tap + channel * taps.channelStride];
        });
        sums[out.at(n, m, o)] = sum;
      });
  return sums;
}

} // namespace pliant::spatial
