// SPDX-License-Identifier: Apache-2.0
// Indices of what is not zero.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(NonZero, Values) {
  auto indices = [](const DenseTensor &x, int64_t count) { return run(OpId::NonZero, NonZeroAttrs{{count}}, {x}); };
  EXPECT_EQ(indices(f32({2, 3}, {0, 5, -0.0, NaN, 0, 1e-40}), 3), "i64(2, 3): 0 1 1 1 0 2");
  EXPECT_EQ(indices(tensor(DType::Bool, {3}, {1, 0, 1}), 2), "i64(1, 2): 0 2");
  EXPECT_EQ(indices(f32({}, {7}), 1), "i64(0, 1): ");
  EXPECT_EQ(indices(f32({0, 4}, {}), 0), "i64(2, 0): ");
  EXPECT_NE(indices(f32({2}, {1, 1}), 1).find("(non_zero.C1)"), std::string::npos);
}

TEST(NonZero, Types) {
  EXPECT_EQ(infer(OpId::NonZero, NonZeroAttrs{{Expr::symbol("K")}}, {type(DType::F16, {"B", "S", "2"})}), "i64(3, K)");
  EXPECT_NE(infer(OpId::NonZero, NonZeroAttrs{{}}, {type(DType::F16, {"B"})}).find("(non_zero.C1)"), std::string::npos);
  EXPECT_NE(infer(OpId::NonZero, NonZeroAttrs{{-1}}, {type(DType::F16, {"B"})}).find("(non_zero.C1)"),
            std::string::npos);
}
