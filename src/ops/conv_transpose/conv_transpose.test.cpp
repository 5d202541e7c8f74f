// SPDX-License-Identifier: Apache-2.0
// ConvTranspose.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static std::string transposed(const ConvTransposeAttrs &a, const Tensor &x, const Tensor &w) {
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
  const Tensor w = f32({2, 2, 1}, {1, 10, 100, 1000});
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
