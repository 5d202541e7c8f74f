// SPDX-License-Identifier: Apache-2.0
// MatmulInteger.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static DenseTensor u8(const std::vector<int64_t> &dims, const std::vector<double> &v) {
  return tensor(DType::U8, dims, v);
}
static DenseTensor i8(const std::vector<int64_t> &dims, const std::vector<double> &v) {
  return tensor(DType::I8, dims, v);
}
static std::string product(const DenseTensor &lhs, const DenseTensor &rhs, const DenseTensor &zero) {
  return run(OpId::MatmulInteger, MatmulIntegerAttrs{}, {lhs, rhs, zero});
}

TEST(MatmulInteger, Values) {
  // Every combination of signs at the ends of the range.
  EXPECT_EQ(product(u8({1, 2}, {255, 255}), i8({2, 1}, {-128, 127}), u8({}, {0})), "i32(1, 1): -255");
  EXPECT_EQ(product(u8({1, 2}, {255, 0}), u8({2, 1}, {255, 255}), u8({}, {255})), "i32(1, 1): -65025");
  EXPECT_EQ(product(i8({1, 2}, {-128, 127}), i8({2, 1}, {-128, -128}), i8({}, {-128})), "i32(1, 1): -32640");
  EXPECT_EQ(product(i8({1, 2}, {-128, 127}), u8({2, 1}, {255, 1}), i8({}, {127})), "i32(1, 1): -65025");
  EXPECT_EQ(product(u8({2, 1, 2}, {1, 2, 3, 4}), i8({2, 2}, {1, -1, 10, -10}), u8({}, {1})),
            "i32(2, 1, 2): 10 -10 32 -32");
  EXPECT_EQ(product(u8({1, 0}, {}), u8({0, 2}, {}), u8({}, {7})), "i32(1, 2): 0 0");
}

TEST(MatmulInteger, Types) {
  auto types = [](const TensorType &lhs, const TensorType &rhs, const TensorType &zero) {
    return infer(OpId::MatmulInteger, MatmulIntegerAttrs{}, {lhs, rhs, zero});
  };
  auto cites = [](const std::string &text, const char *constraint) {
    return text.find("(matmul_integer." + std::string(constraint) + ")") != std::string::npos;
  };
  const TensorType zero = type(DType::U8, {});
  EXPECT_EQ(types(type(DType::U8, {"B", "S", "4"}), type(DType::I8, {"4", "3"}), zero), "i32(B, S, 3)");
  EXPECT_TRUE(cites(types(type(DType::U8, {"B", "4"}), type(DType::I8, {"5", "3"}), zero), "C2"));
  EXPECT_TRUE(
      cites(types(type(DType::U8, {"2", "1", "4"}), type(DType::I8, {"3", "4", "3"}), type(DType::I8, {})), "C1"));
  EXPECT_TRUE(cites(types(type(DType::U8, {"1", "4"}), type(DType::I16, {"4", "3"}), zero), "C1"));
  EXPECT_TRUE(cites(types(type(DType::U8, {"2", "1", "4"}), type(DType::I8, {"3", "4", "3"}), zero), "C3"));
  EXPECT_TRUE(cites(types(type(DType::U8, {"4"}), type(DType::I8, {"4", "3"}), zero), "C4"));
}
