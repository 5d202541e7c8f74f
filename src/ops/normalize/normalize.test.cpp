// SPDX-License-Identifier: Apache-2.0
// Normalisations against double formulas.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static std::vector<double> wave(int64_t count, double offset) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(offset + std::sin(static_cast<double>(i) * 1.7) * 3);
  return values;
}
static void expectNear(const DenseTensor &y, const std::vector<double> &expected, double tolerance) {
  ASSERT_EQ(y.size(), static_cast<int64_t>(expected.size()));
  for (int64_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(y.as<float>()[i], expected[i], tolerance) << "element " << i;
}
/// (x - mean) / sqrt(var + epsilon) of lines of `count` elements.
static std::vector<double> standardised(std::vector<double> x, size_t count, double epsilon) {
  for (size_t start = 0; start < x.size(); start += count) {
    double mean = 0, variance = 0;
    for (size_t i = 0; i < count; ++i)
      mean += x[start + i] / static_cast<double>(count);
    for (size_t i = 0; i < count; ++i)
      variance += (x[start + i] - mean) * (x[start + i] - mean) / static_cast<double>(count);
    for (size_t i = 0; i < count; ++i)
      x[start + i] = (x[start + i] - mean) / std::sqrt(variance + epsilon);
  }
  return x;
}

TEST(Normalize, LayerNorm) {
  const std::vector<double> x = wave(24, 5), scale = wave(6, 1), bias = wave(6, 0.5);
  std::vector<double> expected = standardised(x, 6, 1e-5);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = expected[i] * scale[i % 6] + bias[i % 6];
  expectNear(evaluate(OpId::LayerNorm, LayerNormAttrs{1, 1e-5},
                      std::array{f32({4, 2, 3}, x), f32({2, 3}, scale), f32({2, 3}, bias)})
                 ->front(),
             expected, 1e-5);
}

TEST(Normalize, LayerNormOfHalfAndOfLargeNumbers) { // user-needs rows 61 and 64
  EXPECT_EQ(
      run(OpId::LayerNorm, LayerNormAttrs{0, 1e-5},
          {tensor(DType::F16, {4}, {-500, 500, -500, 500}), tensor(DType::F16, {}, {1}), tensor(DType::F16, {}, {0})}),
      "f16(4,): -1 1 -1 1");
  EXPECT_EQ(run(OpId::LayerNorm, LayerNormAttrs{0, 1e-5},
                {f32({8}, std::vector<double>(8, 8.5e37)), f32({}, {1}), f32({}, {3})}),
            "f32(8,): 3 3 3 3 3 3 3 3");
}

TEST(Normalize, InstanceNorm) {
  const std::vector<double> x = wave(2 * 3 * 8, 100);
  std::vector<double> expected = standardised(x, 8, 1e-3);
  const double scale[] = {1, 2, -1}, bias[] = {0, 5, 1};
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = expected[i] * scale[i / 8 % 3] + bias[i / 8 % 3];
  expectNear(evaluate(OpId::InstanceNorm, InstanceNormAttrs{1e-3},
                      std::array{f32({2, 3, 2, 4}, x), f32({3}, {1, 2, -1}), f32({3}, {0, 5, 1})})
                 ->front(),
             expected, 1e-4);
}

TEST(Normalize, InstanceNormOfManyElements) { // user-needs row 64: errors of naive sums grow with the count
  const int64_t count = 256 * 256;
  const std::vector<double> x = wave(count, 1000);
  std::vector<double> rounded;
  for (double v : x)
    rounded.push_back(static_cast<float>(v));
  expectNear(evaluate(OpId::InstanceNorm, InstanceNormAttrs{1e-5},
                      std::array{f32({1, 1, 256, 256}, x), f32({1}, {1}), f32({1}, {0})})
                 ->front(),
             standardised(rounded, static_cast<size_t>(count), 1e-5), 5e-5);
}

TEST(Normalize, BatchNorm) {
  EXPECT_EQ(
      run(OpId::BatchNorm, BatchNormAttrs{0},
          {f32({1, 2, 2}, {1, 2, 3, 4}), f32({2}, {2, 1}), f32({2}, {10, 20}), f32({2}, {1, 3}), f32({2}, {4, 1})}),
      "f32(1, 2, 2): 10 11 20 21");
  EXPECT_EQ(run(OpId::BatchNorm, BatchNormAttrs{0},
                {tensor(DType::F16, {1, 1}, {1000}), f32({1}, {1}), f32({1}, {0}), f32({1}, {0}), f32({1}, {4})}),
            "f16(1, 1): 500");
}

TEST(Normalize, Lrn) {
  const std::vector<double> x = wave(2 * 5 * 2, 1);
  std::vector<double> expected = x;
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t c = 0; c < 5; ++c)
      for (int64_t i = 0; i < 2; ++i) {
        double squares = 0;
        for (int64_t k = std::max<int64_t>(0, c - 1); k <= std::min<int64_t>(4, c + 2);
             ++k) // size 4: 1 before, 2 after
          squares += x[(n * 5 + k) * 2 + i] * x[(n * 5 + k) * 2 + i];
        expected[(n * 5 + c) * 2 + i] /= std::pow(1.5 + 0.2 / 4 * squares, 0.75);
      }
  expectNear(evaluate(OpId::Lrn, LrnAttrs{4, 0.2, 0.75, 1.5}, std::array{f32({2, 5, 2}, x)})->front(), expected, 1e-5);
}

