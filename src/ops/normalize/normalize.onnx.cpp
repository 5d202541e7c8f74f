// SPDX-License-Identifier: Apache-2.0
// Normalisation operators.
#include "ops/compose.h"
#include "ops/onnx_axes.h"

namespace pliant::ops::normalize {
using namespace onnx_import;

static Status importLayerNorm(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0), scale = n.in(1);
  if (b.failed())
    return b.status();
  PLIANT_TRY(int64_t axis, axisOf(n, n.intAttr("axis", -1), b.rank(x)));
  const double epsilon = n.floatAttr("epsilon", 1e-5);
  Value bias = n.has(2) ? n.in(2) : b.scalarLike(scale, 0);
  n.out(b.layerNorm(x, scale, bias, axis, epsilon));
  if (!n.wants(1) && !n.wants(2))
    return b.status();
  // The statistics, in the type of stash_type, which is f32 wherever it is given a meaning.
  Value wide = compose::widen(b, x);
  const std::vector<int64_t> axes = compose::axesFrom(b, wide, axis);
  Value mean = compose::scaledMean(b, wide, axes);
  Value centred = b.sub(wide, mean);
  Value variance = compose::scaledMean(b, b.mul(centred, centred), axes);
  Value factor = b.reciprocal(b.sqrt(b.add(variance, b.scalarLike(wide, epsilon))));
  n.out(compose::castTo(b, mean, DType::F32));
  n.out(compose::castTo(b, factor, DType::F32));
  return b.status();
}

/// Training: the batch's own statistics, and the running ones moved towards them.
static Status trainBatchNorm(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0), scale = n.in(1), bias = n.in(2), mean = n.in(3), variance = n.in(4);
  if (b.failed())
    return b.status();
  if (b.rank(x) < 2)
    return n.error("X has shape " + str(b.shape(x)) + " but needs a batch and channels");
  Value wide = compose::widen(b, x);
  std::vector<int64_t> axes = compose::axesFrom(b, wide, 1);
  axes.front() = 0; // all but the channels
  const Extents channels{b.shape(x)[1]};
  Value batchMean = compose::scaledMean(b, wide, axes), centred = b.sub(wide, batchMean);
  Value batchVariance = compose::scaledMean(b, b.mul(centred, centred), axes);
  auto running = [&](Value before, Value batch) {
    Value old = compose::widen(b, before), now = compose::castTo(b, b.reshape(batch, channels), b.dtype(old));
    const double momentum = n.floatAttr("momentum", 0.9);
    Value sum = b.add(b.mul(old, b.scalarLike(old, momentum)), b.mul(now, b.scalarLike(old, 1 - momentum)));
    return compose::castTo(b, sum, b.dtype(before));
  };
  auto narrow = [&](Value batch) { return compose::castTo(b, b.reshape(batch, channels), b.dtype(mean)); };
  n.out(b.batchNorm(x, scale, bias, narrow(batchMean), narrow(batchVariance), n.floatAttr("epsilon", 1e-5)));
  n.out(running(mean, batchMean));
  n.out(running(variance, batchVariance));
  return b.status();
}

static Status importBatchNorm(NodeImport &n) {
  ValueBuilder &b = n.b;
  if (n.intAttr("training_mode", 0) != 0)
    return trainBatchNorm(n);
  for (size_t i = 1; i < n.outputs(); ++i)
    if (n.wants(i))
      return n.unsupported("the outputs of training mode");
  if (n.intAttr("spatial", 1) == 0)
    return n.unsupported("spatial = 0");
  Value x = n.in(0), scale = n.in(1), bias = n.in(2), mean = n.in(3), variance = n.in(4);
  n.out(b.batchNorm(x, scale, bias, mean, variance, n.floatAttr("epsilon", 1e-5)));
  return b.status();
}

static Status importInstanceNorm(NodeImport &n) {
  Value x = n.in(0), scale = n.in(1), bias = n.in(2);
  n.out(n.b.instanceNorm(x, scale, bias, n.floatAttr("epsilon", 1e-5)));
  return n.b.status();
}

