// SPDX-License-Identifier: Apache-2.0
// broadcast_to.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static Attrs to(const std::vector<std::string> &extents) { return BroadcastToAttrs{type(DType::F32, extents).shape}; }

TEST(BroadcastTo, ValuesTypesContents) {
  EXPECT_EQ(run(OpId::BroadcastTo, to({"2", "2", "3"}), {f32({2, 1}, {1, 2})}),
            "f32(2, 2, 3): 1 1 1 2 2 2 1 1 1 2 2 2");
  EXPECT_EQ(run(OpId::BroadcastTo, to({"0", "3"}), {f32({3}, {1, 2, 3})}), "f32(0, 3): ");
  EXPECT_EQ(infer(OpId::BroadcastTo, to({"B", "S"}), {type(DType::F32, {"1", "T"})}), "f32(B, S)"); // S = T or T = 1
  EXPECT_NE(infer(OpId::BroadcastTo, to({"B"}), {type(DType::F32, {"1", "1"})}).find("broadcast_to.C1"),
            std::string::npos);
  const std::string error = infer(OpId::BroadcastTo, to({"B", "4"}), {type(DType::F32, {"B", "3"})});
  EXPECT_NE(error.find("extent 3 of axis 1 is neither 1 nor 4 (broadcast_to.C2)"), std::string::npos) << error;
  EXPECT_EQ(contentOf(OpId::BroadcastTo, to({"2", "2"}), {Known(DType::I64, {"B", "S"})}), "(B, S, B, S)");
}