TEST(Normalize, EmptyExtents) {
  EXPECT_EQ(run(OpId::LayerNorm, LayerNormAttrs{1, 1e-5}, {f32({0, 2}, {}), f32({2}, {1, 1}), f32({2}, {0, 0})}),
            "f32(0, 2): ");
  EXPECT_EQ(run(OpId::InstanceNorm, InstanceNormAttrs{1e-5}, {f32({1, 1, 0}, {}), f32({1}, {1}), f32({1}, {0})}),
            "f32(1, 1, 0): ");
}

TEST(Normalize, Types) {
  const TensorType c = type(DType::F32, {"8"});
  EXPECT_EQ(infer(OpId::LayerNorm, LayerNormAttrs{2, 1e-5}, {type(DType::F32, {"B", "S", "8"}), c, c}), "f32(B, S, 8)");
  EXPECT_EQ(infer(OpId::BatchNorm, BatchNormAttrs{1e-5}, {type(DType::F32, {"B", "8", "H", "W"}), c, c, c, c}),
            "f32(B, 8, H, W)");
  EXPECT_EQ(infer(OpId::InstanceNorm, InstanceNormAttrs{1e-5}, {type(DType::F16, {"B", "8", "H", "W"}), c, c}),
            "f16(B, 8, H, W)");
  EXPECT_EQ(infer(OpId::Lrn, LrnAttrs{5, 1, 1, 1}, {type(DType::F32, {"B", "C", "H", "W"})}), "f32(B, C, H, W)");
  EXPECT_NE(
      infer(OpId::BatchNorm, BatchNormAttrs{1e-5}, {type(DType::F32, {"B", "4", "W"}), c, c, c, c})
          .find("[batch_norm] x has shape (B, 4, W) but a parameter has shape (8): it needs one entry for each of "
                "the 4 channels (normalize.C2)"),
      std::string::npos);
  EXPECT_NE(
      infer(OpId::LayerNorm, LayerNormAttrs{1, 1e-5}, {type(DType::F32, {"B", "4"}), c, c}).find("(normalize.C2)"),
      std::string::npos);
  EXPECT_NE(
      infer(OpId::LayerNorm, LayerNormAttrs{1, 1e-5}, {type(DType::I32, {"B", "8"}), c, c}).find("(normalize.C1)"),
      std::string::npos);
}
