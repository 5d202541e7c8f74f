// SPDX-License-Identifier: Apache-2.0
// Resize and Upsample: sizes from scales as exact expressions.
#include "ops/onnx_util.h"
#include <algorithm>
#include <cmath>

namespace pliant::ops::resize {
using namespace onnx_import;

namespace {
/// A scale as a fraction: the simplest one that rounds to the same f32, so that 0.7 of 10 is 7 and not 6.
struct Fraction {
  int64_t numerator = 1, denominator = 1;
  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

struct Request {
  std::vector<double> scales;
  Extents sizes; ///< when given instead of scales
  std::string mode = "nearest", coordinates = "half_pixel", rounding = "round_prefer_floor";
  double cubicCoefficient = -0.75, extrapolation = 0;
  bool excludeOutside = false;
  std::vector<double> roi;
};
} // namespace

/// Nothing for what is too large, infinite or NaN.
static std::optional<Fraction> fractionOf(double scale) {
  // Continued fractions; f32 values up to 2^20 reach themselves within 2^43 at the latest.
  constexpr int64_t most = int64_t(1) << 40;
  int64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
  double rest = scale;
  for (int i = 0; i < 64; ++i) {
    if (!(std::abs(rest) < static_cast<double>(most)))
      break;
    const auto whole = static_cast<int64_t>(std::floor(rest));
    int64_t p, q;
    if (__builtin_mul_overflow(whole, p1, &p) || __builtin_add_overflow(p, p0, &p) || std::abs(p) > most ||
        __builtin_mul_overflow(whole, q1, &q) || __builtin_add_overflow(q, q0, &q) || std::abs(q) > most)
      break;
    p0 = p1, q0 = q1, p1 = p, q1 = q;
    if (static_cast<float>(static_cast<double>(p) / static_cast<double>(q)) == static_cast<float>(scale))
      break;
    rest = 1 / (rest - static_cast<double>(whole));
  }
  return q1 ? std::optional<Fraction>({p1, q1}) : std::nullopt;
}
static Error outOfRange(NodeImport &n, size_t axis) {
  return n.error("the scale of axis " + std::to_string(axis) + " is out of range");
}

static Status emit(NodeImport &n, Value x, Request r) {
  ValueBuilder &b = n.b;
  if (b.failed())
    return b.status();
  const Extents shape = b.shape(x);
  const size_t rank = shape.size();
  if (!r.scales.empty() && r.scales.size() != rank)
    return n.error("there are " + std::to_string(r.scales.size()) + " scales for an input of shape " + str(shape));
  for (size_t i = 0; i < r.scales.size(); ++i) {
    const auto scale = fractionOf(r.scales[i]);
    const auto part = r.roi.empty() ? scale : fractionOf(r.scales[i] * (r.roi[rank + i] - r.roi[i]));
    if (!(r.scales[i] > 0 && r.scales[i] < 1048576) || !scale || !part)
      return outOfRange(n, i);
    r.sizes.push_back(floorDiv(shape[i] * part->numerator, part->denominator));
    r.scales[i] = scale->value();
  }
  if (r.sizes.size() != rank)
    return n.error("there are " + std::to_string(r.sizes.size()) + " sizes for an input of shape " + str(shape));
  r.scales.resize(rank, 0);
  // Interpolation of integers is computed in f32.
  const DType dtype = b.dtype(x);
  const bool round = r.mode != "nearest" && !isFloat(dtype);
  Value y = b.resize(round ? b.cast(x, DType::F32) : x, r.sizes, r.scales, r.mode, r.coordinates, r.rounding,
                     r.cubicCoefficient, r.excludeOutside, r.extrapolation, r.roi);
  n.out(round ? b.cast(y, dtype) : y);
  return b.status();
}

/// With scales, and for tf_crop_and_resize a region (r.sizes has the target where that is given instead), that are
/// known only at run time. Extents are floor(extent * scale), in f32 as ONNX Runtime computes them: 10 times 0.7 is 7.
static Value resizeBy(NodeImport &n, Value x, const Request &r, Value scales, Value roi) {
  ValueBuilder &b = n.b;
  if (b.failed())
    return {};
  const Extents shape = b.shape(x);
  const auto rank = static_cast<int64_t>(shape.size());
  Extents sizes = r.sizes;
  if (sizes.empty()) {
    Value wanted = b.mul(b.cast(b.extents(shape), DType::F32), b.cast(scales, DType::F32));
    if (roi)
      wanted =
          b.mul(wanted, b.cast(b.sub(b.slice(roi, {rank}, {1}, {rank}), b.slice(roi, {0}, {1}, {rank})), DType::F32));
    sizes = b.bind(b.cast(b.floor(wanted), DType::I64), extentBounds, "size");
  }
  std::vector<Value> factors{b.cast(scales, DType::F64)};
  if (roi)
    factors.push_back(b.cast(roi, DType::F64));
  Value all = factors.size() == 1 ? factors[0] : b.concat(factors, 0);
  if (b.failed())
    return {};
  const DType dtype = b.dtype(x);
  const bool round = r.mode != "nearest" && !isFloat(dtype);
  Value y = b.resizeBy(round ? b.cast(x, DType::F32) : x, all, std::move(sizes), r.mode, r.coordinates, r.rounding,
                       r.cubicCoefficient, r.excludeOutside, r.extrapolation);
  return round ? b.cast(y, dtype) : y;
}

/// One entry per axis of x, where a list speaks of `axes` only and the others have `otherwise`.
static Value spread(ValueBuilder &b, Value list, size_t first, const std::vector<int64_t> &axes, size_t rank,
                    double otherwise) {
  std::vector<Value> entries;
  for (size_t axis = 0; axis < rank && !b.failed(); ++axis) {
    const auto at = std::find(axes.begin(), axes.end(), static_cast<int64_t>(axis));
    entries.push_back(at == axes.end() ? b.reshape(b.scalarLike(list, otherwise), {1})
                                       : b.slice(list, {static_cast<int64_t>(first) + (at - axes.begin())}, {1}, {1}));
  }
  return b.failed() ? Value{} : b.concat(entries, 0);
}

/// Upsample and Resize 10: asymmetric; the nearest index is rounded down where an axis grows and up where it shrinks.
static Status emitAsymmetric(NodeImport &n, Value x, std::vector<double> scales) {
  Request r;
  r.mode = n.strAttr("mode", "nearest");
  r.coordinates = "asymmetric";
  r.rounding = "floor";
  bool grows = false, shrinks = false;
  for (double scale : scales)
    grows |= scale > 1, shrinks |= scale < 1;
  if (r.mode == "nearest" && shrinks) {
    r.rounding = "ceil";
    if (grows && !n.b.failed()) { // one direction after the other
      Request first = r;
      const Extents shape = n.b.shape(x);
      if (shape.size() != scales.size())
        return n.error("there are " + std::to_string(scales.size()) + " scales for an input of shape " + str(shape));
      std::vector<double> down(scales.size(), 0);
      Extents sizes = shape;
      for (size_t i = 0; i < scales.size(); ++i)
        if (scales[i] < 1) {
          const auto scale = fractionOf(scales[i]);
          if (!scale || !(scales[i] > 0))
            return outOfRange(n, i);
          sizes[i] = floorDiv(shape[i] * scale->numerator, scale->denominator);
          down[i] = scale->value();
          scales[i] = 1;
        }
      x = n.b.resize(x, sizes, down, r.mode, r.coordinates, "ceil", 0, false, 0, {});
      r.rounding = "floor";
    }
  }
  r.scales = std::move(scales);
  return emit(n, x, std::move(r));
}

/// The same with scales known only at run time: first the axes that shrink, then those that grow.
static Status resizeAsymmetricBy(NodeImport &n, Value x, Value scales) {
  ValueBuilder &b = n.b;
  Request r;
  r.mode = n.strAttr("mode", "nearest");
  r.coordinates = "asymmetric";
  r.rounding = "floor";
  if (r.mode == "nearest") {
    Request first = r;
    first.rounding = "ceil";
    Value one = b.scalarLike(scales, 1);
    x = resizeBy(n, x, first, b.min(scales, one), {});
    scales = b.max(scales, one);
  }
  n.out(resizeBy(n, x, r, scales, {}));
  return b.status();
}

static Status importUpsample7(NodeImport &n) {
  Value x = n.in(0);
  std::optional<std::vector<double>> scales = n.floatsAttr("scales");
  if (!scales)
    return n.error("scales are missing");
  return emitAsymmetric(n, x, std::move(*scales));
}
static Status importResize10(NodeImport &n) {
  Value x = n.in(0);
  std::optional<std::vector<double>> scales = n.constFloats(1);
  return scales ? emitAsymmetric(n, x, std::move(*scales)) : resizeAsymmetricBy(n, x, n.in(1));
}

static Status importResize(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  if (n.intAttr("antialias", 0) != 0)
    return n.unsupported("antialias");
  if (n.strAttr("keep_aspect_ratio_policy", "stretch") != "stretch")
    return n.unsupported("keep_aspect_ratio_policy");
  Request r;
  r.mode = n.strAttr("mode", "nearest");
  r.coordinates = n.strAttr("coordinate_transformation_mode", "half_pixel");
  r.rounding = n.strAttr("nearest_mode", "round_prefer_floor");
  r.cubicCoefficient = n.floatAttr("cubic_coeff_a", -0.75);
  r.excludeOutside = n.intAttr("exclude_outside", 0) != 0;
  r.extrapolation = n.floatAttr("extrapolation_value", 0);
  const Extents shape = n.b.shape(x);
  const size_t rank = shape.size();
  if (r.coordinates == "half_pixel_symmetric")
    return n.unsupported("coordinate_transformation_mode = half_pixel_symmetric");
  // From opset 18 on, the inputs may speak of some axes only.
  std::vector<int64_t> axes = n.intsAttr("axes").value_or(std::vector<int64_t>());
  if (axes.empty())
    for (size_t i = 0; i < rank; ++i)
      axes.push_back(static_cast<int64_t>(i));
  for (int64_t &axis : axes) {
    PLIANT_TRY(axis, axisOf(n, axis, static_cast<int64_t>(rank)));
  }
  Value roi;
  if (r.coordinates == "tf_crop_and_resize") {
    if (!n.has(1))
      return n.error("tf_crop_and_resize needs a roi");
    if (auto known = n.constFloats(1)) {
      if (known->size() != 2 * axes.size())
        return n.error("roi has " + std::to_string(known->size()) + " entries for " + std::to_string(axes.size()) +
                       " axes");
      r.roi.assign(rank, 0);
      r.roi.resize(2 * rank, 1);
      for (size_t i = 0; i < axes.size(); ++i) {
        r.roi[axes[i]] = (*known)[i];
        r.roi[rank + axes[i]] = (*known)[axes.size() + i];
      }
    }
    if (!n.b.failed())
      roi = n.b.concat(
          std::array{spread(n.b, n.in(1), 0, axes, rank, 0), spread(n.b, n.in(1), axes.size(), axes, rank, 1)}, 0);
  }
  const bool bySizes = n.has(3);
  std::optional<std::vector<double>> scales = bySizes ? std::vector<double>(axes.size(), 1) : n.constFloats(2);
  if (bySizes) {
    Extents sizes = n.ints(3, extentBounds, "size");
    if (n.b.failed())
      return n.b.status();
    if (sizes.size() != axes.size())
      return n.error("there are " + std::to_string(sizes.size()) + " sizes for " + std::to_string(axes.size()) +
                     " axes");
    r.sizes = shape;
    for (size_t i = 0; i < axes.size(); ++i)
      r.sizes[axes[i]] = sizes[i];
  }
  if (!scales || (roi && r.roi.empty())) {
    Value factors = bySizes ? n.b.broadcastTo(n.b.scalar(DType::F64, 0), {Expr(static_cast<int64_t>(rank))})
                            : spread(n.b, n.in(2), 0, axes, rank, 1);
    n.out(resizeBy(n, x, r, factors, roi));
    return n.b.status();
  }
  if (scales->size() != axes.size())
    return n.error("there are " + std::to_string(scales->size()) + " scales for " + std::to_string(axes.size()) +
                   " axes");
  if (!bySizes) {
    r.scales.assign(rank, 1);
    for (size_t i = 0; i < axes.size(); ++i)
      r.scales[axes[i]] = (*scales)[i];
  }
  return emit(n, x, std::move(r));
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"Upsample", 7, importUpsample7},
      {"Upsample", 9, importResize10},
      {"Resize", 10, importResize10},
      {"Resize", 11, importResize},
  };
  return rows;
}

} // namespace pliant::ops::resize
