// SPDX-License-Identifier: Apache-2.0
// Pieces that decompositions share: checks, f32 for the inside of half-precision composites, counts of reduced
// elements.
#pragma once
#include "ops/builder.h"

namespace pliant::compose {

/// f16 and bf16 are computed in f32 and rounded once at the end.
inline DType wide(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16 ? DType::F32 : dtype; }
inline Value castTo(ValueBuilder &b, Value v, DType dtype) {
  return b.failed() || b.dtype(v) == dtype ? v : b.cast(v, dtype);
}
inline Value widen(ValueBuilder &b, Value v) { return b.failed() ? v : castTo(b, v, wide(b.dtype(v))); }

/// Records an error that cites "<folder>.<constraint>" unless the operand is float.
inline bool checkFloat(ValueBuilder &b, const char *op, const char *constraint, Value v) {
  if (b.failed())
    return false;
  if (isFloat(b.dtype(v)))
    return true;
  b.fail(userError(op, "x has element type " + std::string(name(b.dtype(v))) + " but must be float", constraint,
                   "cast it first"));
  return false;
}
inline bool checkAxis(ValueBuilder &b, const char *op, const char *constraint, Value x, int64_t axis) {
  if (b.failed())
    return false;
  if (axis >= 0 && axis < b.rank(x))
    return true;
  b.fail(userError(op, "axis " + std::to_string(axis) + " is outside x of shape " + str(b.shape(x)), constraint));
  return false;
}
/// Records an error when `v` cannot be broadcast to the extents `to` (its own extents right-aligned to the end).
inline bool checkBroadcastsTo(ValueBuilder &b, const char *op, const char *constraint, const char *what, Value v,
                              const Extents &to) {
  if (b.failed())
    return false;
  const Extents &own = b.shape(v);
  bool fits = own.size() <= to.size();
  for (size_t i = 0; fits && i < own.size(); ++i) {
    const Expr &extent = own[own.size() - 1 - i];
    fits = extent.isConstant(1) || b.facts().equal(extent, to[to.size() - 1 - i]) != Proof::No ||
           b.facts().equal(extent, 1) != Proof::No;
  }
  if (!fits)
    b.fail(userError(op, std::string(what) + " has shape " + str(own) + " which does not broadcast to " + str(to),
                     constraint));
  return fits;
}

/// The axes from `first` to the end of x.
inline std::vector<int64_t> axesFrom(ValueBuilder &b, Value x, int64_t first) {
  std::vector<int64_t> axes;
  for (int64_t i = first; !b.failed() && i < b.rank(x); ++i)
    axes.push_back(i);
  return axes;
}
/// How many elements of x fold into one.
inline Expr countOf(ValueBuilder &b, Value x, const std::vector<int64_t> &axes) {
  Expr count = 1;
  for (int64_t axis : axes)
    if (!b.failed() && axis >= 0 && axis < b.rank(x))
      count = count * b.shape(x)[axis];
  return count;
}
/// An extent as a rank-0 value; a constant where it is one.
inline Value extentAs(ValueBuilder &b, const Expr &extent, DType dtype) {
  if (b.failed())
    return {};
  if (std::optional<int64_t> known = extent.constant())
    return b.scalar(dtype, static_cast<double>(*known));
  return castTo(b, b.extents({extent}, true), dtype);
}
/// Mean over axes (kept) of a float value. Scaled before the sum, so that it is finite wherever the mean is.
inline Value scaledMean(ValueBuilder &b, Value x, const std::vector<int64_t> &axes) {
  if (b.failed())
    return {};
  const Expr count = countOf(b, x, axes);
  std::optional<int64_t> known = count.constant();
  Value factor =
      known ? b.scalarLike(x, 1 / static_cast<double>(*known)) : b.reciprocal(extentAs(b, count, b.dtype(x)));
  return b.reduceSum(b.mul(x, factor), axes, true);
}

} // namespace pliant::compose
