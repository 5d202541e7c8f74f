// SPDX-License-Identifier: Apache-2.0
// ONNX random numbers (rule O14): RandomUniform, RandomNormal, their Like forms, Bernoulli, Multinomial, and Dropout in
// training. The i-th number of a node is a function of its key and i.
#include "ops/onnx_util.h"
#include <bit>
#include <cmath>
#include <numbers>

namespace pliant::ops::philox {
using namespace onnx_import;

/// The attribute `seed`, by its bits where it is no natural number; without one the node's name gives the key.
static uint64_t keyOf(const NodeImport &n) {
  if (n.hasAttr("seed")) {
    const double seed = n.floatAttr("seed", 0);
    if (seed >= 0 && seed < 0x1p64 && seed == std::floor(seed))
      return static_cast<uint64_t>(seed);
    return std::bit_cast<uint64_t>(seed);
  }
  uint64_t key = 0xcbf29ce484222325u;
  for (char c : n.label())
    key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return key;
}

/// Two tensors of random bits, u64 of the shape.
static std::vector<Value> bits(NodeImport &n, const Extents &shape) {
  ValueBuilder &b = n.b;
  Result<DenseTensor> key = DenseTensor::allocate(DType::U64, {});
  if (!key)
    b.fail(key.takeError());
  if (b.failed())
    return {Value(), Value()};
  *key->as<uint64_t>() = keyOf(n);
  Value counters = b.reshape(b.iota({product(shape)}, DType::U64), shape);
  std::vector<Value> made = b.philox(counters, b.constant(*key));
  made.resize(2);
  return made;
}

/// In [0, 1), from the upper bits: f32 of 24, f64 of 53.
static Value unit(ValueBuilder &b, Value bits, DType wide) {
  const bool single = wide == DType::F32;
  Value fraction = b.shiftRight(bits, b.scalar(DType::U64, single ? 40 : 11));
  return b.mul(b.cast(fraction, wide), b.scalar(wide, single ? 0x1p-24 : 0x1p-53));
}

static Value as(ValueBuilder &b, Value x, DType type) { return b.failed() || b.dtype(x) == type ? x : b.cast(x, type); }
static DType wideOf(DType type) { return type == DType::F64 ? DType::F64 : DType::F32; }

/// The element type that the node asks for.
static Result<DType> typeOf(const NodeImport &n, DType otherwise) {
  if (!n.hasAttr("dtype"))
    return otherwise;
  const int64_t code = n.intAttr("dtype", 1);
  const std::optional<DType> type = dtypeOf(code);
  if (!type)
    return n.unsupported("ONNX element type " + std::to_string(code));
  return *type;
}

static Status draw(NodeImport &n, const Extents &shape, DType type, bool normal) {
  ValueBuilder &b = n.b;
  if (!isFloat(type))
    return n.error("random numbers of " + std::string(name(type)) + " are asked for", "dtype must be a float type");
  const DType wide = wideOf(type);
  const std::vector<Value> random = bits(n, shape);
  auto number = [&](double v) { return b.scalar(wide, v); };
  Value x;
  if (normal) { // Box and Muller, of (0, 1], so that the logarithm is finite
    Value radius = b.sqrt(b.mul(b.log(b.sub(number(1), unit(b, random[0], wide))), number(-2)));
    x = b.mul(radius, b.cos(b.mul(unit(b, random[1], wide), number(2 * std::numbers::pi))));
    x = b.add(b.mul(x, number(n.floatAttr("scale", 1))), number(n.floatAttr("mean", 0)));
  } else {
    const double low = n.floatAttr("low", 0), high = n.floatAttr("high", 1);
    x = b.add(b.mul(unit(b, random[0], wide), number(high - low)), number(low));
  }
  n.out(as(b, x, type));
  return b.status();
}

template <bool normal> static Status ofShape(NodeImport &n) {
  PLIANT_TRY(DType type, typeOf(n, DType::F32));
  Extents shape;
  for (int64_t extent : n.intsAttr("shape").value_or(std::vector<int64_t>())) {
    if (extent < 0)
      return n.error("the shape has the negative extent " + std::to_string(extent));
    shape.emplace_back(extent);
  }
  return draw(n, shape, type, normal);
}
template <bool normal> static Status like(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  PLIANT_TRY(DType type, typeOf(n, n.b.dtype(x)));
  const Extents shape = n.b.shape(x);
  return draw(n, shape, type, normal);
}

/// 1 where a number in [0, 1) is below the probability.
static Status bernoulli(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value p = n.in(0);
  if (b.failed())
    return b.status();
  if (!isFloat(b.dtype(p)))
    return n.error("the probabilities are " + b.type(p).str() + " but must be floats");
  PLIANT_TRY(DType type, typeOf(n, b.dtype(p)));
  const DType wide = wideOf(b.dtype(p));
  const Extents shape = b.shape(p);
  n.out(as(b, b.less(unit(b, bits(n, shape)[0], wide), as(b, p, wide)), type));
  return b.status();
}

/// Classes by their unnormalised log probabilities: as many as cumulative probabilities that a number is not below.
static Status multinomial(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0);
  if (b.failed())
    return b.status();
  PLIANT_TRY(DType type, typeOf(n, DType::I32));
  const int64_t samples = n.intAttr("sample_size", 1);
  if (b.rank(x) != 2 || !isFloat(b.dtype(x)) || samples < 1)
    return n.error("input is " + b.type(x).str() + " and sample_size " + std::to_string(samples),
                   "log probabilities of shape (batch, classes) and at least one sample are needed");
  if (type != DType::I32 && type != DType::I64)
    return n.error("classes of " + std::string(name(type)) + " are asked for", "dtype must be i32 or i64");
  const DType wide = wideOf(b.dtype(x));
  const Extents shape = b.shape(x);
  Value ends = b.cumsum(b.softmax(as(b, x, wide), 1), 1, false, false);
  Value drawn = unit(b, bits(n, {shape[0], samples})[0], wide);
  Value passed = b.greaterEqual(b.reshape(drawn, {shape[0], samples, 1}), b.reshape(ends, {shape[0], 1, shape[1]}));
  Value classes = b.reduceSum(b.cast(passed, type), {2}, false);
  Value last = as(b, b.sub(b.extents({shape[1]}, true), b.scalar(DType::I64, 1)), type);
  n.out(b.min(classes, last)); // the sum of all may be below 1 by rounding
  return b.status();
}

