// SPDX-License-Identifier: Apache-2.0
// What convolutions and pooling share: the checks of window attributes, extents along an axis, and, for references, a
// tensor seen as three spatial axes whatever its rank and layout.
#pragma once
#include "ops/extent_math.h"
#include "ops/rules.h"
#include <array>

namespace pliant::spatial {

/// The axis of spatial axis `i` in x.
inline size_t axisOf(size_t i, bool channelsLast) { return i + (channelsLast ? 1 : 2); }
inline size_t channelAxis(size_t rank, bool channelsLast) { return channelsLast ? rank - 1 : 1; }

/// One positive entry per spatial axis, and a low and a high pad count each.
inline Status checkCounts(const ShapeContext &c, size_t spatialAxes, const std::vector<int64_t> &counts,
                          const char *what, const char *constraint) {
  if (counts.size() != spatialAxes)
    return c.error(std::string(what) + " has " + std::to_string(counts.size()) + " entries but x has " +
                       std::to_string(spatialAxes) + " spatial axes",
                   constraint, "give one entry per spatial axis");
  for (int64_t count : counts)
    if (count < 1)
      return c.error(std::string(what) + " has the entry " + std::to_string(count) + " but must be positive",
                     constraint);
  return ok();
}
inline Status checkPads(const ShapeContext &c, size_t spatialAxes, const Extents &pads, const char *constraint) {
  if (pads.size() == 2 * spatialAxes)
    return ok();
  return c.error("pads has " + std::to_string(pads.size()) + " entries but x has " + std::to_string(spatialAxes) +
                     " spatial axes",
                 constraint, "give the low counts of all spatial axes, then the high ones");
}
/// x and w of one element type, a number (C1).
inline Status sameNumbers(const ShapeContext &c) {
  PLIANT_CHECK(rules::sameType(c, 0, 1, "C1"));
  if (c.operand(0).dtype == DType::Bool)
    return c.error("operands have element type bool", "C1", "cast them to a number first");
  return ok();
}
/// What convolutions demand alike of the shapes of x and w and of their attributes (C2, C4, and positive groups of C3);
/// `weights` names the first axes of w.
template <class Attributes> Status checkConvolution(const ShapeContext &c, const Attributes &a, const char *weights) {
  const TensorType &x = c.operand(0), &w = c.operand(1);
  if (x.rank() != w.rank() || x.rank() < 3 || x.rank() > 5)
    return c.error("x has shape " + str(x.shape) + " but w has shape " + str(w.shape) +
                       ": the ranks must be equal, from 3 to 5",
                   "C2", "x is (batch, channels, spatial...), w is (" + std::string(weights) + ", taps...)");
  if (a.groups < 1)
    return c.error("groups is " + std::to_string(a.groups) + " but must be positive", "C3");
  const size_t axes = x.shape.size() - 2;
  PLIANT_CHECK(checkCounts(c, axes, a.strides, "strides", "C4"));
  PLIANT_CHECK(checkCounts(c, axes, a.dilations, "dilations", "C4"));
  return checkPads(c, axes, a.pads, "C4");
}
/// An output extent that is negative.
inline Status checkNotNegative(const ShapeContext &c, const Expr &extent, size_t axis, const char *constraint,
                               const char *hint) {
  if (rules::mayCover(c, 0, extent))
    return ok();
  return c.error("x has shape " + str(c.operand(0).shape) + ": the result would have the negative extent " +
                     extent.str() + " on axis " + std::to_string(axis),
                 constraint, hint);
}

/// How many windows of `span` cells fit: floor((in + low + high - span) / stride) + 1, with ceilMode rounded up but for
/// windows that start beyond the input and its low padding. Both are floor divisions by the stride of numerators
/// that differ by high - span + stride, so their minimum is one floor division.
inline Expr windowCount(const Facts &facts, const Expr &in, const Expr &low, const Expr &high, const Expr &span,
                        int64_t stride, bool ceilMode) {
  if (!ceilMode)
    return floorDiv(in + low + high - span, stride) + 1;
  Expr over = high - span + stride;
  if (facts.lessEqual(over, 0) == Proof::Yes)
    return ceilDiv(in + low + over, stride);
  if (facts.lessEqual(0, over) == Proof::Yes)
    return ceilDiv(in + low, stride);
  return ceilDiv(in + low + min(over, Expr(0)), stride);
}

/// Windows of pooling. The frameworks that write ONNX files, and ONNX Runtime, divide towards zero: where the padded
/// input is smaller than the window, by less than a stride, there is one window, cut to the input. An empty input has
/// none.
inline Expr pooledCount(const Facts &facts, const Expr &in, const Expr &low, const Expr &high, int64_t span,
                        int64_t stride, bool ceilMode) {
  Expr count = windowCount(facts, in, low, high, span, stride, ceilMode);
  if (ceilMode || facts.lessEqual(span, in + low + high) == Proof::Yes)
    return count;
  return maxOf(facts, count, minOf(facts, minOf(facts, in, in + low + high + stride - span), 1));
}

using Index = std::array<int64_t, 3>;

/// Attributes of fewer than three spatial axes, filled up in front.
inline Index lift(const std::vector<int64_t> &values, int64_t fill) {
  Index lifted{fill, fill, fill};
  for (size_t i = 0; i < values.size(); ++i)
    lifted[3 - values.size() + i] = values[i];
  return lifted;
}
/// The low or the high pad counts; expressions are constants when a reference runs.
inline Index constantPads(const Extents &pads, bool high) {
  std::vector<int64_t> counts;
  for (size_t i = 0; i < pads.size() / 2; ++i)
    counts.push_back(pads[i + (high ? pads.size() / 2 : 0)].constant().value_or(0));
  return lift(counts, 0);
}

/// A tensor (batch, channels, three spatial axes) in memory.
struct Layout {
  int64_t batch = 1, channels = 1;
  Index extent{1, 1, 1};
  int64_t batchStride = 0, channelStride = 0;
  Index stride{0, 0, 0};

  int64_t at(int64_t n, int64_t channel, const Index &i) const {
    return n * batchStride + channel * channelStride + i[0] * stride[0] + i[1] * stride[1] + i[2] * stride[2];
  }
  bool inside(const Index &i) const {
    for (size_t d = 0; d < 3; ++d)
      if (i[d] < 0 || i[d] >= extent[d])
        return false;
    return true;
  }
};

inline Layout layoutOf(const std::vector<int64_t> &dims, bool channelsLast) {
  std::vector<int64_t> steps(dims.size(), 1);
  for (size_t i = dims.size() - 1; i-- > 0;)
    steps[i] = steps[i + 1] * dims[i + 1];
  const size_t channel = channelAxis(dims.size(), channelsLast), axes = dims.size() - 2;
  Layout layout;
  layout.batch = dims[0], layout.batchStride = steps[0];
  layout.channels = dims[channel], layout.channelStride = steps[channel];
  for (size_t i = 0; i < axes; ++i) {
    layout.extent[3 - axes + i] = dims[axisOf(i, channelsLast)];
    layout.stride[3 - axes + i] = steps[axisOf(i, channelsLast)];
  }
  return layout;
}

template <class F> void forEach(const Index &extent, F &&fn) {
  for (int64_t a = 0; a < extent[0]; ++a)
    for (int64_t b = 0; b < extent[1]; ++b)
      for (int64_t c = 0; c < extent[2]; ++c)
        fn(Index{a, b, c});
}

} // namespace pliant::spatial
