// SPDX-License-Identifier: Apache-2.0
// Functions of one element: special values, types, contents.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(Unary, SpecialValues) {
  const DenseTensor x = f32({5}, {NaN, inf, -inf, -0.0, 2});
  EXPECT_EQ(run(OpId::Relu, ReluAttrs{}, {x}), "f32(5,): nan inf 0 0 2");
  EXPECT_EQ(run(OpId::Neg, NegAttrs{}, {x}), "f32(5,): nan -inf inf 0 -2");
  EXPECT_EQ(run(OpId::Abs, AbsAttrs{}, {x}), "f32(5,): nan inf inf 0 2");
  EXPECT_EQ(run(OpId::Sign, SignAttrs{}, {x}), "f32(5,): nan 1 -1 -0 1");
  EXPECT_EQ(run(OpId::Sigmoid, SigmoidAttrs{}, {x}), "f32(5,): nan 1 0 0.5 0.880797");
  EXPECT_EQ(run(OpId::Sqrt, SqrtAttrs{}, {x}), "f32(5,): nan inf nan -0 1.41421");
  EXPECT_EQ(run(OpId::Reciprocal, ReciprocalAttrs{}, {x}), "f32(5,): nan 0 -0 -inf 0.5");
  EXPECT_EQ(run(OpId::IsNan, IsNanAttrs{}, {x}), "bool(5,): 1 0 0 0 0");
  EXPECT_EQ(run(OpId::IsInf, IsInfAttrs{true, false}, {x}), "bool(5,): 0 0 1 0 0");
  EXPECT_EQ(run(OpId::Round, RoundAttrs{}, {f32({6}, {.5, 1.5, 2.5, -.5, -1.5, -2.5})}), "f32(6,): 0 2 2 -0 -2 -2");
  EXPECT_EQ(run(OpId::Sin, SinAttrs{}, {tensor(DType::F16, {2}, {inf, 1})}), "f16(2,): nan 0.841309");
}

TEST(Unary, IntegersWrap) {
  EXPECT_EQ(run(OpId::Abs, AbsAttrs{}, {tensor(DType::I32, {2}, {-2147483648.0, -3})}), "i32(2,): -2147483648 3");
  EXPECT_EQ(run(OpId::Neg, NegAttrs{}, {tensor(DType::I8, {2}, {-128, 5})}), "i8(2,): -128 -5");
  EXPECT_EQ(run(OpId::Relu, ReluAttrs{}, {i64({2}, {-4, 4})}), "i64(2,): 0 4");
  EXPECT_EQ(run(OpId::Exp, ExpAttrs{}, {f32({0, 3}, {})}), "f32(0, 3): ");
}

TEST(Unary, Types) {
  EXPECT_EQ(infer(OpId::Exp, ExpAttrs{}, {type(DType::F16, {"B", "2*S"})}), "f16(B, 2*S)");
  EXPECT_EQ(infer(OpId::IsNan, IsNanAttrs{}, {type(DType::F32, {"B"})}), "bool(B)");
  EXPECT_NE(infer(OpId::Exp, ExpAttrs{}, {type(DType::I64, {"B"})}).find("(unary.C1)"), std::string::npos);
  EXPECT_NE(infer(OpId::LogicalNot, LogicalNotAttrs{}, {type(DType::F32, {})}).find("[logical_not]"),
            std::string::npos);
}

TEST(Unary, Contents) {
  EXPECT_EQ(contentOf(OpId::Neg, NegAttrs{}, {Known(DType::I64, {"S", "3"})}), "(-S, -3)");
  EXPECT_EQ(contentOf(OpId::LogicalNot, LogicalNotAttrs{}, {Known(DType::Bool, {"1", "0"})}), "(0, 1)");
}
