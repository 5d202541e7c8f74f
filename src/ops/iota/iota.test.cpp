// SPDX-License-Identifier: Apache-2.0
// Iota.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(Iota, ValuesTypesContents) {
  EXPECT_EQ(run(OpId::Iota, IotaAttrs{{3}, DType::F16}, {}), "f16(3,): 0 1 2");
  EXPECT_EQ(run(OpId::Iota, IotaAttrs{{0}, DType::I32}, {}), "i32(0,): ");
  EXPECT_EQ(infer(OpId::Iota, IotaAttrs{{*Expr::parse("S")}, DType::I64}, {}), "i64(S)");
  EXPECT_NE(infer(OpId::Iota, IotaAttrs{{-1}, DType::I64}, {}).find("iota.C1"), std::string::npos);
  EXPECT_NE(infer(OpId::Iota, IotaAttrs{{2, 3}, DType::I64}, {}).find("iota.C1"), std::string::npos);
  EXPECT_EQ(contentOf(OpId::Iota, IotaAttrs{{3}, DType::I64}, {}), "(0, 1, 2)");
}
