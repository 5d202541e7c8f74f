// SPDX-License-Identifier: Apache-2.0
// Normalisations as primitive ops: statistics in f32 or wider, two-pass variance, parameters folded per channel.
#include "ops/compose.h"

namespace pliant::ops::normalize {

/// A per-channel parameter (C) as (C, 1, ..., 1) that broadcasts against axis 1 of x.
static Value perChannel(ValueBuilder &b, Value parameter, int64_t rank) {
  if (b.failed() || rank <= 2)
    return parameter;
  Extents shape(static_cast<size_t>(rank - 1), Expr(1));
  shape[0] = b.shape(parameter)[0];
  return b.reshape(parameter, std::move(shape));
}
/// Checks that x has at least `rank` axes and that each parameter has rank 1 and may have as many elements as channels.
static bool checkChannels(ValueBuilder &b, const char *op, std::span<const Value> operands, int64_t rank) {
  if (!compose::checkFloat(b, op, "normalize.C1", operands[0]))
    return false;
  const Extents &x = b.shape(operands[0]);
  if (b.rank(operands[0]) < rank) {
    b.fail(userError(op, "x has shape " + str(x) + " but needs at least " + std::to_string(rank) + " axes",
                     "normalize.C2"));
    return false;
  }
  for (Value parameter : operands.subspan(1)) {
    const Extents &own = b.shape(parameter);
    if (own.size() == 1 && b.facts().equal(own[0], x[1]) != Proof::No)
      continue;
    b.fail(userError(op,
                     "x has shape " + str(x) + " but a parameter has shape " + str(own) +
                         ": it needs one entry for each of the " + x[1].str() + " channels",
                     "normalize.C2"));
    return false;
  }
  return true;
}
/// x - mean and 1 / sqrt(variance + epsilon) over the axes.
static std::pair<Value, Value> centre(ValueBuilder &b, Value x, const std::vector<int64_t> &axes, double epsilon) {
  Value centred = b.sub(x, compose::scaledMean(b, x, axes));
  Value variance = compose::scaledMean(b, b.mul(centred, centred), axes);
  return {centred, b.reciprocal(b.sqrt(b.add(variance, b.scalarLike(x, epsilon))))};
}

std::vector<Value> layerNorm(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const auto &a = std::get<LayerNormAttrs>(attrs);
  if (!compose::checkFloat(b, "layer_norm", "normalize.C1", operands[0]) ||
      !compose::checkAxis(b, "layer_norm", "normalize.C2", operands[0], a.axis))
    return {Value{}};
  const DType dtype = b.dtype(operands[0]), wide = compose::wide(dtype);
  const Extents shape = b.shape(operands[0]);
  if (!compose::checkBroadcastsTo(b, "layer_norm", "normalize.C2", "scale", operands[1], shape) ||
      !compose::checkBroadcastsTo(b, "layer_norm", "normalize.C2", "bias", operands[2], shape))
    return {Value{}};
  Value x = compose::castTo(b, operands[0], wide);
  auto [centred, factor] = centre(b, x, compose::axesFrom(b, x, a.axis), a.epsilon);
  Value scaled = b.mul(b.mul(centred, factor), compose::castTo(b, operands[1], wide));
  return {compose::castTo(b, b.add(scaled, compose::castTo(b, operands[2], wide)), dtype)};
}

std::vector<Value> batchNorm(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const auto &a = std::get<BatchNormAttrs>(attrs);
  if (!checkChannels(b, "batch_norm", operands, 2))
    return {Value{}};
  const DType dtype = b.dtype(operands[0]), wide = compose::wide(dtype);
  const int64_t rank = b.rank(operands[0]);
  std::array<Value, 5> v;
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = compose::castTo(b, operands[i], wide);
  auto [x, scale, bias, mean, variance] = v;
  Value factor = b.div(scale, b.sqrt(b.add(variance, b.scalarLike(variance, a.epsilon))));
  Value shift = b.sub(bias, b.mul(mean, factor));
  Value result = b.add(b.mul(x, perChannel(b, factor, rank)), perChannel(b, shift, rank));
  return {compose::castTo(b, result, dtype)};
}

std::vector<Value> instanceNorm(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const auto &a = std::get<InstanceNormAttrs>(attrs);
  if (!checkChannels(b, "instance_norm", operands, 3))
    return {Value{}};
  const DType dtype = b.dtype(operands[0]), wide = compose::wide(dtype);
  const int64_t rank = b.rank(operands[0]);
  Value x = compose::castTo(b, operands[0], wide);
  auto [centred, factor] = centre(b, x, compose::axesFrom(b, x, 2), a.epsilon);
  factor = b.mul(factor, perChannel(b, compose::castTo(b, operands[1], wide), rank));
  Value result = b.add(b.mul(centred, factor), perChannel(b, compose::castTo(b, operands[2], wide), rank));
  return {compose::castTo(b, result, dtype)};
}

std::vector<Value> lrn(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const auto &a = std::get<LrnAttrs>(attrs);
  if (!checkChannels(b, "lrn", operands, 2))
    return {Value{}};
  if (a.size < 1) {
    b.fail(userError("lrn", "size is " + std::to_string(a.size) + " but must be positive", "normalize.C2"));
    return {Value{}};
  }
  const DType dtype = b.dtype(operands[0]);
  Value x = compose::widen(b, operands[0]);
  // The mean of squares over `size` channels is a padded average pool with the channels as height.
  const Extents shape = b.shape(x);
  Value flat = b.reshape(b.mul(x, x), {shape[0], 1, shape[1], product(Extents(shape.begin() + 2, shape.end()))});
  Value mean = b.avgPool(flat, {a.size, 1}, {1, 1}, {1, 1}, {(a.size - 1) / 2, 0, a.size / 2, 0}, false, false, true);
  Value base = b.add(b.mul(b.reshape(mean, shape), b.scalarLike(x, a.alpha)), b.scalarLike(x, a.bias));
  return {compose::castTo(b, b.div(x, b.pow(base, b.scalarLike(x, a.beta))), dtype)};
}

} // namespace pliant::ops::normalize
