// SPDX-License-Identifier: Apache-2.0
// quantize and dequantize in elementary ops, exact: below the saturation rounded quotients and zero points are integers
// that f32 holds, and so is their sum.
#include "ops/compose.h"

namespace pliant::ops::quantize {

/// A parameter shaped to broadcast against x along the axis; invalid when the contract is violated.
static Value along(ValueBuilder &b, const char *op, Value x, Value parameter, int64_t axis) {
  if (b.failed())
    return {};
  const Extents shape = b.shape(parameter);
  if (shape.size() > 1) {
    b.fail(userError(op, "a scale or zero point has shape " + str(shape) + " but must be a scalar or a list",
                     "quantize.C2", "quantisation in blocks is not supported"));
    return {};
  }
  if (product(shape).isConstant(1))
    return shape.empty() ? parameter : b.reshape(parameter, {});
  if (axis < 0 || axis >= b.rank(x) || b.facts().equal(b.shape(x)[axis], shape[0]) == Proof::No) {
    b.fail(userError(op,
                     "x has shape " + str(b.shape(x)) + " but there are " + shape[0].str() + " scales for axis " +
                         std::to_string(axis),
                     "quantize.C3"));
    return {};
  }
  Extents line(b.shape(x).size(), Expr(1));
  line[axis] = shape[0];
  return b.reshape(parameter, std::move(line));
}

static bool check(ValueBuilder &b, const char *op, std::span<const Value> v, bool types) {
  if (b.failed())
    return false;
  if (!types || !isFloat(b.dtype(v[1]))) {
    b.fail(userError(op,
                     "x is " + b.type(v[0]).str() + ", scale " + b.type(v[1]).str() + ", zero point " +
                         b.type(v[2]).str() + ": no such types",
                     "quantize.C1"));
    return false;
  }
  const Extents &scale = b.shape(v[1]), &zero = b.shape(v[2]);
  const bool equal = product(scale) == product(zero) ||
                     (scale.size() == 1 && zero.size() == 1 && b.facts().equal(scale[0], zero[0]) != Proof::No);
  if (!equal)
    b.fail(userError(op, "scale has shape " + str(scale) + " but the zero point " + str(zero), "quantize.C2"));
  return equal;
}

std::vector<Value> quantize(ValueBuilder &b, const Attrs &attrs, std::span<const Value> v) {
  const int64_t axis = std::get<QuantizeAttrs>(attrs).axis;
  const DType from = b.dtype(v[0]), to = b.dtype(v[2]);
  const bool types = (isFloat(from) || from == DType::I32) && isInteger(to) && byteSize(to) <= 2;
  if (!check(b, "quantize", v, types))
    return {};
  const DType wide = from == DType::F64 ? DType::F64 : DType::F32;
  auto widened = [&](Value parameter) { return compose::castTo(b, along(b, "quantize", v[0], parameter, axis), wide); };
  Value scaled = b.round(b.div(compose::castTo(b, v[0], wide), widened(v[1])));
  return {b.cast(b.add(scaled, widened(v[2])), to)}; // the conversion saturates
}

std::vector<Value> dequantize(ValueBuilder &b, const Attrs &attrs, std::span<const Value> v) {
  const int64_t axis = std::get<DequantizeAttrs>(attrs).axis;
  const DType from = b.dtype(v[0]), to = b.dtype(v[1]);
  if (!check(b, "dequantize", v, isInteger(from) && from == b.dtype(v[2]) && byteSize(from) <= 4))
    return {};
  auto difference = b.sub(compose::castTo(b, v[0], DType::I32),
                          compose::castTo(b, along(b, "dequantize", v[0], v[2], axis), DType::I32));
  Value scale = compose::widen(b, along(b, "dequantize", v[0], v[1], axis));
  return {compose::castTo(b, b.mul(b.cast(difference, compose::wide(to)), scale), to)};
}

} // namespace pliant::ops::quantize
