// SPDX-License-Identifier: Apache-2.0
// Slice: steps of both signs, empty results, constraints, contents.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static Attrs slice(const std::string &start, int64_t step, const std::string &size) {
  return SliceAttrs{{*Expr::parse(start)}, {step}, {*Expr::parse(size)}};
}

TEST(Slice, ValuesTypesContents) {
  const DenseTensor x = i64({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(run(OpId::Slice, slice("9", -3, "3"), {x}), "i64(3,): 9 6 3");
  EXPECT_EQ(run(OpId::Slice, slice("1", 4, "3"), {x}), "i64(3,): 1 5 9");
  EXPECT_EQ(run(OpId::Slice, slice("12", 1, "0"), {x}), "i64(0,): ");
  EXPECT_EQ(run(OpId::Slice, SliceAttrs{{1, 0}, {1, 2}, {1, 2}}, {f32({2, 3}, {1, 2, 3, 4, 5, 6})}), "f32(1, 2): 4 6");
  EXPECT_EQ(infer(OpId::Slice, slice("0", 1, "min(S, 512)"), {type(DType::F32, {"512"})}), "f32(min(512, S))");
  auto cites = [&](const Attrs &attrs, const char *id) {
    return infer(OpId::Slice, attrs, {type(DType::F32, {"10"})}).find(id) != std::string::npos;
  };
  EXPECT_TRUE(cites(SliceAttrs{{}, {}, {}}, "slice.C1"));
  EXPECT_TRUE(cites(slice("0", 0, "1"), "slice.C2"));
  EXPECT_TRUE(cites(slice("8", 1, "3"), "slice.C3"));
  EXPECT_TRUE(cites(slice("1", -1, "3"), "slice.C3"));
  EXPECT_TRUE(cites(slice("0", 1, "-2"), "slice.C3"));
  EXPECT_EQ(contentOf(OpId::Slice, slice("2", -1, "3"), {Known(DType::I64, {"B", "S", "12"})}), "(12, S, B)");
}
