// SPDX-License-Identifier: Apache-2.0
// Contractions as plain loops against the references: every type, broadcast batches, one to three spatial axes, filters
// whose extents are symbols.
#include "codegen/kernel_ops_testing.h"

using namespace pliant;
using namespace pliant::test;

namespace {

const DType plainTypes[] = {DType::I8,  DType::U8,  DType::I16, DType::U16, DType::I32,
                            DType::U32, DType::I64, DType::U64, DType::F16, DType::BF16};
const DType convTypes[] = {DType::F32, DType::F64, DType::F16, DType::I32, DType::U8};

double sumTolerance(DType type) { return isFloat(type) ? 4 * toleranceOf(type) : 0; }

void matmul(DType type, const char *target = "host") {
  std::mt19937 random(5);
  OneOp plain(OpId::Matmul, MatmulAttrs{}, {typed(type, {"M", "K"}), typed(type, {"K", "N"})}, target);
  for (const Dims &d : {Dims{3, 5, 7}, {1, 64, 65}, {17, 1, 63}, {4, 0, 33}, {0, 3, 2}, {2, 3, 257}})
    plain.check({randomTensor(type, {d[0], d[1]}, random), randomTensor(type, {d[1], d[2]}, random)},
                sumTolerance(type));
  // Batches that repeat on either side, known to or found at run time.
  OneOp batches(OpId::Matmul, MatmulAttrs{}, {typed(type, {"A", "1", "M", "K"}), typed(type, {"B", "K", "N"})}, target);
  OneOp same(OpId::Matmul, MatmulAttrs{}, {typed(type, {"A", "B", "M", "K"}), typed(type, {"B", "K", "N"})}, target);
  for (const Dims &d : {Dims{2, 3}, {1, 1}, {3, 1}, {0, 2}}) {
    const DenseTensor rhs = randomTensor(type, {d[1], 5, 17}, random);
    batches.check({randomTensor(type, {d[0], 1, 2, 5}, random), rhs}, sumTolerance(type));
    same.check({randomTensor(type, {d[0], d[1], 2, 5}, random), rhs}, sumTolerance(type));
  }
}

/// Extents of x and w for a number of spatial axes, symbols everywhere.
std::vector<std::string> names(const char *prefix, size_t axes) {
  std::vector<std::string> list;
  for (size_t i = 0; i < axes; ++i)
    list.push_back(prefix + std::to_string(i));
  return list;
}
template <class... Lists> std::vector<std::string> joined(std::vector<std::string> head, const Lists &...tails) {
  (head.insert(head.end(), tails.begin(), tails.end()), ...);
  return head;
}

struct Case {
  Dims strides, dilations, pads;
};

void conv(DType type, size_t axes, const Case &c, int64_t groups, bool last, const char *target = "host") {
  std::mt19937 random(5);
  ConvAttrs a{c.strides, c.dilations, exprs(c.pads), groups, last};
  const std::vector<std::string> spatial = names("S", axes), taps = names("T", axes);
  const std::string channels = groups == 1 ? "C" : std::to_string(groups) + "*C";
  std::vector<std::string> x = last ? joined({"N"}, spatial, std::vector{channels}) : joined({"N", channels}, spatial);
  // Outputs are known where there are groups: their number must divide them.
  OneOp one(OpId::Conv, a, {typed(type, x), typed(type, joined({groups == 1 ? "M" : "4", "C"}, taps))}, target);
  for (int64_t extent : {5, 18, 33})
    for (int64_t tap : {1, 3}) {
      Dims in(axes, extent), dims{2, 2 * groups}, w{4, 2};
      in[0] = 5;
      dims.insert(dims.end(), in.begin(), in.end());
      if (last)
        std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
      w.resize(2 + axes, tap);
      if (axes == 3 && extent > 18)
        continue;
      one.check({randomTensor(type, dims, random), randomTensor(type, w, random)}, sumTolerance(type));
    }
}

void convTranspose(DType type, size_t axes, const Case &c, int64_t groups, bool last, const char *target = "host") {
  std::mt19937 random(5);
  ConvTransposeAttrs a{c.strides, c.dilations, exprs(c.pads), Extents(axes, 0), groups, last};
  const std::vector<std::string> spatial = names("S", axes), taps = names("T", axes);
  const std::string channels = std::to_string(2 * groups);
  std::vector<std::string> x = last ? joined({"N"}, spatial, std::vector{channels}) : joined({"N", channels}, spatial);
  OneOp one(OpId::ConvTranspose, a, {typed(type, x), typed(type, joined({channels, "M"}, taps))}, target);
  for (int64_t extent : {1, 6, 17})
    for (int64_t tap : {2, 3}) {
      Dims in(axes, extent), dims{2, 2 * groups}, w{2 * groups, 3};
      in[0] = 4;
      dims.insert(dims.end(), in.begin(), in.end());
      if (last)
        std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
      w.resize(2 + axes, tap);
      if (axes == 3 && extent > 6)
        continue;
      one.check({randomTensor(type, dims, random), randomTensor(type, w, random)}, sumTolerance(type));
    }
}

} // namespace

TEST(PlainMatmul, AllTypes) {
  for (DType type : plainTypes)
    matmul(type);
  for (const char *target : {"avx2", "x86-64"})
    matmul(DType::I32, target);
}
TEST(PlainConv, TypesAxesAndWindows) {
  for (DType type : convTypes) {
    conv(type, 1, {{1}, {1}, {1, 1}}, 1, false);
    conv(type, 2, {{2, 1}, {1, 2}, {1, 2, 0, 2}}, 1, false);
    conv(type, 2, {{1, 3}, {1, 1}, {1, 1, 1, 1}}, 2, false);
  }
  conv(DType::F32, 3, {{1, 2, 1}, {1, 1, 1}, {1, 0, 1, 0, 1, 1}}, 1, false);
  conv(DType::I32, 3, {{1, 1, 2}, {2, 1, 1}, {2, 1, 1, 2, 1, 1}}, 2, false);
  for (const char *target : {"avx2", "x86-64"})
    conv(DType::F32, 2, {{1, 1}, {1, 1}, {1, 1, 1, 1}}, 1, false, target);
}
TEST(PlainConv, ChannelsLast) {
  for (DType type : {DType::I8, DType::F32})
    for (int64_t groups : {1, 2})
      conv(type, 2, {{1, 2}, {1, 1}, {1, 1, 0, 1}}, groups, true);
}
TEST(PlainConvTranspose, TypesAxesAndWindows) {
  for (DType type : convTypes) {
    convTranspose(type, 1, {{2}, {1}, {1, 0}}, 1, false);
    convTranspose(type, 2, {{1, 2}, {2, 1}, {0, 1, 1, 0}}, 2, false);
  }
  convTranspose(DType::F32, 3, {{2, 1, 3}, {1, 2, 1}, {0, 1, 0, 1, 0, 0}}, 1, false);
  for (int64_t groups : {1, 2})
    convTranspose(DType::F32, 2, {{2, 1}, {1, 1}, {0, 0, 0, 0}}, groups, true, "x86-64");
}
