// SPDX-License-Identifier: Apache-2.0
// TopK.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static std::string topK(const DenseTensor &x, int64_t k, int64_t axis, bool largest) {
  Result<std::vector<DenseTensor>> results = evaluate(OpId::TopK, TopKAttrs{{k}, axis, largest}, std::array{x});
  return results ? text((*results)[0]) + " @ " + text((*results)[1]) : results.error().text();
}

TEST(TopK, Values) {
  EXPECT_EQ(topK(f32({5}, {0, 1, 2, 2, 2}), 2, 0, true), "2 2 @ 2 3"); // user-needs row 37
  EXPECT_EQ(topK(tensor(DType::U8, {3}, {200, 1, 1}), 2, 0, false), "1 1 @ 1 2");
  EXPECT_EQ(topK(f32({2, 3}, {1, 5, 3, 6, 2, 4}), 2, 1, true), "5 3 6 4 @ 1 2 0 2");
  EXPECT_EQ(topK(f32({2, 3}, {1, 5, 3, 6, 2, 4}), 1, 0, true), "6 5 4 @ 1 0 1");
  EXPECT_EQ(topK(f32({3}, {1, 2, 3}), 0, 0, true), " @ ");
  EXPECT_EQ(topK(f32({0, 3}, {}), 2, 1, true), " @ ");
}

TEST(TopK, NanIsTheLargest) { // user-needs row 38
  const DenseTensor x = f32({6}, {1, NaN, 3, 2, NaN, 0});
  EXPECT_EQ(topK(x, 3, 0, true), "nan nan 3 @ 1 4 2");
  EXPECT_EQ(topK(x, 5, 0, false), "0 1 2 3 nan @ 5 0 3 2 1");
}

TEST(TopK, Types) {
  auto types = [](const std::string &k, int64_t axis) {
    Facts facts;
    Result<std::vector<TensorType>> results = inferTypes(OpId::TopK, TopKAttrs{{*Expr::parse(k)}, axis, true},
                                                         std::array{type(DType::F32, {"B", "S"})}, facts);
    return results ? (*results)[0].str() + " " + (*results)[1].str() : results.error().text();
  };
  EXPECT_EQ(types("min(S, 5)", 1), "f32(B, min(5, S)) i64(B, min(5, S))");
  EXPECT_EQ(types("K", 1), "f32(B, K) i64(B, K)");
  EXPECT_NE(types("S+1", 1).find("(top_k.C2)"), std::string::npos);
  EXPECT_NE(types("3", 2).find("(top_k.C1)"), std::string::npos);
}
