// SPDX-License-Identifier: Apache-2.0
// Cumsum.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(Cumsum, Values) {
  const DenseTensor x = f32({3}, {1, 2, 3});
  EXPECT_EQ(run(OpId::Cumsum, CumsumAttrs{0, false, false}, {x}), "f32(3,): 1 3 6");
  EXPECT_EQ(run(OpId::Cumsum, CumsumAttrs{0, true, false}, {x}), "f32(3,): 0 1 3");
  EXPECT_EQ(run(OpId::Cumsum, CumsumAttrs{0, false, true}, {x}), "f32(3,): 6 5 3");
  EXPECT_EQ(run(OpId::Cumsum, CumsumAttrs{0, true, true}, {x}), "f32(3,): 5 3 0"); // user-needs row 40
  EXPECT_EQ(run(OpId::Cumsum, CumsumAttrs{0, true, true}, {f32({1, 2}, {1, 2})}), "f32(1, 2): 0 0"); // row 41
  EXPECT_EQ(run(OpId::Cumsum, CumsumAttrs{0, false, false}, {f32({2, 2}, {1, 2, 3, 4})}), "f32(2, 2): 1 2 4 6");
  EXPECT_EQ(run(OpId::Cumsum, CumsumAttrs{1, false, false}, {f32({2, 2}, {1, 2, 3, 4})}), "f32(2, 2): 1 3 3 7");
  EXPECT_EQ(run(OpId::Cumsum, CumsumAttrs{0, false, false}, {tensor(DType::U8, {2}, {200, 100})}), "u8(2,): 200 44");
  EXPECT_EQ(run(OpId::Cumsum, CumsumAttrs{0, false, false}, {tensor(DType::F16, {3}, {2048, 1, 1})}),
            "f16(3,): 2048 2048 2050"); // each sum is rounded once
  EXPECT_EQ(run(OpId::Cumsum, CumsumAttrs{1, false, false}, {f32({2, 0}, {})}), "f32(2, 0): ");
}

TEST(Cumsum, Types) {
  EXPECT_EQ(infer(OpId::Cumsum, CumsumAttrs{1, false, false}, {type(DType::I64, {"B", "S"})}), "i64(B, S)");
  EXPECT_NE(infer(OpId::Cumsum, CumsumAttrs{2, false, false}, {type(DType::I64, {"B", "S"})}).find("(cumsum.C1)"),
            std::string::npos);
}
