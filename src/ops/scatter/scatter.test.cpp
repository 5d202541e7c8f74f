// SPDX-License-Identifier: Apache-2.0
// Scatter.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static std::string elements(const DenseTensor &x, const DenseTensor &indices, const DenseTensor &updates, int64_t axis,
                            const char *reduction = "none") {
  return run(OpId::ScatterElements, ScatterElementsAttrs{axis, reduction}, {x, indices, updates});
}
static std::string slices(const DenseTensor &x, const DenseTensor &indices, const DenseTensor &updates,
                          const char *reduction = "none") {
  return run(OpId::ScatterNd, ScatterNdAttrs{reduction}, {x, indices, updates});
}

TEST(Scatter, Elements) {
  const DenseTensor x = f32({3, 3}, std::vector<double>(9, 0));
  EXPECT_EQ(elements(x, i64({2, 3}, {1, 0, 2, 0, 2, 1}), f32({2, 3}, {1, 1.1, 1.2, 2, 2.1, 2.2}), 0),
            "f32(3, 3): 2 1.1 0 1 0 2.2 0 2.1 1.2");
  EXPECT_EQ(elements(f32({1, 3}, {1, 2, 3}), i64({1, 2}, {-1, 0}), f32({1, 2}, {9, 8}), 1), "f32(1, 3): 8 2 9");
  // Duplicates: the last one wins, reductions take all.
  const DenseTensor twice = i64({2}, {1, 1}), values = f32({2}, {3, 4});
  EXPECT_EQ(elements(f32({2}, {1, 2}), twice, values, 0), "f32(2,): 1 4");
  EXPECT_EQ(elements(f32({2}, {1, 2}), twice, values, 0, "add"), "f32(2,): 1 9");
  EXPECT_EQ(elements(f32({2}, {1, 2}), twice, values, 0, "mul"), "f32(2,): 1 24");
  EXPECT_EQ(elements(f32({2}, {1, 2}), twice, values, 0, "min"), "f32(2,): 1 2");
  EXPECT_EQ(elements(f32({2}, {1, 2}), twice, f32({2}, {NaN, 4}), 0, "max"), "f32(2,): 1 nan");
  EXPECT_EQ(elements(tensor(DType::I8, {1}, {127}), i64({1}, {0}), tensor(DType::I8, {1}, {1}), 0, "add"),
            "i8(1,): -128");
  EXPECT_NE(elements(f32({2}, {1, 2}), i64({1}, {2}), f32({1}, {1}), 0).find("(scatter.C2)"), std::string::npos);
  EXPECT_EQ(elements(f32({2}, {1, 2}), i64({0}, {}), f32({0}, {}), 0), "f32(2,): 1 2");
}

TEST(Scatter, Slices) {
  // user-needs row 35
  EXPECT_EQ(
      slices(f32({2, 3}, std::vector<double>(6, 0)), i64({3, 2}, {-1, -1, 0, 1, 1, 2}), f32({3}, {1, 2, 3}), "add"),
      "f32(2, 3): 0 2 0 0 0 4");
  EXPECT_EQ(slices(f32({3, 2}, {1, 2, 3, 4, 5, 6}), i64({2, 1}, {2, 0}), f32({2, 2}, {7, 8, 9, 10})),
            "f32(3, 2): 9 10 3 4 7 8");
  EXPECT_EQ(slices(f32({2}, {1, 2}), i64({0}, {}), f32({2}, {7, 8})), "f32(2,): 7 8"); // an empty tuple is all of x
  EXPECT_EQ(slices(tensor(DType::Bool, {2}, {0, 0}), i64({1, 1}, {1}), tensor(DType::Bool, {1}, {1})), "bool(2,): 0 1");
  EXPECT_NE(slices(f32({2}, {1, 2}), i64({1, 1}, {-3}), f32({1}, {1})).find("(scatter.C2)"), std::string::npos);
}

TEST(Scatter, Texts) {
  EXPECT_EQ(
      elements(strings({3}, {"a", "b", "c"}), i64({2}, {2, 0}), strings({2}, {"", "longer than a short text"}), 0),
      "string(3,): longer than a short text b ");
  EXPECT_EQ(slices(strings({2, 2}, {"a", "b", "c", "d"}), i64({1, 1}, {1}), strings({1, 2}, {"e", "f"})),
            "string(2, 2): a b e f");
}

TEST(Scatter, Types) {
  auto nd = [](const std::vector<std::string> &x, const std::vector<std::string> &i,
               const std::vector<std::string> &u) {
    return infer(OpId::ScatterNd, ScatterNdAttrs{"none"},
                 {type(DType::F32, x), type(DType::I64, i), type(DType::F32, u)});
  };
  EXPECT_EQ(nd({"B", "S", "4"}, {"N", "2"}, {"N", "4"}), "f32(B, S, 4)");
  EXPECT_NE(nd({"B", "S", "4"}, {"N", "2"}, {"N", "5"}).find("(scatter.C4)"), std::string::npos);
  EXPECT_NE(nd({"B"}, {"N", "2"}, {"N"}).find("(scatter.C4)"), std::string::npos);
  EXPECT_NE(nd({"B"}, {"N", "K"}, {"N"}).find("(scatter.C4)"), std::string::npos);
  auto elements = [](DType i, const std::vector<std::string> &at, const std::vector<std::string> &u, const char *how) {
    return infer(OpId::ScatterElements, ScatterElementsAttrs{1, how},
                 {type(DType::F32, {"B", "4"}), type(i, at), type(DType::F32, u)});
  };
  EXPECT_EQ(elements(DType::I32, {"B", "9"}, {"B", "9"}, "add"), "f32(B, 4)");
  EXPECT_NE(elements(DType::F32, {"B", "9"}, {"B", "9"}, "add").find("(scatter.C1)"), std::string::npos);
  EXPECT_NE(elements(DType::I64, {"B", "9"}, {"B", "8"}, "add").find("(scatter.C3)"), std::string::npos);
  EXPECT_NE(elements(DType::I64, {"B", "9"}, {"B", "9"}, "mean").find("(scatter.C5)"), std::string::npos);
}
