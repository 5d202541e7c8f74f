// SPDX-License-Identifier: Apache-2.0
// Activations as few pointwise ops. Half precision is computed in f32 and rounded once.
#include "ops/compose.h"
#include <cmath>

namespace pliant::ops::activation {

/// Checks x, computes `fn(x, c)` in a wide type where `c(value)` is a constant, and rounds back.
template <class F> static std::vector<Value> inWide(ValueBuilder &b, const char *op, Value operand, F &&fn) {
  if (!compose::checkFloat(b, op, "activation.C1", operand))
    return {Value{}};
  Value x = compose::widen(b, operand);
  Value y = fn(x, [&](double value) { return b.scalarLike(x, value); });
  return {b.failed() ? Value{} : compose::castTo(b, y, b.dtype(operand))};
}

std::vector<Value> hardSigmoid(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const auto &a = std::get<HardSigmoidAttrs>(attrs);
  return inWide(b, "hard_sigmoid", operands[0],
                [&](Value x, auto c) { return b.max(b.min(b.add(b.mul(x, c(a.alpha)), c(a.beta)), c(1)), c(0)); });
}

std::vector<Value> hardSwish(ValueBuilder &b, const Attrs &, std::span<const Value> operands) {
  return inWide(b, "hard_swish", operands[0], [&](Value x, auto c) {
    return b.mul(x, b.max(b.min(b.add(b.mul(x, c(1.0 / 6)), c(0.5)), c(1)), c(0)));
  });
}

/// alpha * (exp(x / width) - 1) where x is not positive, else x.
static Value exponentialUnit(ValueBuilder &b, Value x, double alpha, double width, auto c) {
  Value power = width == 1 ? x : b.div(x, c(width));
  Value below = b.sub(b.exp(power), c(1));
  return b.select(b.greater(x, c(0)), x, alpha == 1 ? below : b.mul(below, c(alpha)));
}

std::vector<Value> elu(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  return inWide(b, "elu", operands[0],
                [&](Value x, auto c) { return exponentialUnit(b, x, std::get<EluAttrs>(attrs).alpha, 1, c); });
}

std::vector<Value> selu(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const auto &a = std::get<SeluAttrs>(attrs);
  return inWide(b, "selu", operands[0],
                [&](Value x, auto c) { return b.mul(exponentialUnit(b, x, a.alpha, 1, c), c(a.gamma)); });
}

std::vector<Value> celu(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const double alpha = std::get<CeluAttrs>(attrs).alpha;
  return inWide(b, "celu", operands[0], [&](Value x, auto c) { return exponentialUnit(b, x, alpha, alpha, c); });
}

std::vector<Value> leakyRelu(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const double alpha = std::get<LeakyReluAttrs>(attrs).alpha;
  return inWide(b, "leaky_relu", operands[0], [&](Value x, auto c) {
    Value below = b.mul(x, c(alpha));
    if (alpha > 0 && alpha <= 1) // then the larger one is the right one, infinities and NaN included
      return b.max(x, below);
    return b.select(b.greaterEqual(x, c(0)), x, below);
  });
}

std::vector<Value> prelu(ValueBuilder &b, const Attrs &, std::span<const Value> operands) {
  if (b.failed())
    return {Value{}};
  const Extents shape = b.shape(operands[0]);
  if (!compose::checkBroadcastsTo(b, "prelu", "activation.C1", "slope", operands[1], shape))
    return {Value{}};
  auto unit = [&](Value x, Value zero) {
    return b.select(b.greaterEqual(x, zero), x, b.mul(x, compose::castTo(b, operands[1], b.dtype(x))));
  };
  if (isInteger(b.dtype(operands[0]))) // the standard has it of these too
    return {unit(operands[0], b.scalarLike(operands[0], 0))};
  return inWide(b, "prelu", operands[0], [&](Value x, auto c) { return unit(x, c(0)); });
}

std::vector<Value> thresholdedRelu(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  return inWide(b, "thresholded_relu", operands[0], [&](Value x, auto c) {
    return b.select(b.greater(x, c(std::get<ThresholdedReluAttrs>(attrs).alpha)), x, c(0));
  });
}

std::vector<Value> softplus(ValueBuilder &b, const Attrs &, std::span<const Value> operands) {
  // log(exp(x) + 1) = max(x, 0) + log(1 + exp(-|x|)), where exp is at most 1.
  return inWide(b, "softplus", operands[0],
                [&](Value x, auto c) { return b.add(b.relu(x), b.log(b.add(b.exp(b.neg(b.abs(x))), c(1)))); });
}

std::vector<Value> softsign(ValueBuilder &b, const Attrs &, std::span<const Value> operands) {
  return inWide(b, "softsign", operands[0], [&](Value x, auto c) { return b.div(x, b.add(b.abs(x), c(1))); });
}

std::vector<Value> mish(ValueBuilder &b, const Attrs &, std::span<const Value> operands) {
  // tanh(log(1 + e)) = n / (n + 2) with n = e * (e + 2) and e = exp(x), which is 1 long before x = 20 is reached.
  return inWide(b, "mish", operands[0], [&](Value x, auto c) {
    Value e = b.exp(b.min(x, c(20)));
    Value n = b.mul(e, b.add(e, c(2)));
    return b.mul(x, b.div(n, b.add(n, c(2))));
  });
}

std::vector<Value> gelu(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const bool approximate = std::get<GeluAttrs>(attrs).approximate;
  return inWide(b, "gelu", operands[0], [&](Value x, auto c) {
    if (!approximate)
      return b.mul(b.mul(x, c(0.5)), b.add(b.erf(b.mul(x, c(std::sqrt(0.5)))), c(1)));
    // 0.5 * (1 + tanh(u)) = sigmoid(2u) with u = sqrt(2/pi) * (x + 0.044715 x^3), without cancellation below 0.
    const double slope = 2 * std::sqrt(2 / M_PI);
    Value cubic = b.add(b.mul(b.mul(x, x), c(slope * 0.044715)), c(slope));
    return b.mul(x, b.sigmoid(b.mul(x, cubic)));
  });
}

std::vector<Value> shrink(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const auto &a = std::get<ShrinkAttrs>(attrs);
  return inWide(b, "shrink", operands[0], [&](Value x, auto c) {
    Value above = b.select(b.greater(x, c(a.lambd)), b.sub(x, c(a.bias)), c(0));
    return b.select(b.less(x, c(-a.lambd)), b.add(x, c(a.bias)), above);
  });
}

} // namespace pliant::ops::activation
