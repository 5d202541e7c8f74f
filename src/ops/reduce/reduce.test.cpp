// SPDX-License-Identifier: Apache-2.0
// Folds over axes.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static std::string sum(const DenseTensor &x, const std::vector<int64_t> &axes, bool keep = false) {
  return run(OpId::ReduceSum, ReduceSumAttrs{axes, keep}, {x});
}

TEST(Reduce, Sums) {
  const DenseTensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(sum(x, {0}), "f32(3,): 5 7 9");
  EXPECT_EQ(sum(x, {1}, true), "f32(2, 1): 6 15");
  EXPECT_EQ(sum(x, {1, 0}), "f32(): 21");
  EXPECT_EQ(sum(x, {}), "f32(2, 3): 1 2 3 4 5 6");
  EXPECT_EQ(sum(f32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), {0, 2}), "f32(2,): 14 22");
  EXPECT_EQ(sum(tensor(DType::F16, {3}, {2048, 1, 1}), {0}), "f16(): 2050");
  EXPECT_EQ(sum(tensor(DType::I8, {2}, {127, 1}), {0}), "i8(): -128");
}

TEST(Reduce, EmptyFoldsGiveTheNeutralElement) { // user-needs rows 7 and 8
  EXPECT_EQ(sum(f32({0}, {}), {0}, true), "f32(1,): 0");
  EXPECT_EQ(sum(f32({1, 0}, {}), {1}), "f32(1,): 0");
  EXPECT_EQ(sum(f32({0, 2}, {}), {1}), "f32(0,): ");
  EXPECT_EQ(run(OpId::ReduceProd, ReduceProdAttrs{{0}, false}, {f32({0, 2}, {})}), "f32(2,): 1 1");
  EXPECT_EQ(run(OpId::ReduceMax, ReduceMaxAttrs{{0}, false}, {f32({0}, {})}), "f32(): -inf");
  EXPECT_EQ(run(OpId::ReduceMin, ReduceMinAttrs{{0}, false}, {tensor(DType::F16, {0}, {})}), "f16(): inf");
  EXPECT_EQ(run(OpId::ReduceMax, ReduceMaxAttrs{{0}, false}, {tensor(DType::I16, {0}, {})}), "i16(): -32768");
  EXPECT_EQ(run(OpId::ReduceMin, ReduceMinAttrs{{0}, false}, {tensor(DType::U64, {0}, {})}),
            "u64(): 18446744073709551615");
  EXPECT_EQ(run(OpId::ReduceMean, ReduceMeanAttrs{{0}, false}, {f32({0}, {})}), "f32(): nan");
}

TEST(Reduce, NanWins) { // user-needs row 56
  const DenseTensor x = f32({2, 2}, {NaN, 1, 2, NaN});
  EXPECT_EQ(run(OpId::ReduceMax, ReduceMaxAttrs{{1}, false}, {x}), "f32(2,): nan nan");
  EXPECT_EQ(run(OpId::ReduceMin, ReduceMinAttrs{{0}, false}, {x}), "f32(2,): nan nan");
  EXPECT_EQ(run(OpId::ReduceMax, ReduceMaxAttrs{{1}, false}, {f32({1, 2}, {-inf, -5})}), "f32(1,): -5");
  EXPECT_EQ(run(OpId::ReduceMax, ReduceMaxAttrs{{0}, false}, {tensor(DType::U64, {2}, {1.8e19, 3})}),
            "u64(): 18000000000000000000");
}

TEST(Reduce, Means) {
  EXPECT_EQ(run(OpId::ReduceMean, ReduceMeanAttrs{{1}, true}, {f32({2, 2}, {1, 2, 3, 5})}), "f32(2, 1): 1.5 4");
  EXPECT_EQ(run(OpId::ReduceMean, ReduceMeanAttrs{{0}, false}, {tensor(DType::I32, {2}, {-3, -4})}), "i32(): -3");
  EXPECT_EQ(run(OpId::ReduceMean, ReduceMeanAttrs{{0}, false}, {tensor(DType::F16, {2}, {60000, 60000})}),
            "f16(): 60000");
  EXPECT_EQ(infer(OpId::ReduceMean, ReduceMeanAttrs{{1}, true}, {type(DType::BF16, {"B", "S", "4"})}), "bf16(B, 1, 4)");
}

TEST(Reduce, TypesAndContents) {
  auto types = [](const std::vector<int64_t> &axes, bool keep, const std::vector<std::string> &x) {
    return infer(OpId::ReduceSum, ReduceSumAttrs{axes, keep}, {type(DType::F32, x)});
  };
  EXPECT_EQ(types({1}, false, {"B", "S", "2*H"}), "f32(B, 2*H)");
  EXPECT_EQ(types({2, 1}, true, {"B", "S", "2*H"}), "f32(B, 1, 1)");
  EXPECT_NE(types({3}, true, {"B", "S"}).find("axis 3 is outside x of shape (B, S) (reduce.C1)"), std::string::npos);
  EXPECT_NE(types({0, 0}, true, {"B", "S"}).find("(reduce.C1)"), std::string::npos);
  EXPECT_NE(types({-1}, true, {"B", "S"}).find("(reduce.C1)"), std::string::npos);
  EXPECT_NE(infer(OpId::ReduceMax, ReduceMaxAttrs{{0}, false}, {type(DType::Bool, {"B"})}).find("(reduce.C2)"),
            std::string::npos);
  EXPECT_EQ(contentOf(OpId::ReduceProd, ReduceProdAttrs{{0}, true}, {Known(DType::I64, {"B", "2", "S+1"})}),
            "(2*B*S+2*B)");
}
