// SPDX-License-Identifier: Apache-2.0
// Groups of equal slices.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

/// "groups | firsts | counts", the latter two as far as there are groups.
static std::string unique(const DenseTensor &x, int64_t axis, bool sorted) {
  auto results = evaluate(OpId::Unique, UniqueAttrs{axis, sorted}, std::array{x});
  if (!results)
    return results.error().text();
  const int64_t total = *(*results)[3].as<int64_t>();
  auto known = [&](const DenseTensor &t) { return text(DenseTensor::borrow(DType::I64, {total}, t.data())); };
  return text((*results)[0]) + " | " + known((*results)[1]) + " | " + known((*results)[2]);
}

TEST(Unique, Values) {
  const DenseTensor x = f32({6}, {2, 1, 1, 3, 4, 3});
  EXPECT_EQ(unique(x, 0, true), "1 0 0 2 3 2 | 1 0 3 4 | 2 1 2 1");
  EXPECT_EQ(unique(x, 0, false), "0 1 1 2 3 2 | 0 1 3 4 | 1 2 2 1");
  EXPECT_EQ(unique(f32({4}, {NaN, -0.0, NaN, 0}), 0, true), "1 0 1 0 | 1 0 | 2 2");
  EXPECT_EQ(unique(f32({0}, {}), 0, true), " |  | ");
  // Rows and columns.
  const DenseTensor rows = tensor(DType::U8, {3, 3}, {200, 0, 0, 200, 0, 0, 2, 3, 4});
  EXPECT_EQ(unique(rows, 0, true), "1 1 0 | 2 0 | 1 2");
  EXPECT_EQ(unique(rows, 1, false), "0 1 2 | 0 1 2 | 1 1 1");
  EXPECT_EQ(unique(f32({3, 0}, {}), 0, true), "0 0 0 | 0 | 3"); // empty slices are equal
}

TEST(Unique, Types) {
  Facts facts;
  auto types = inferTypes(OpId::Unique, UniqueAttrs{1, true}, std::array{type(DType::F32, {"B", "S"})}, facts);
  ASSERT_TRUE(types) << types.error().text();
  EXPECT_EQ((*types)[1].str() + " " + (*types)[3].str(), "i64(S) i64()");
  EXPECT_NE(infer(OpId::Unique, UniqueAttrs{1, true}, {type(DType::F32, {"B"})}).find("(unique.C1)"),
            std::string::npos);
}
