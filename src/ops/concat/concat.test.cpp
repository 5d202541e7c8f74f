// SPDX-License-Identifier: Apache-2.0
// Concat.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(Concat, Values) {
  EXPECT_EQ(run(OpId::Concat, ConcatAttrs{1}, {f32({2, 1}, {1, 2}), f32({2, 2}, {3, 4, 5, 6}), f32({2, 0}, {})}),
            "f32(2, 3): 1 3 4 2 5 6");
  EXPECT_EQ(run(OpId::Concat, ConcatAttrs{-2}, {f32({0, 2}, {}), f32({1, 2}, {3, 4})}), "f32(1, 2): 3 4");
  EXPECT_EQ(run(OpId::Concat, ConcatAttrs{1}, {f32({0, 2}, {}), f32({0, 2}, {})}), "f32(0, 4): ");
}

TEST(Concat, TypesAndContents) {
  auto concat = [](int64_t axis, const std::vector<TensorType> &types) {
    return infer(OpId::Concat, ConcatAttrs{axis}, types);
  };
  EXPECT_EQ(concat(1, {type(DType::F32, {"B", "P"}), type(DType::F32, {"2", "S"})}), "f32(2, P+S)");
  EXPECT_NE(concat(0, {type(DType::F32, {"B"}), type(DType::I64, {"B"})}).find("concat.C1"), std::string::npos);
  EXPECT_NE(concat(0, {type(DType::F32, {"B"}), type(DType::F32, {"B", "1"})}).find("concat.C2"), std::string::npos);
  EXPECT_NE(concat(0, {type(DType::F32, {})}).find("concat.C2"), std::string::npos);
  EXPECT_NE(concat(2, {type(DType::F32, {"B", "1"})}).find("concat.C3"), std::string::npos);
  EXPECT_NE(concat(0, {type(DType::F32, {"B", "3"}), type(DType::F32, {"B", "4"})}).find("3 and 4 differ (concat.C4)"),
            std::string::npos);
  EXPECT_EQ(contentOf(OpId::Concat, ConcatAttrs{0}, {Known(DType::I64, {"B", "S"}), Known(DType::I64, {"-1"})}),
            "(B, S, -1)");
}
