// SPDX-License-Identifier: Apache-2.0
// GatherElements.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(GatherElements, ValuesAndTypes) {
  const Attrs rows = GatherElementsAttrs{0}, columns = GatherElementsAttrs{1};
  const DenseTensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(run(OpId::GatherElements, columns, {x, i64({2, 2}, {0, -1, 1, 1})}), "f32(2, 2): 1 3 5 5");
  EXPECT_EQ(run(OpId::GatherElements, rows, {x, i64({1, 3}, {1, 0, 1})}), "f32(1, 3): 4 2 6");
  EXPECT_NE(run(OpId::GatherElements, rows, {x, i64({1, 1}, {2})}).find("gather_elements.C4"), std::string::npos);
  auto types = [&](const TensorType &indices) {
    return infer(OpId::GatherElements, rows, {type(DType::F32, {"B", "4"}), indices});
  };
  EXPECT_EQ(types(type(DType::I32, {"K", "4"})), "f32(K, 4)");
  EXPECT_NE(types(type(DType::F32, {"K", "4"})).find("gather_elements.C1"), std::string::npos);
  EXPECT_NE(types(type(DType::I64, {"K"})).find("gather_elements.C2"), std::string::npos);
}
