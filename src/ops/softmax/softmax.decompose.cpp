// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax: the maximum is taken out first, so that exp never overflows.
#include "ops/compose.h"

namespace pliant::ops::softmax {

/// x - max along the axis, in a wide type; invalid when the contract is violated.
static Value shifted(ValueBuilder &b, const char *op, Value x, int64_t axis) {
  if (!compose::checkFloat(b, op, "softmax.C1", x) || !compose::checkAxis(b, op, "softmax.C2", x, axis))
    return {};
  x = compose::widen(b, x);
  return b.sub(x, b.reduceMax(x, {axis}, true));
}

std::vector<Value> softmax(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const int64_t axis = std::get<SoftmaxAttrs>(attrs).axis;
  const DType dtype = b.dtype(operands[0]);
  Value e = b.exp(shifted(b, "softmax", operands[0], axis));
  // One division a row: by the sum, which is between 1 and the extent, or NaN.
  return {compose::castTo(b, b.mul(e, b.reciprocal(b.reduceSum(e, {axis}, true))), dtype)};
}

std::vector<Value> logSoftmax(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const int64_t axis = std::get<LogSoftmaxAttrs>(attrs).axis;
  const DType dtype = b.dtype(operands[0]);
  Value x = shifted(b, "log_softmax", operands[0], axis);
  return {compose::castTo(b, b.sub(x, b.log(b.reduceSum(b.exp(x), {axis}, true))), dtype)};
}

} // namespace pliant::ops::softmax
