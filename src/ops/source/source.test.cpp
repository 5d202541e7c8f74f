// SPDX-License-Identifier: Apache-2.0
// Constants, extents and bind; canonical text of attributes.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(Source, TypesAndContents) {
  EXPECT_EQ(infer(OpId::Constant, ConstantAttrs{f32({2}, {1, 2})}, {}), "f32(2)");
  EXPECT_EQ(contentOf(OpId::Constant, ConstantAttrs{i64({2}, {4, -1})}, {}), "(4, -1)");
  const ExtentsAttrs extents{type(DType::I64, {"B", "2*S"}).shape, false};
  EXPECT_EQ(infer(OpId::Extents, extents, {}), "i64(2)");
  EXPECT_EQ(contentOf(OpId::Extents, extents, {}), "(B, 2*S)");
  EXPECT_EQ(infer(OpId::Extents, ExtentsAttrs{{7}, true}, {}), "i64()");
  EXPECT_EQ(run(OpId::Extents, ExtentsAttrs{{7, 8}, false}, {}), "i64(2,): 7 8");
  const BindAttrs bind{{Expr::symbol("n")}, 0, 9, "the width"};
  EXPECT_EQ(infer(OpId::Bind, bind, {type(DType::I32, {"1"})}), "i32(1)");
  EXPECT_EQ(run(OpId::Bind, bind, {i64({1}, {9})}), "i64(1,): 9");
  EXPECT_NE(run(OpId::Bind, bind, {i64({1}, {10})}).find("the width is 10, outside [0, 9]"), std::string::npos);
  for (const TensorType &wrong : {type(DType::F32, {"1"}), type(DType::I64, {"N"}), type(DType::I64, {"2"})})
    EXPECT_NE(infer(OpId::Bind, bind, {wrong}).find("source.C1"), std::string::npos);
}

TEST(Source, TextOfAttributes) {
  EXPECT_EQ(str(Attrs(PadAttrs{{1, 0}, {*Expr::parse("S"), 2}, "edge"})),
            "{low = [\"1\", \"0\"], high = [\"S\", \"2\"], mode = \"edge\"}");
  EXPECT_EQ(str(Attrs(EluAttrs{0.1})), "{alpha = 0.1}");
  EXPECT_NE(str(Attrs(ConstantAttrs{f32({2}, {0.0, 1})})), str(Attrs(ConstantAttrs{f32({2}, {-0.0, 1})})));
  EXPECT_EQ(str(Attrs(AddAttrs{})), "{}");
}

TEST(Source, Registry) {
  EXPECT_EQ(opFromName("gather_nd"), OpId::GatherNd);
  EXPECT_FALSE(opFromName("nothing"));
  for (const OpInfo &op : allOps())
    EXPECT_EQ(opFromName(op.name), op.id);
}
