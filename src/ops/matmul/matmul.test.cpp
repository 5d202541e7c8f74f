// SPDX-License-Identifier: Apache-2.0
// Matmul.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static std::string matmul(const DenseTensor &lhs, const DenseTensor &rhs) {
  return run(OpId::Matmul, MatmulAttrs{}, {lhs, rhs});
}

TEST(Matmul, Values) {
  EXPECT_EQ(matmul(f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({3, 2}, {1, 2, 3, 4, 5, 6})), "f32(2, 2): 22 28 49 64");
  // Leading axes broadcast both ways.
  EXPECT_EQ(matmul(f32({2, 1, 1, 2}, {1, 2, 3, 4}), f32({3, 2, 1}, {1, 0, 0, 1, 1, 1})),
            "f32(2, 3, 1, 1): 1 2 3 3 4 7");
  EXPECT_EQ(matmul(tensor(DType::U8, {1, 2}, {200, 100}), tensor(DType::U8, {2, 1}, {2, 1})), "u8(1, 1): 244");
  EXPECT_EQ(matmul(f32({1, 2}, {inf, 1}), f32({2, 1}, {0, 1})), "f32(1, 1): nan");
}

TEST(Matmul, RoundsOnce) {
  // 2048 + 1 + 1 in f16: rounding after each addition would stay at 2048; bf16 likewise at 256.
  EXPECT_EQ(matmul(tensor(DType::F16, {1, 3}, {2048, 1, 1}), tensor(DType::F16, {3, 1}, {1, 1, 1})), "f16(1, 1): 2050");
  EXPECT_EQ(matmul(tensor(DType::BF16, {1, 3}, {256, 1, 1}), tensor(DType::BF16, {3, 1}, {1, 1, 1})),
            "bf16(1, 1): 258");
}

TEST(Matmul, EmptyExtents) { // user-needs rows 10 and 11
  EXPECT_EQ(matmul(f32({2, 0}, {}), f32({0, 3}, {})), "f32(2, 3): 0 0 0 0 0 0");
  EXPECT_EQ(matmul(f32({1, 0, 2}, {}), f32({2, 3}, {1, 2, 3, 4, 5, 6})), "f32(1, 0, 3): ");
  EXPECT_EQ(matmul(f32({0, 2, 2}, {}), f32({1, 2, 2}, {1, 2, 3, 4})), "f32(0, 2, 2): ");
}

TEST(Matmul, Types) {
  auto matmul = [](const std::vector<std::string> &lhs, const std::vector<std::string> &rhs) {
    return infer(OpId::Matmul, MatmulAttrs{}, {type(DType::F32, lhs), type(DType::F32, rhs)});
  };
  EXPECT_EQ(matmul({"B", "4"}, {"4", "3"}), "f32(B, 3)");
  EXPECT_EQ(matmul({"B", "1", "S", "K"}, {"H", "K", "S"}), "f32(B, H, S, S)");
  EXPECT_EQ(matmul({"B", "K"}, {"J", "3"}), "f32(B, 3)"); // K == J is left to a check at run time
  EXPECT_EQ(matmul({"B", "4"}, {"5", "N"}).substr(0, 96),
            "[matmul] lhs has shape (B, 4) but rhs has shape (5, N): inner extents 4 and 5 differ (matmul.C2)");
  EXPECT_NE(matmul({"S"}, {"S", "2"}).find("(matmul.C4)"), std::string::npos);
  EXPECT_NE(matmul({"2", "1", "1"}, {"3", "1", "1"}).find("(matmul.C3)"), std::string::npos);
  EXPECT_NE(infer(OpId::Matmul, MatmulAttrs{}, {type(DType::F32, {"2", "2"}), type(DType::F64, {"2", "2"})})
                .find("(matmul.C1)"),
            std::string::npos);
}
