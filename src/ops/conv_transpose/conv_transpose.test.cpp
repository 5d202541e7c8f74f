// SPDX-License-Identifier: Apache-2.0
// ConvTranspose.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static std::string transposed(const ConvTransposeAttrs &a, const DenseTensor &x, const DenseTensor &w) {
  return run(OpId::ConvTranspose, a, {x, w});
}
static Extents exprs(const std::vector<int64_t> &values) { return Extents(values.begin(), values.end()); }

TEST(ConvTranspose, Values) {
  EXPECT_EQ(transposed({{2}, {1}, exprs({0, 0}), exprs({0}), 1, false}, f32({1, 1, 3}, {1, 2, 3}),
                       f32({1, 1, 3}, {1, 10, 100})),
            "f32(1, 1, 7): 1 10 102 20 203 30 300");
  EXPECT_EQ(
      transposed({{1}, {2}, exprs({0, 0}), exprs({0}), 1, false}, f32({1, 1, 2}, {1, 2}), f32({1, 1, 2}, {1, 10})),
      "f32(1, 1, 4): 1 2 10 20");
  // user-needs row 29: SAME_UPPER with output padding is pads 1, 1.
  const std::string rows =
      transposed({{2, 2}, {1, 1}, exprs({1, 1, 1, 1}), exprs({1, 1}), 1, false},
                 f32({1, 1, 3, 3}, std::vector<double>(9, 1)), f32({1, 1, 3, 3}, std::vector<double>(9, 1)));
  EXPECT_EQ(rows.substr(0, 28), "f32(1, 1, 6, 6): 1 2 1 2 1 1");
  // A negative high pad appends zeros.
  EXPECT_EQ(transposed({{2}, {1}, exprs({0, -1}), exprs({0}), 1, false}, f32({1, 1, 2}, {1, 2}), f32({1, 1, 1}, {1})),
            "f32(1, 1, 4): 1 0 2 0");
}

TEST(ConvTranspose, GroupsAndLayout) {
  const DenseTensor w = f32({2, 2, 1}, {1, 10, 100, 1000});
  EXPECT_EQ(transposed({{1}, {1}, exprs({0, 0}), exprs({0}), 1, false}, f32({1, 2, 1}, {1, 2}), w),
            "f32(1, 2, 1): 201 2010");
  EXPECT_EQ(transposed({{1}, {1}, exprs({0, 0}), exprs({0}), 2, false}, f32({1, 2, 1}, {1, 2}), w),
            "f32(1, 4, 1): 1 10 200 2000");
  EXPECT_EQ(transposed({{1}, {1}, exprs({0, 0}), exprs({0}), 2, true}, f32({1, 2, 2}, {1, 2, 3, 4}), w),
            "f32(1, 2, 4): 1 10 200 2000 3 30 400 4000");
}

TEST(ConvTranspose, Types) {
  auto types = [](const ConvTransposeAttrs &a, const std::vector<std::string> &x, const std::vector<std::string> &w) {
    return infer(OpId::ConvTranspose, a, {type(DType::F32, x), type(DType::F32, w)});
  };
  const ConvTransposeAttrs twice{{2}, {1}, exprs({1, 1}), exprs({0}), 1, false};
  EXPECT_EQ(types(twice, {"B", "3", "W"}, {"3", "8", "4"}), "f32(B, 8, 2*W)");
  EXPECT_NE(types(twice, {"B", "4", "W"}, {"3", "8", "4"}).find("(conv_transpose.C3)"), std::string::npos);
  EXPECT_NE(types(twice, {"B", "3"}, {"3", "8", "4"}).find("(conv_transpose.C2)"), std::string::npos);
  EXPECT_NE(types({{2}, {1}, exprs({9, 0}), exprs({0}), 1, false}, {"B", "3", "2"}, {"3", "8", "4"})
                .find("(conv_transpose.C5)"),
            std::string::npos);
}

/// Small integers, so that every sum is exact.
static DenseTensor numbers(const std::vector<int64_t> &dims, uint32_t &seed) {
  std::vector<double> values(static_cast<size_t>(*elementCount(dims)));
  for (double &value : values)
    value = static_cast<double>((seed = seed * 1664525u + 1013904223u) >> 28) - 7;
  return f32(dims, values);
}
static double dot(const DenseTensor &a, const DenseTensor &b) {
  double sum = 0;
  for (int64_t i = 0; i < a.size(); ++i)
    sum += double(a.as<float>()[i]) * double(b.as<float>()[i]);
  return sum;
}
/// Channels moved to the end and back.
static DenseTensor moved(const DenseTensor &x, bool toEnd) {
  const int64_t rank = x.rank();
  std::vector<int64_t> perm{0};
  for (int64_t i = 1; i < rank; ++i)
    perm.push_back(toEnd ? i % (rank - 1) + 1 : (i + rank - 3) % (rank - 1) + 1);
  return evaluate(OpId::Transpose, TransposeAttrs{perm}, std::array{x})->front();
}

TEST(ConvTranspose, IsTheAdjointOfConvInBothLayouts) {
  uint32_t seed = 1;
  for (size_t axes = 1; axes <= 3; ++axes)
    for (int64_t stride = 1; stride <= 2; ++stride)
      for (int64_t dilation = 1; dilation <= 2; ++dilation)
        for (int64_t groups = 1; groups <= 2; ++groups) {
          std::vector<int64_t> in{2, 4}, taps{6, 4 / groups}, out{2, 6}, pads(2 * axes, 0), extra;
          for (size_t i = 0; i < axes; ++i) {
            in.push_back(5 + static_cast<int64_t>(i));
            taps.push_back(3 - static_cast<int64_t>(i));
            pads[i] = 1, pads[axes + i] = static_cast<int64_t>(i);
            const int64_t span = (taps.back() - 1) * dilation + 1, room = in.back() + pads[i] + pads[axes + i] - span;
            out.push_back(room / stride + 1);
            extra.push_back(room % stride);
          }
          const DenseTensor x = numbers(in, seed), w = numbers(taps, seed), y = numbers(out, seed);
          const std::vector<int64_t> strides(axes, stride), dilations(axes, dilation);
          auto forward = [&](const DenseTensor &t, bool last) {
            return evaluate(OpId::Conv, ConvAttrs{strides, dilations, exprs(pads), groups, last}, std::array{t, w});
          };
          auto backward = [&](const DenseTensor &t, bool last) {
            return evaluate(OpId::ConvTranspose,
                            ConvTransposeAttrs{strides, dilations, exprs(pads), exprs(extra), groups, last},
                            std::array{t, w});
          };
          const DenseTensor z = forward(x, false)->front(), back = backward(y, false)->front();
          ASSERT_EQ(z.dims(), out);
          ASSERT_EQ(back.dims(), in);
          EXPECT_EQ(dot(z, y), dot(x, back));
          EXPECT_EQ(text(moved(forward(moved(x, true), true)->front(), false)), text(z));
          EXPECT_EQ(text(moved(backward(moved(y, true), true)->front(), false)), text(back));
        }
}
