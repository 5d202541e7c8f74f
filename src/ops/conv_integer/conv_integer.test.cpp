// SPDX-License-Identifier: Apache-2.0
// ConvInteger.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static DenseTensor u8(const std::vector<int64_t> &dims, const std::vector<double> &v) {
  return tensor(DType::U8, dims, v);
}
static DenseTensor i8(const std::vector<int64_t> &dims, const std::vector<double> &v) {
  return tensor(DType::I8, dims, v);
}
static ConvIntegerAttrs line(int64_t low, int64_t high, int64_t groups = 1, bool last = false) {
  return {{1}, {1}, {low, high}, groups, last};
}

TEST(ConvInteger, Values) {
  // Padding counts as the zero point, not as 0.
  EXPECT_EQ(run(OpId::ConvInteger, line(1, 1), {u8({1, 1, 2}, {0, 255}), i8({1, 1, 2}, {-128, 127}), u8({}, {128})}),
            "i32(1, 1, 3): -16256 32513 -16256");
  EXPECT_EQ(run(OpId::ConvInteger, line(0, 0), {i8({1, 1, 2}, {-128, 127}), i8({1, 1, 1}, {-128}), i8({}, {127})}),
            "i32(1, 1, 2): 32640 0");
  EXPECT_EQ(run(OpId::ConvInteger, line(0, 0), {i8({1, 1, 2}, {-128, 127}), u8({1, 1, 1}, {255}), i8({}, {0})}),
            "i32(1, 1, 2): -32640 32385");
  EXPECT_EQ(run(OpId::ConvInteger, line(0, 0, 2, true),
                {u8({1, 2, 2}, {1, 3, 2, 4}), u8({4, 1, 1}, {1, 10, 100, 200}), u8({}, {1})}),
            "i32(1, 2, 4): 0 0 200 400 1 10 300 600");
}

TEST(ConvInteger, Types) {
  auto types = [](const TensorType &x, const TensorType &w, const TensorType &zero) {
    return infer(OpId::ConvInteger, line(1, 1), {x, w, zero});
  };
  auto cites = [](const std::string &text, const char *constraint) {
    return text.find("(conv_integer." + std::string(constraint) + ")") != std::string::npos;
  };
  const TensorType x = type(DType::U8, {"B", "3", "W"}), zero = type(DType::U8, {});
  EXPECT_EQ(types(x, type(DType::I8, {"8", "3", "3"}), zero), "i32(B, 8, W)");
  EXPECT_TRUE(cites(types(x, type(DType::I8, {"8", "4", "3"}), zero), "C3"));
  EXPECT_TRUE(cites(types(x, type(DType::F32, {"8", "3", "3"}), zero), "C1"));
  EXPECT_TRUE(cites(types(x, type(DType::I8, {"8", "3", "3"}), type(DType::U8, {"1"})), "C1"));
  EXPECT_TRUE(cites(types(type(DType::U8, {"B", "3", "1"}), type(DType::I8, {"8", "3", "5"}), zero), "C5"));
}
