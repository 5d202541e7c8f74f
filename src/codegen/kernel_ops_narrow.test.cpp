// SPDX-License-Identifier: Apache-2.0
// Contractions of bytes and of half-precision floats against the references: all signs, zero points, packed and
// computed right operands, extents around words and vectors, three targets. Bytes are equal, whatever wraps.
#include "codegen/kernel_ops_testing.h"

using namespace pliant;
using namespace pliant::test;

namespace {

/// This processor, and by `scripts/test --all` and in continuous integration narrower ones.
std::vector<const char *> targets() {
  if (everyForm())
    return {"host", "avx512", "avx2", "x86-64"};
  return {"host"};
}

/// The whole range of a byte, its ends often; other types as elsewhere.
DenseTensor randomOf(DType type, const Dims &dims, std::mt19937 &random) {
  if (type != DType::I8 && type != DType::U8)
    return randomTensor(type, dims, random);
  DenseTensor t = *DenseTensor::zeros(type, dims);
  for (int64_t i = 0; i < t.size(); ++i)
    t.as<uint8_t>()[i] = random() % 4 ? static_cast<uint8_t>(random())
                                      : static_cast<uint8_t>(random() % 2 ? 0x80 : 0x7f + random() % 2 * 0x80);
  return t;
}

struct Signs {
  DType lhs, rhs;
};
const Signs signs[] = {{DType::U8, DType::I8}, {DType::I8, DType::I8}, {DType::U8, DType::U8}, {DType::I8, DType::U8}};

struct Narrow {
  OpId op;
  Attrs attrs;
  DType lhs, rhs;
  std::vector<TensorType> types(const std::vector<std::string> &x, const std::vector<std::string> &w) const {
    std::vector<TensorType> list{typed(lhs, x), typed(rhs, w)};
    if (!isFloat(lhs))
      list.push_back(typed(lhs, {}));
    return list;
  }
  std::vector<DenseTensor> operands(const DenseTensor &x, const DenseTensor &w, std::mt19937 &random) const {
    std::vector<DenseTensor> list{x, w};
    if (!isFloat(lhs))
      list.push_back(randomOf(lhs, {}, random));
    return list;
  }
  double tolerance() const { return isFloat(lhs) ? 4 * toleranceOf(lhs) : 0; }
};

Narrow product(DType lhs, DType rhs) {
  return isFloat(lhs) ? Narrow{OpId::Matmul, MatmulAttrs{}, lhs, rhs}
                      : Narrow{OpId::MatmulInteger, MatmulIntegerAttrs{}, lhs, rhs};
}

void matmul(DType lhs, DType rhs, const char *target, bool every) {
  std::mt19937 random(7);
  const Narrow op = product(lhs, rhs);
  OneOp computed(op.op, op.attrs, op.types({"M", "K"}, {"K", "N"}), target);
  for (const Dims &d : {Dims{3, 5, 7}, {1, 64, 65}, {17, 1, 63}, {4, 0, 33}, {0, 3, 2}, {2, 3, 257}, {29, 130, 33}})
    computed.check(op.operands(randomOf(lhs, {d[0], d[1]}, random), randomOf(rhs, {d[1], d[2]}, random), random),
                   op.tolerance());
  OneOp batches(op.op, op.attrs, op.types({"A", "1", "M", "K"}, {"B", "K", "N"}), target);
  for (const Dims &d : {Dims{2, 3}, {1, 1}, {0, 2}})
    batches.check(op.operands(randomOf(lhs, {d[0], 1, 2, 5}, random), randomOf(rhs, {d[1], 5, 17}, random), random),
                  op.tolerance());
  // Depths around whole words and rows that share cache sets; widths around the narrow tile and its panels.
  for (const Dims &d : {Dims{67, 33}, {3, 12}, {0, 16}, {1, 33}, {4, 64}, {6, 1}, {256, 40}}) {
    if (!every && d[0] != 67 && d[0] != 3)
      continue;
    const DenseTensor w = randomOf(rhs, d, random);
    const std::string k = std::to_string(d[0]);
    OneOp packed(op.op, op.attrs, op.types({"M", k}, {k, std::to_string(d[1])}), target, {{1, w}});
    for (int64_t m : {1, 2, 5, 15, 40})
      packed.check(op.operands(randomOf(lhs, {m, d[0]}, random), w, random), op.tolerance());
  }
}

struct Layer {
  Dims strides, dilations, pads;
  int64_t channels, outputs, groups;
  Dims taps;
};

void conv(DType lhs, DType rhs, const Layer &l, const char *target) {
  std::mt19937 random(7);
  const size_t axes = l.taps.size();
  Narrow op{OpId::Conv, ConvAttrs{l.strides, l.dilations, exprs(l.pads), l.groups, true}, lhs, rhs};
  if (!isFloat(lhs)) {
    op.op = OpId::ConvInteger;
    op.attrs = ConvIntegerAttrs{l.strides, l.dilations, exprs(l.pads), l.groups, true};
  }
  std::vector<std::string> x{"N", "W", std::to_string(l.channels)}, w;
  if (axes == 2)
    x.insert(x.begin() + 1, "H");
  Dims filters{l.outputs, l.channels / l.groups};
  filters.insert(filters.end(), l.taps.begin(), l.taps.end());
  for (int64_t extent : filters)
    w.push_back(std::to_string(extent));
  const DenseTensor weights = randomOf(rhs, filters, random);
  OneOp packed(op.op, op.attrs, op.types(x, w), target, {{1, weights}});
  OneOp computed(op.op, op.attrs, op.types(x, w), target);
  for (int64_t extent : {6, 17, 33}) {
    Dims dims{2, extent, l.channels};
    if (axes == 2)
      dims.insert(dims.begin() + 1, 7);
    packed.check(op.operands(randomOf(lhs, dims, random), weights, random), op.tolerance());
    computed.check(op.operands(randomOf(lhs, dims, random), weights, random), op.tolerance());
  }
}

const Layer layers[] = {
    {{1, 1}, {1, 1}, {1, 1, 1, 1}, 3, 20, 1, {3, 3}}, // words of three channels and a hole
    {{2, 1}, {1, 2}, {1, 0, 2, 1}, 8, 33, 1, {3, 2}},
    {{1, 1}, {1, 1}, {0, 0, 0, 0}, 16, 16, 1, {1, 1}}, // in place
    {{1, 2}, {1, 1}, {1, 1, 1, 1}, 10, 4, 2, {3, 3}},
    {{1, 1}, {1, 1}, {1, 1, 1, 1}, 6, 6, 6, {3, 3}},
    {{1}, {1}, {2, 1}, 5, 7, 1, {4}},
};

void everyTarget(DType lhs, DType rhs, bool every) {
  for (const char *target : targets()) {
    SCOPED_TRACE(target);
    if (!TargetDescription::forced(target))
      continue; // the machine lacks it
    matmul(lhs, rhs, target, every);
    for (const Layer &layer : std::span(layers).first(every ? std::size(layers) : 1))
      conv(lhs, rhs, layer, target);
  }
}

} // namespace

TEST(Narrow, BytesOfAllSigns) {
  for (const Signs &s : signs)
    everyTarget(s.lhs, s.rhs, everyForm() || s.lhs != s.rhs);
}
TEST(Narrow, Halves) {
  everyTarget(DType::F16, DType::F16, true);
  everyTarget(DType::BF16, DType::BF16, everyForm());
}
TEST(Narrow, SumsWrap) { // 255 * 127 * 70,000 is beyond 2^31
  const int64_t k = 70000;
  DenseTensor x = *DenseTensor::zeros(DType::U8, {1, k}), w = *DenseTensor::zeros(DType::I8, {k, 1});
  std::fill_n(x.as<uint8_t>(), k, uint8_t(255));
  std::fill_n(w.as<int8_t>(), k, int8_t(127));
  for (const char *target : targets())
    if (TargetDescription::forced(target)) {
      OneOp one(OpId::MatmulInteger, MatmulIntegerAttrs{},
                {typed(DType::U8, {"M", "K"}), typed(DType::I8, {"K", "N"}), typed(DType::U8, {})}, target);
      one.check({x, w, *DenseTensor::zeros(DType::U8, {})});
    }
}
