// SPDX-License-Identifier: Apache-2.0
// Transpose.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(Transpose, ValuesAndTypes) {
  EXPECT_EQ(run(OpId::Transpose, TransposeAttrs{{1, 0}}, {f32({2, 3}, {1, 2, 3, 4, 5, 6})}), "f32(3, 2): 1 4 2 5 3 6");
  EXPECT_EQ(run(OpId::Transpose, TransposeAttrs{{2, 0, 1}}, {tensor(DType::U8, {1, 2, 2}, {1, 2, 3, 4})}),
            "u8(2, 1, 2): 1 3 2 4");
  EXPECT_EQ(run(OpId::Transpose, TransposeAttrs{{}}, {f32({}, {7})}), "f32(): 7");
  EXPECT_EQ(run(OpId::Transpose, TransposeAttrs{{1, 0}}, {f32({0, 3}, {})}), "f32(3, 0): ");
  EXPECT_EQ(infer(OpId::Transpose, TransposeAttrs{{0, 2, 1, 3}}, {type(DType::F32, {"B", "S", "12", "64"})}),
            "f32(B, 12, S, 64)");
  for (const std::vector<int64_t> &perm : {std::vector<int64_t>{0}, {0, 0}, {0, 2}, {-1, 0}})
    EXPECT_NE(infer(OpId::Transpose, TransposeAttrs{perm}, {type(DType::F32, {"B", "S"})}).find("transpose.C1"),
              std::string::npos);
}
