// SPDX-License-Identifier: Apache-2.0
// GatherND.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(GatherNd, ValuesAndTypes) {
  const DenseTensor x = f32({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(run(OpId::GatherNd, GatherNdAttrs{0}, {x, i64({2, 2}, {0, 1, -1, 0})}), "f32(2, 2): 2 3 4 5");
  EXPECT_EQ(run(OpId::GatherNd, GatherNdAttrs{1}, {x, i64({2, 1}, {1, 0})}), "f32(2, 2): 2 3 4 5");
  EXPECT_EQ(run(OpId::GatherNd, GatherNdAttrs{0}, {x, i64({0, 3}, {})}), "f32(0,): ");
  EXPECT_NE(run(OpId::GatherNd, GatherNdAttrs{0}, {x, i64({1, 1}, {2})}).find("gather_nd.C3"), std::string::npos);
  auto types = [&](const TensorType &indices, int64_t batch) {
    return infer(OpId::GatherNd, GatherNdAttrs{batch}, {type(DType::F32, {"B", "S", "4"}), indices});
  };
  EXPECT_EQ(types(type(DType::I64, {"B", "K", "1"}), 1), "f32(B, K, 4)");
  EXPECT_NE(types(type(DType::I64, {"K", "N"}), 0).find("gather_nd.C2"), std::string::npos);
  EXPECT_NE(types(type(DType::I64, {"K", "4"}), 0).find("gather_nd.C2"), std::string::npos);
}
