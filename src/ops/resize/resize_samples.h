// SPDX-License-Identifier: Apache-2.0
// Where one element along a resized axis comes from: ONNX's coordinates and weights, emitted in f64 exactly as the
// reference computes them.
#pragma once
#include "codegen/number.h"

namespace pliant::codegen {

/// One position along an axis: indices into the input, with weights (f64) unless the mode is nearest.
struct Sample {
  Values index, weight;
  Value outside; ///< i1: takes the extrapolation value; null when none does
};

class Samples {
public:
  /// Reads entry i of scales (one per axis) and region (starts, then ends) as f64.
  using Factors = std::function<Value(int64_t)>;
  /// `factors` is empty where the attributes have them.
  Samples(KernelEmitter &k, const ResizeAttrs &a, Factors factors)
      : k(k), a(a), factors(std::move(factors)), p(k.point()) {}

  int taps() const { return a.mode == "nearest" ? 1 : a.mode == "linear" ? 2 : 4; }
  bool nearest() const { return a.mode == "nearest"; }
  bool extrapolates() const { return a.coordinates == "tf_crop_and_resize"; }

  /// Whether an axis of unchanged extent is passed through as it is.
  bool keeps(size_t axis, const Expr &in) const {
    if (factors || !(a.sizes[axis] == in) || (a.scales[axis] != 0 && a.scales[axis] != 1))
      return false;
    if (a.coordinates == "tf_half_pixel_for_nn") // half a step beside the elements
      return nearest() && (a.rounding == "floor" || a.rounding == "round_prefer_floor");
    return !extrapolates() || (a.roi[axis] == 0 && a.roi[a.sizes.size() + axis] == 1);
  }

  Sample at(size_t axis, Value o, Value in, Value out) {
    Number position = coordinate(axis, real(o), real(in), real(out)), last = real(in) - 1.0;
    Sample sample;
    if (extrapolates())
      sample.outside = !((position >= 0.0) & (position <= last));
    if (nearest()) {
      sample.index = {clamped(rounded(position), in)};
      return sample;
    }
    Number base = floor(position), t = position - real(base);
    if (a.mode == "linear") {
      sample.index = {base, base + base.integer(1)};
      sample.weight = {1.0 - t, t};
    } else {
      const double c = a.cubicCoefficient;
      auto near = [&](Number d) { return ((d * (c + 2)) - (c + 3)) * d * d + 1.0; };
      auto far = [&](Number d) { return ((d * c - 5 * c) * d + 8 * c) * d - 4 * c; };
      for (int64_t i = -1; i <= 2; ++i)
        sample.index.push_back(base + base.integer(i));
      sample.weight = {far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)};
    }
    if (a.excludeOutside)
      exclude(sample, in);
    for (Value &index : sample.index)
      index = clamped({p, index}, in);
    return sample;
  }

private:
  KernelEmitter &k;
  const ResizeAttrs &a;
  const Factors factors;
  const PointEmitter p;

  /// Entry `i` of the factors, or what the attributes have in its place.
  Number factor(size_t i) {
    if (factors)
      return {p, factors(static_cast<int64_t>(i))};
    const size_t rank = a.scales.size();
    return {p, p.constant(DType::F64, i < rank ? a.scales[i] : a.roi[i - rank])};
  }

  Number real(Value v) {
    Value whole = v.getType().isIndex() ? k.i64(v) : v;
    return {p, k.b.create<mlir::arith::SIToFPOp>(k.loc, k.b.getF64Type(), whole)};
  }
  /// Without a call: the position is cut to where f64 holds integers, which changes no clamped index.
  Number floor(Number x) {
    Number limit = x.constant(1e15);
    x = select(x < limit, x, limit);
    x = select(x > -limit, x, -limit);
    Number whole = toInteger(x, 64, true);
    return select(real(whole) > x, whole - whole.integer(1), whole);
  }
  Number ceil(Number x) {
    Number down = floor(-x);
    return -down;
  }
  Number rounded(Number x) {
    if (a.rounding == "floor")
      return floor(x);
    if (a.rounding == "ceil")
      return ceil(x);
    return a.rounding == "round_prefer_ceil" ? floor(x + 0.5) : ceil(x - 0.5);
  }
  Value clamped(Number index, Value in) {
    Value i = k.b.create<mlir::arith::IndexCastOp>(k.loc, k.b.getIndexType(), Value(index));
    return k.max(k.min(i, k.sub(in, k.idx(1))), k.idx(0));
  }

  Number coordinate(size_t axis, Number o, Number in, Number out) {
    auto unscale = [&](Number v) {
      if (!factors)
        return a.scales[axis] > 0 ? v / factor(axis) : v * in / out;
      Number scale = factor(axis);
      return select(scale > 0.0, v / scale, v * in / out);
    };
    Number many = out > 1.0, zero = o.constant(0);
    if (a.coordinates == "asymmetric")
      return unscale(o);
    if (a.coordinates == "align_corners")
      return select(many, o * (in - 1.0) / (out - 1.0), zero);
    if (a.coordinates == "tf_half_pixel_for_nn")
      return unscale(o + 0.5);
    if (a.coordinates == "tf_crop_and_resize") {
      const size_t rank = a.scales.size();
      Number start = factor(rank + axis), end = factor(2 * rank + axis), last = in - 1.0;
      return select(many, last * start + o * (end - start) * last / (out - 1.0), last * ((start + end) * 0.5));
    }
    Number half = unscale(o + 0.5) - 0.5;
    return a.coordinates == "pytorch_half_pixel" ? select(many, half, zero) : half;
  }

  void exclude(Sample &sample, Value in) {
    Number total(p, p.constant(DType::F64, 0));
    for (size_t i = 0; i < sample.index.size(); ++i) {
      Number index(p, sample.index[i]), weight(p, sample.weight[i]);
      weight = select(belowUnsigned(index, {p, k.i64(in)}), weight, weight.constant(0));
      total = total + weight;
      sample.weight[i] = weight;
    }
    for (Value &weight : sample.weight)
      weight = Number(p, weight) / total;
  }
};

} // namespace pliant::codegen
