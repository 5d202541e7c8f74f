// SPDX-License-Identifier: Apache-2.0
// Gather: negative and wrong indices, types, contents.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(Gather, Values) {
  const DenseTensor x = f32({5}, {10, 20, 30, 40, 50});
  EXPECT_EQ(run(OpId::Gather, GatherAttrs{0}, {x, i64({2}, {-1, -5})}), "f32(2,): 50 10");
  EXPECT_EQ(run(OpId::Gather, GatherAttrs{0}, {x, tensor(DType::I32, {}, {1})}), "f32(): 20");
  const std::string error = run(OpId::Gather, GatherAttrs{0}, {x, i64({2}, {0, 5})});
  EXPECT_NE(error.find("index 5 at element 1 of the indices is out of range [-5, 5) (gather.C3)"), std::string::npos)
      << error;
  EXPECT_EQ(run(OpId::Gather, GatherAttrs{1}, {f32({2, 3}, {1, 2, 3, 4, 5, 6}), i64({1, 2}, {2, 0})}),
            "f32(2, 1, 2): 3 1 6 4");
  EXPECT_EQ(run(OpId::Gather, GatherAttrs{0}, {f32({0, 3}, {}), i64({0}, {})}), "f32(0, 3): ");
}

TEST(Gather, TypesAndContents) {
  auto gather = [](int64_t axis, DType indices) {
    return infer(OpId::Gather, GatherAttrs{axis}, {type(DType::F32, {"30522", "768"}), type(indices, {"B", "S"})});
  };
  EXPECT_EQ(gather(0, DType::I64), "f32(B, S, 768)");
  EXPECT_NE(gather(0, DType::F32).find("gather.C1"), std::string::npos);
  EXPECT_NE(gather(2, DType::I32).find("gather.C2"), std::string::npos);
  EXPECT_EQ(
      contentOf(OpId::Gather, GatherAttrs{0}, {Known(DType::I64, {"B", "S", "768"}), Known(DType::I64, {"1", "-1"})}),
      "(S, 768)");
  EXPECT_EQ(contentOf(OpId::Gather, GatherAttrs{0}, {Known(DType::I64, {"B"}), Known(DType::I64, {"3"})}), "unknown");
}
