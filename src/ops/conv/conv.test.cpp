// SPDX-License-Identifier: Apache-2.0
// Conv.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static std::string conv(const ConvAttrs &a, const DenseTensor &x, const DenseTensor &w) {
  return run(OpId::Conv, a, {x, w});
}
static std::string types(const ConvAttrs &a, const std::vector<std::string> &x, const std::vector<std::string> &w) {
  return infer(OpId::Conv, a, {type(DType::F32, x), type(DType::F32, w)});
}
static Extents exprs(const std::vector<int64_t> &values) { return Extents(values.begin(), values.end()); }

TEST(Conv, Values) {
  // One axis: cross-correlation, no flip.
  EXPECT_EQ(conv({{1}, {1}, exprs({0, 0}), 1, false}, f32({1, 1, 4}, {1, 2, 3, 4}), f32({1, 1, 2}, {1, 10})),
            "f32(1, 1, 3): 21 32 43");
  EXPECT_EQ(conv({{2}, {2}, exprs({1, 1}), 1, false}, f32({1, 1, 4}, {1, 2, 3, 4}), f32({1, 1, 2}, {1, 10})),
            "f32(1, 1, 2): 20 42");
  // Two axes, two channels, padded.
  EXPECT_EQ(conv({{1, 1}, {1, 1}, exprs({1, 0, 0, 0}), 1, false}, f32({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                 f32({1, 2, 2, 1}, {1, 10, 100, 1000})),
            "f32(1, 1, 2, 2): 5010 6020 7531 8642");
  // Three axes.
  EXPECT_EQ(conv({{1, 1, 1}, {1, 1, 1}, exprs({0, 0, 0, 0, 0, 0}), 1, false}, f32({1, 1, 2, 1, 2}, {1, 2, 3, 4}),
                 f32({1, 1, 2, 1, 1}, {1, 10})),
            "f32(1, 1, 1, 1, 2): 31 42");
}

TEST(Conv, GroupsAndChannelsLast) {
  const DenseTensor w = f32({4, 1, 1}, {1, 10, 100, 1000});
  EXPECT_EQ(conv({{1}, {1}, exprs({0, 0}), 2, false}, f32({1, 2, 2}, {1, 2, 3, 4}), w),
            "f32(1, 4, 2): 1 2 10 20 300 400 3000 4000");
  EXPECT_EQ(conv({{1}, {1}, exprs({0, 0}), 2, true}, f32({1, 2, 2}, {1, 3, 2, 4}), w),
            "f32(1, 2, 4): 1 10 300 3000 2 20 400 4000");
}

TEST(Conv, HalfAccumulatesWide) {
  EXPECT_EQ(conv({{1}, {1}, exprs({0, 0}), 1, false}, tensor(DType::F16, {1, 1, 3}, {2048, 1, 1}),
                 tensor(DType::F16, {1, 1, 3}, {1, 1, 1})),
            "f16(1, 1, 1): 2050");
}

TEST(Conv, IntegersWrap) {
  EXPECT_EQ(conv({{1}, {1}, exprs({0, 0}), 1, false}, tensor(DType::I32, {1, 1, 2}, {2147483647, 1}),
                 tensor(DType::I32, {1, 1, 2}, {1, 1})),
            "i32(1, 1, 1): -2147483648");
}

TEST(Conv, EmptyExtents) {
  EXPECT_EQ(conv({{1}, {1}, exprs({1, 1}), 1, false}, f32({1, 1, 0}, {}), f32({2, 1, 3}, {1, 1, 1, 1, 1, 1})),
            "f32(1, 2, 0): ");
  EXPECT_EQ(conv({{1}, {1}, exprs({0, 0}), 1, false}, f32({0, 1, 3}, {}), f32({1, 1, 1}, {1})), "f32(0, 1, 3): ");
  EXPECT_EQ(conv({{1}, {1}, exprs({0, 0}), 1, false}, f32({1, 0, 2}, {}), f32({1, 0, 1}, {})), "f32(1, 1, 2): 0 0");
}

TEST(Conv, Types) {
  const ConvAttrs same{{1, 1}, {1, 1}, exprs({1, 1, 1, 1}), 1, false},
      half{{2, 2}, {1, 1}, exprs({1, 1, 1, 1}), 1, false};
  EXPECT_EQ(types(same, {"B", "3", "H", "W"}, {"8", "3", "3", "3"}), "f32(B, 8, H, W)");
  EXPECT_EQ(types(half, {"B", "3", "H", "W"}, {"8", "3", "3", "3"}),
            "f32(B, 8, floordiv(H-1, 2)+1, floordiv(W-1, 2)+1)");
  EXPECT_EQ(types(half, {"1", "3", "224", "225"}, {"8", "3", "3", "3"}), "f32(1, 8, 112, 113)");
  ConvAttrs last = same;
  last.channelsLast = true;
  EXPECT_EQ(types(last, {"B", "H", "W", "3"}, {"8", "3", "3", "3"}), "f32(B, H, W, 8)");
}

TEST(Conv, Errors) {
  const ConvAttrs a{{1}, {1}, exprs({0, 0}), 1, false};
  auto cites = [](const std::string &text, const char *constraint) {
    return text.find("(conv." + std::string(constraint) + ")") != std::string::npos;
  };
  EXPECT_TRUE(cites(types(a, {"B", "3", "W"}, {"8", "4", "3"}), "C3"));
  EXPECT_TRUE(cites(types(a, {"B", "3"}, {"8", "3", "3"}), "C2"));
  EXPECT_TRUE(cites(types({{0}, {1}, exprs({0, 0}), 1, false}, {"B", "3", "W"}, {"8", "3", "3"}), "C4"));
  EXPECT_TRUE(cites(types({{1, 1}, {1}, exprs({0, 0}), 1, false}, {"B", "3", "W"}, {"8", "3", "3"}), "C4"));
  EXPECT_TRUE(cites(types({{1}, {1}, exprs({0, 0}), 2, false}, {"B", "6", "W"}, {"7", "3", "3"}), "C3"));
  EXPECT_TRUE(cites(types(a, {"B", "3", "1"}, {"8", "3", "5"}), "C5"));
  EXPECT_TRUE(
      cites(infer(OpId::Conv, a, {type(DType::Bool, {"1", "1", "1"}), type(DType::Bool, {"1", "1", "1"})}), "C1"));
}
