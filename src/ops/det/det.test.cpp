// SPDX-License-Identifier: Apache-2.0
// Determinants.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(Det, Values) {
  auto det = [](const DenseTensor &x) { return run(OpId::Det, DetAttrs{}, {x}); };
  EXPECT_EQ(det(f32({2, 2}, {1, 2, 3, 4})), "f32(): -2");
  EXPECT_EQ(det(f32({2, 2}, {0, 2, 3, 4})), "f32(): -6"); // needs a pivot
  EXPECT_EQ(det(f32({2, 2, 2}, {1, 2, 0.5, 1, 5, 0, 0, 3})), "f32(2,): 0 15");
  EXPECT_EQ(det(f32({3, 3}, {0, 0, 2, 0, 3, 0, 4, 0, 0})), "f32(): -24");
  EXPECT_EQ(det(f32({2, 0, 0}, {})), "f32(2,): 1 1");
  EXPECT_EQ(det(f32({1, 1}, {NaN})), "f32(): nan");
}

TEST(Det, Types) {
  EXPECT_EQ(infer(OpId::Det, DetAttrs{}, {type(DType::F64, {"B", "N", "N"})}), "f64(B)");
  EXPECT_NE(infer(OpId::Det, DetAttrs{}, {type(DType::I64, {"2", "2"})}).find("(det.C1)"), std::string::npos);
  EXPECT_NE(infer(OpId::Det, DetAttrs{}, {type(DType::F32, {"2"})}).find("(det.C2)"), std::string::npos);
  EXPECT_NE(infer(OpId::Det, DetAttrs{}, {type(DType::F32, {"B", "2", "3"})}).find("(det.C2)"), std::string::npos);
}
