// SPDX-License-Identifier: Apache-2.0
// Reference of resize: the weights of each axis by ONNX's formulas, applied axis by axis in double, rounded once.
#include "ops/op.h"
#include "ops/ref_values.h"
#include "ops/resize/resize_attrs.h"
#include "ops/walk.h"
#include <algorithm>
#include <cmath>

namespace pliant::ops::resize {

namespace {
struct Tap {
  int64_t index;
  double weight;
};
/// How one element along an axis comes about.
struct Sample {
  std::vector<Tap> taps;
  bool outside = false; ///< takes the extrapolation value
};
} // namespace

/// Where output position `o` lies in the input. Without a scale the ratio is in / out, multiplied before it is
/// divided, so that exact positions stay exact.
static double position(const ResizeAttrs &a, size_t axis, double o, double in, double out) {
  const auto unscale = [&](double v) { return a.scales[axis] > 0 ? v / a.scales[axis] : v * in / out; };
  if (a.coordinates == "asymmetric")
    return unscale(o);
  if (a.coordinates == "align_corners")
    return out > 1 ? o * (in - 1) / (out - 1) : 0;
  if (a.coordinates == "pytorch_half_pixel" && out <= 1)
    return 0;
  if (a.coordinates == "tf_half_pixel_for_nn")
    return unscale(o + 0.5);
  if (a.coordinates == "tf_crop_and_resize") {
    const double start = a.roi[axis], end = a.roi[a.roi.size() / 2 + axis];
    return out > 1 ? start * (in - 1) + o * (end - start) * (in - 1) / (out - 1) : 0.5 * (start + end) * (in - 1);
  }
  return unscale(o + 0.5) - 0.5;
}

static int64_t nearest(const std::string &rounding, double p) {
  if (rounding == "floor")
    return static_cast<int64_t>(std::floor(p));
  if (rounding == "ceil")
    return static_cast<int64_t>(std::ceil(p));
  return static_cast<int64_t>(rounding == "round_prefer_ceil" ? std::floor(p + 0.5) : std::ceil(p - 0.5));
}

static Sample sampleAt(const ResizeAttrs &a, double p, int64_t in) {
  Sample sample;
  sample.outside = a.coordinates == "tf_crop_and_resize" && !(p >= 0 && p <= static_cast<double>(in - 1));
  if (a.mode == "nearest") {
    sample.taps = {{nearest(a.rounding, p), 1}};
  } else {
    const double base = std::floor(p), t = p - base;
    const auto first = static_cast<int64_t>(base);
    if (a.mode == "linear") {
      sample.taps = {{first, 1 - t}, {first + 1, t}};
    } else { // Keys' cubic
      const double k = a.cubicCoefficient;
      const auto near = [&](double d) { return ((k + 2) * d - (k + 3)) * d * d + 1; };
      const auto far = [&](double d) { return ((k * d - 5 * k) * d + 8 * k) * d - 4 * k; };
      sample.taps = {{first - 1, far(1 + t)}, {first, near(t)}, {first + 1, near(1 - t)}, {first + 2, far(2 - t)}};
    }
  }
  double total = 0;
  for (Tap &tap : sample.taps) {
    if (a.excludeOutside && (tap.index < 0 || tap.index >= in))
      tap.weight = 0;
    tap.index = std::clamp<int64_t>(tap.index, 0, in - 1);
    total += tap.weight;
  }
  if (a.excludeOutside && a.mode != "nearest")
    for (Tap &tap : sample.taps)
      tap.weight /= total;
  return sample;
}

/// One axis of a row-major tensor replaced by its samples.
template <class T>
static std::vector<T> along(const std::vector<T> &x, Dims &dims, size_t axis, const std::vector<Sample> &samples) {
  int64_t outer = 1, inner = 1;
  const int64_t in = dims[axis], out = static_cast<int64_t>(samples.size());
  for (size_t i = 0; i < dims.size(); ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : dims[i];
  std::vector<T> result(static_cast<size_t>(outer * out * inner));
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t o = 0; o < out; ++o)
      for (int64_t j = 0; j < inner; ++j) {
        const auto value = [&](const Tap &tap) { return x[(i * in + tap.index) * inner + j]; };
        T &to = result[(i * out + o) * inner + j];
        if (samples[o].taps.size() == 1) // nearest moves any type
          to = value(samples[o].taps[0]);
        else
          for (const Tap &tap : samples[o].taps)
            if (tap.weight != 0) // infinity times 0 would be NaN
              to += static_cast<T>(tap.weight) * value(tap);
      }
  dims[axis] = out;
  return result;
}

Status ref(RefContext &c) {
  const size_t rank = c.inputs[0].dims().size();
  ResizeAttrs a = c.op == OpId::ResizeBy ? attrsOf(c.as<ResizeByAttrs>(), rank) : c.as<ResizeAttrs>();
  if (c.op == OpId::ResizeBy) {
    const double *factors = c.inputs[1].as<double>();
    a.scales.assign(factors, factors + rank);
    a.roi.assign(factors + rank, factors + rank + a.roi.size());
  }
  const Dims &out = c.outputs[0].dims();
  Dims dims = c.inputs[0].dims();
  if (c.outputs[0].size() == 0)
    return ok();
  if (c.inputs[0].size() == 0)
    return c.error("x has shape " + str(dims) + " and no element to interpolate", "C4");
  std::vector<std::vector<Sample>> samples(dims.size());
  for (size_t axis = 0; axis < dims.size(); ++axis)
    for (int64_t o = 0; o < out[axis]; ++o)
      samples[axis].push_back(sampleAt(
          a, position(a, axis, static_cast<double>(o), static_cast<double>(dims[axis]), static_cast<double>(out[axis])),
          dims[axis]));
  ref::withOrder(c.inputs[0].dtype(), [&]<class T>(Type<T>) {
    std::vector<T> values = ref::read<T>(c.inputs[0]);
    for (size_t axis = 0; axis < samples.size(); ++axis)
      values = along(values, dims, axis, samples[axis]);
    const Dims steps = stridesOf(out);
    for (size_t flat = 0; flat < values.size(); ++flat)
      for (size_t axis = 0; axis < samples.size(); ++axis)
        if (samples[axis][static_cast<int64_t>(flat) / steps[axis] % out[axis]].outside)
          values[flat] = static_cast<T>(a.extrapolation);
    ref::write(c.outputs[0], values);
  });
  return ok();
}

} // namespace pliant::ops::resize
