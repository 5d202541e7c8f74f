// SPDX-License-Identifier: Apache-2.0
// Boxes chosen by score and overlap.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

/// The boxes chosen of one batch and class.
static std::string chosen(const DenseTensor &boxes, const DenseTensor &scores, double overlap, double least,
                          int64_t limit, bool centred = false) {
  auto results = evaluate(OpId::NonMaxSuppression, NonMaxSuppressionAttrs{{limit}, centred},
                          std::array{boxes, scores, f32({}, {overlap}), f32({}, {least})});
  if (!results)
    return results.error().text();
  const int64_t *rows = (*results)[0].as<int64_t>();
  std::string all;
  for (int64_t i = 0; i < *(*results)[1].as<int64_t>(); ++i)
    all += std::to_string(rows[3 * i]) + std::to_string(rows[3 * i + 1]) + std::to_string(rows[3 * i + 2]) + " ";
  return all;
}

TEST(NonMaxSuppression, Values) {
  const DenseTensor boxes = f32({1, 4, 4}, {0, 0, 2, 2, 0, 0, 2, 1.5, 2, 2, 0, 0, 5, 5, 6, 6});
  EXPECT_EQ(chosen(boxes, f32({1, 1, 4}, {0.5, 0.9, 0.4, 0.1}), 0.5, 0, 9), "001 003 "); // 0.75 of 0 and 2 is above 0.5
  EXPECT_EQ(chosen(boxes, f32({1, 1, 4}, {0.5, 0.9, 0.4, 0.1}), 0.8, 0, 9), "001 000 003 "); // 2 is 0, corners swapped
  EXPECT_EQ(chosen(boxes, f32({1, 1, 4}, {0.5, 0.9, 0.4, 0.1}), 0.8, 0.1, 9), "001 000 ");   // not above 0.1
  EXPECT_EQ(chosen(boxes, f32({1, 1, 4}, {0.5, 0.9, 0.4, 0.1}), 0.8, 0, 1), "001 ");
  EXPECT_EQ(chosen(boxes, f32({1, 1, 4}, {7, 7, NaN, 7}), 1, 0, 9), "000 001 003 "); // ties: the lower box
  EXPECT_EQ(chosen(boxes, f32({1, 2, 4}, {1, 0, 0, 0, 0, 0, 0, 1}), 0.1, 0, 0), "");
  EXPECT_EQ(chosen(boxes, f32({1, 2, 4}, {1, 0, 0, 0, 0, 0, 0, 1}), 0.1, 0, 2), "000 013 ");
  EXPECT_EQ(chosen(f32({1, 2, 4}, {1, 1, 2, 2, 1, 1, 2, 1.9}), f32({1, 1, 2}, {1, 2}), 0.5, 0, 5, true), "001 ");
  EXPECT_EQ(chosen(f32({1, 0, 4}, {}), f32({1, 1, 0}, {}), 0.5, 0, 5), "");
}

TEST(NonMaxSuppression, Types) {
  auto types = [](const TensorType &boxes, const TensorType &scores, const std::string &limit) {
    Facts facts;
    auto results = inferTypes(OpId::NonMaxSuppression, NonMaxSuppressionAttrs{{*Expr::parse(limit)}, false},
                              std::array{boxes, scores, type(DType::F32, {}), type(DType::F32, {})}, facts);
    return results ? (*results)[0].str() + " " + (*results)[1].str() : results.error().text();
  };
  const TensorType boxes = type(DType::F32, {"B", "N", "4"}), scores = type(DType::F32, {"B", "2", "N"});
  EXPECT_EQ(types(boxes, scores, "N"), "i64(2*B*N, 3) i64()");
  EXPECT_NE(types(type(DType::F64, {"B", "N", "4"}), scores, "1").find("non_max_suppression.C1"), std::string::npos);
  EXPECT_NE(types(type(DType::F32, {"B", "N", "5"}), scores, "1").find("non_max_suppression.C2"), std::string::npos);
  EXPECT_NE(types(boxes, type(DType::F32, {"B", "2", "N+1"}), "1").find("non_max_suppression.C2"), std::string::npos);
  EXPECT_NE(types(boxes, scores, "-1").find("non_max_suppression.C3"), std::string::npos);
}