/// Channels in groups, each normalised with its spatial axes. Before opset 21 scale and bias are of groups.
static Status importGroupNorm(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0), scale = n.in(1), bias = n.in(2);
  if (b.failed())
    return b.status();
  const Extents shape = b.shape(x);
  const int64_t groups = n.intAttr("num_groups", 0), rank = b.rank(x);
  if (rank < 2 || groups < 1)
    return n.error("X has shape " + str(shape) + " and num_groups is " + std::to_string(groups));
  const Expr each = product(Extents(shape.begin() + 1, shape.end()));
  const std::optional<Expr> size = b.facts().divideExactly(each, groups);
  auto grouped = [&](Value v) { return b.reshape(v, {shape[0], groups, size ? *size : floorDiv(each, groups)}); };
  const double epsilon = n.floatAttr("epsilon", 1e-5);
  if (n.opset < 21) {
    n.out(b.reshape(b.instanceNorm(grouped(x), scale, bias, epsilon), shape));
    return b.status();
  }
  Value wide = compose::widen(b, x);
  auto all = [&](double value) { return b.broadcastTo(b.scalarLike(wide, value), {groups}); };
  Value y = b.reshape(b.instanceNorm(grouped(wide), all(1), all(0), epsilon), shape);
  auto along = [&](Value parameter) { return perChannel(b, compose::castTo(b, parameter, b.dtype(y)), rank); };
  n.out(compose::castTo(b, b.add(b.mul(y, along(scale)), along(bias)), n.dtype(0)));
  return b.status();
}

static Status importLrn(NodeImport &n) {
  if (!n.hasAttr("size"))
    return n.error("size is missing");
  n.out(n.b.lrn(n.in(0), n.intAttr("size", 1), n.floatAttr("alpha", 1e-4), n.floatAttr("beta", 0.75),
                n.floatAttr("bias", 1)));
  return n.b.status();
}

/// (x - mean) / (sqrt(variance) + 1e-9)
static Status importMeanVariance(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value operand = n.in(0);
  if (b.failed())
    return b.status();
  std::vector<int64_t> axes = n.intsAttr("axes").value_or(std::vector<int64_t>{0, 2, 3});
  for (int64_t &axis : axes) {
    PLIANT_TRY(axis, axisOf(n, axis, b.rank(operand)));
  }
  Value x = compose::widen(b, operand);
  Value centred = b.sub(x, compose::scaledMean(b, x, axes));
  Value deviation = b.sqrt(compose::scaledMean(b, b.mul(centred, centred), axes));
  Value y = b.div(centred, b.add(deviation, b.scalarLike(x, 1e-9)));
  n.out(compose::castTo(b, y, n.dtype(0)));
  return b.status();
}

/// x / |x|_p along an axis; a norm of 0 leaves zeros.
static Status importLpNorm(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value operand = n.in(0);
  if (b.failed())
    return b.status();
  PLIANT_TRY(int64_t axis, axisOf(n, n.intAttr("axis", -1), b.rank(operand)));
  const int64_t p = n.intAttr("p", 2);
  if (p != 1 && p != 2)
    return n.error("p is " + std::to_string(p) + " but must be 1 or 2");
  Value x = compose::widen(b, operand);
  Value norm = p == 1 ? b.reduceSum(b.abs(x), {axis}, true) : b.sqrt(b.reduceSum(b.mul(x, x), {axis}, true));
  Value y = b.div(x, b.max(norm, b.scalarLike(x, 1.17549435e-38))); // the smallest normal f32
  n.out(compose::castTo(b, y, n.dtype(0)));
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"LayerNormalization", 1, importLayerNorm},
      {"BatchNormalization", 1, importBatchNorm},
      {"InstanceNormalization", 1, importInstanceNorm},
      {"LRN", 1, importLrn},
      {"GroupNormalization", 18, importGroupNorm},
      {"MeanVarianceNormalization", 9, importMeanVariance},
      {"LpNormalization", 1, importLpNorm},
  };
  return rows;
}

} // namespace pliant::ops::normalize