/// In training, elements whose number is below the ratio become 0 and the others are scaled up.
static Status dropout(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0);
  if (b.failed())
    return b.status();
  const Extents shape = b.shape(x);
  Value training;
  if (n.has(2)) {
    training = asScalar(n, n.in(2));
    const Content *known = b.failed() ? nullptr : b.content(training);
    if (known && known->size() == 1 && known->front().isConstant(0))
      training = {};
  }
  if (b.failed())
    return b.status();
  if (!training) {
    n.out(x);
    if (n.outputs() > 1 && n.wants(1))
      n.out(b.broadcastTo(b.scalar(DType::Bool, 1), shape));
    return b.status();
  }
  if (!isFloat(b.dtype(x)))
    return n.error("data is " + b.type(x).str() + " but must be of a float type");
  const DType wide = wideOf(b.dtype(x));
  Value ratio = n.has(1) ? as(b, asScalar(n, n.in(1)), wide) : b.scalar(wide, 0.5);
  Value kept = b.logicalOr(b.greaterEqual(unit(b, bits(n, shape)[0], wide), ratio), b.logicalNot(training));
  Value scale = b.select(training, b.div(b.scalar(wide, 1), b.sub(b.scalar(wide, 1), ratio)), b.scalar(wide, 1));
  n.out(as(b, b.select(kept, b.mul(as(b, x, wide), scale), b.scalar(wide, 0)), b.dtype(x)));
  if (n.outputs() > 1 && n.wants(1))
    n.out(kept);
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"RandomUniform", 1, ofShape<false>},
                             {"RandomNormal", 1, ofShape<true>},
                             {"RandomUniformLike", 1, like<false>},
                             {"RandomNormalLike", 1, like<true>},
                             {"Bernoulli", 15, bernoulli},
                             {"Multinomial", 7, multinomial},
                             {"Dropout", 12, dropout}};
  return rows;
}

} // namespace pliant::ops::philox
