// SPDX-License-Identifier: Apache-2.0
// Reshape: counts, zero extents, contents.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static Attrs to(const std::vector<std::string> &extents) { return ReshapeAttrs{type(DType::F32, extents).shape}; }

TEST(Reshape, ValuesTypesContents) {
  EXPECT_EQ(run(OpId::Reshape, to({"3", "2"}), {f32({2, 3}, {1, 2, 3, 4, 5, 6})}), "f32(3, 2): 1 2 3 4 5 6");
  EXPECT_EQ(run(OpId::Reshape, to({"0", "7"}), {f32({2, 0}, {})}), "f32(0, 7): ");
  EXPECT_EQ(infer(OpId::Reshape, to({"B", "S", "12", "64"}), {type(DType::F32, {"B", "S", "768"})}),
            "f32(B, S, 12, 64)");
  EXPECT_EQ(infer(OpId::Reshape, to({"T", "768"}), {type(DType::F32, {"B", "S", "768"})}), "f32(T, 768)");
  const std::string error = infer(OpId::Reshape, to({"B", "S", "12", "60"}), {type(DType::F32, {"B+1", "S+1", "768"})});
  EXPECT_NE(error.find("(reshape.C1)"), std::string::npos) << error; // different for every B and S
  const std::string wrong = infer(OpId::Reshape, to({"3"}), {type(DType::F32, {"0"})});
  EXPECT_NE(wrong.find("[reshape] shape (0) has 0 elements but (3) has 3 (reshape.C1)"), std::string::npos) << wrong;
  EXPECT_EQ(contentOf(OpId::Reshape, to({"1", "2"}), {Known(DType::I64, {"B", "S"})}), "(B, S)");
}
