// SPDX-License-Identifier: Apache-2.0
// Pooled regions.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static std::string align(const DenseTensor &x, const std::vector<double> &region, const RoiAlignAttrs &a) {
  return run(OpId::RoiAlign, a, {x, f32({1, 4}, region), i64({1}, {0})});
}

TEST(RoiAlign, Values) {
  const DenseTensor x = f32({1, 1, 2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(align(x, {0, 0, 2, 2}, {1, 1, 2, 1, true, "avg"}), "f32(1, 1, 1, 1): 2.5");
  EXPECT_EQ(align(x, {0, 0, 2, 2}, {1, 1, 2, 1, true, "max"}), "f32(1, 1, 1, 1): 4");
  EXPECT_EQ(align(x, {0, 0, 2, 2}, {2, 2, 1, 1, true, "avg"}), "f32(1, 1, 2, 2): 1 2 3 4");
  EXPECT_EQ(align(x, {0, 0, 4, 4}, {2, 2, 1, 0.5, true, "avg"}), "f32(1, 1, 2, 2): 1 2 3 4");
  EXPECT_EQ(align(x, {0, 0, 2, 2}, {2, 2, 0, 1, true, "avg"}), "f32(1, 1, 2, 2): 1 2 3 4"); // one sample per bin of 1
  EXPECT_EQ(align(x, {0, 0, 1, 1}, {1, 1, 1, 1, false, "avg"}), "f32(1, 1, 1, 1): 2.5");
  EXPECT_EQ(align(x, {9, 9, 11, 11}, {1, 1, 1, 1, true, "avg"}), "f32(1, 1, 1, 1): 0"); // wholly outside
}

TEST(RoiAlign, Types) {
  auto types = [](const TensorType &x, const TensorType &regions, const TensorType &batch, const RoiAlignAttrs &a) {
    return infer(OpId::RoiAlign, a, {x, regions, batch});
  };
  const RoiAlignAttrs good{3, 2, 0, 1, true, "avg"};
  const TensorType x = type(DType::F32, {"N", "C", "H", "W"}), r = type(DType::F32, {"R", "4"}),
                   b = type(DType::I64, {"R"});
  EXPECT_EQ(types(x, r, b, good), "f32(R, C, 3, 2)");
  EXPECT_NE(types(type(DType::I32, {"N", "C", "H", "W"}), r, b, good).find("roi_align.C1"), std::string::npos);
  EXPECT_NE(types(x, type(DType::F32, {"R", "5"}), b, good).find("roi_align.C2"), std::string::npos);
  EXPECT_NE(types(x, r, b, {0, 2, 0, 1, true, "avg"}).find("roi_align.C3"), std::string::npos);
  EXPECT_NE(types(x, r, b, {3, 2, 0, 1, true, "sum"}).find("roi_align.C4"), std::string::npos);
}
