// SPDX-License-Identifier: Apache-2.0
// The elementwise choice.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(Select, ValuesTypesContents) {
  const Attrs attrs = SelectAttrs{};
  EXPECT_EQ(run(OpId::Select, attrs, {tensor(DType::Bool, {2, 1}, {1, 0}), f32({2}, {1, 2}), f32({}, {NaN})}),
            "f32(2, 2): 1 2 nan nan");
  EXPECT_EQ(infer(OpId::Select, attrs, {type(DType::Bool, {"B", "1"}), type(DType::F32, {"S"}), type(DType::F32, {})}),
            "f32(B, S)");
  auto cites = [&](const std::vector<TensorType> &types, const char *id) {
    return infer(OpId::Select, attrs, types).find(id) != std::string::npos;
  };
  EXPECT_TRUE(cites({type(DType::I64, {}), type(DType::F32, {}), type(DType::F32, {})}, "select.C1"));
  EXPECT_TRUE(cites({type(DType::Bool, {}), type(DType::I32, {}), type(DType::F32, {})}, "select.C2"));
  EXPECT_TRUE(cites({type(DType::Bool, {"2"}), type(DType::F32, {"3"}), type(DType::F32, {})}, "select.C3"));
  EXPECT_EQ(contentOf(OpId::Select, attrs,
                      {Known(DType::Bool, {"1", "0"}), Known(DType::I64, {"S", "B"}), Known(DType::I64, {"1", "-1"})}),
            "(S, -1)");
}
