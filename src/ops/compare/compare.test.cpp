// SPDX-License-Identifier: Apache-2.0
// Comparisons: NaN, types, contents decided by facts.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(Compare, Values) {
  const DenseTensor a = f32({4}, {NaN, 1, -0.0, 2}), b = f32({4}, {NaN, 2, 0, 1});
  EXPECT_EQ(run(OpId::Equal, EqualAttrs{}, {a, b}), "bool(4,): 0 0 1 0");
  EXPECT_EQ(run(OpId::NotEqual, NotEqualAttrs{}, {a, b}), "bool(4,): 1 1 0 1");
  EXPECT_EQ(run(OpId::Less, LessAttrs{}, {a, b}), "bool(4,): 0 1 0 0");
  EXPECT_EQ(run(OpId::GreaterEqual, GreaterEqualAttrs{}, {a, b}), "bool(4,): 0 0 1 1");
  EXPECT_EQ(run(OpId::Less, LessAttrs{}, {tensor(DType::U8, {1}, {1}), tensor(DType::U8, {1}, {255})}), "bool(1,): 1");
}

TEST(Compare, TypesAndContents) {
  EXPECT_EQ(infer(OpId::Less, LessAttrs{}, {type(DType::I32, {"B", "1"}), type(DType::I32, {"S"})}), "bool(B, S)");
  EXPECT_NE(infer(OpId::Less, LessAttrs{}, {type(DType::I32, {}), type(DType::I64, {})}).find("compare.C1"),
            std::string::npos);
  const Known extents(DType::I64, {"S", "12", "2*S+1"}), minus(DType::I64, {"-1"});
  EXPECT_EQ(contentOf(OpId::Equal, EqualAttrs{}, {extents, minus}), "(0, 0, 0)");
  EXPECT_EQ(contentOf(OpId::Greater, GreaterAttrs{}, {extents, minus}), "(1, 1, 1)");
  EXPECT_EQ(contentOf(OpId::Equal, EqualAttrs{}, {extents, Known(DType::I64, {"12"})}), "unknown");
}
