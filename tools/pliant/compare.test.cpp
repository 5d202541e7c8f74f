// SPDX-License-Identifier: Apache-2.0
// The agreement of tensors.
#include "compare.h"
#include "ops/half.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace pliant;
using namespace pliant::tool;

namespace {

template <class T> DenseTensor tensor(DType dtype, const std::vector<T> &values) {
  DenseTensor t = *DenseTensor::allocate(dtype, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.as<T>());
  return t;
}
DenseTensor floats(const std::vector<float> &values) { return tensor(DType::F32, values); }

TEST(Compare, Floats) {
  EXPECT_TRUE(compare(floats({1, 100}), floats({1.0009f, 100})).holds); // 1e-4 * 1 + 1e-5 * 100
  Agreement bad = compare(floats({1, 100}), floats({1.002f, 100}));
  EXPECT_FALSE(bad.holds);
  EXPECT_EQ(bad.reason.substr(0, 17), "element (0,) is 1");
  EXPECT_NEAR(bad.maxDifference, 0.002, 1e-5);
}

TEST(Compare, NonFinite) {
  const float nan = NAN, inf = INFINITY;
  EXPECT_TRUE(compare(floats({nan, inf, -inf}), floats({nan, inf, -inf})).holds);
  EXPECT_FALSE(compare(floats({0, 1}), floats({nan, 1})).holds);
  EXPECT_FALSE(compare(floats({inf}), floats({-inf})).holds);
  EXPECT_FALSE(compare(floats({1e30f}), floats({inf})).holds);
  EXPECT_TRUE(compare(floats({}), floats({})).holds);
}

TEST(Compare, TypesAndShapes) {
  EXPECT_EQ(compare(floats({1}), tensor<int32_t>(DType::I32, {1})).reason, "element type f32, expected i32");
  EXPECT_EQ(compare(floats({1}), floats({1, 2})).reason, "shape (1,), expected (2,)");
  EXPECT_FALSE(
      compare(tensor<int64_t>(DType::I64, {int64_t(1) << 60}), tensor<int64_t>(DType::I64, {(int64_t(1) << 60) + 1}))
          .holds);
}

TEST(Compare, HalvesMayDifferByOneUnit) {
  EXPECT_TRUE(compare(tensor<Half>(DType::F16, {Half(1.0)}), tensor<Half>(DType::F16, {Half(1.0 + 0x1p-10)})).holds);
  EXPECT_FALSE(compare(tensor<Half>(DType::F16, {Half(1.0)}), tensor<Half>(DType::F16, {Half(1.0 + 0x1p-8)})).holds);
}

TEST(Compare, Summaries) {
  Summary s = summarize(floats({1, NAN, 3, INFINITY}));
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.nans, 1);
  EXPECT_EQ(s.infinities, 1);
  EXPECT_EQ(summarize(floats({1, 3})).mean, 2);
  EXPECT_EQ(elementAsDouble(floats({4, 5}), 1), 5);
}

} // namespace
