// SPDX-License-Identifier: Apache-2.0
// Sampling at places: interpolation, padding, odd coordinates.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

/// A row of four numbers read at coordinates.
static std::string sample(const std::vector<double> &at, const char *mode, const char *padding, bool align = false) {
  const std::string y = run(OpId::GridSample, GridSampleAttrs{mode, padding, align},
                            {f32({1, 1, 4}, {10, 20, 30, 40}), f32({1, int64_t(at.size()), 1}, at)});
  return y.find(": ") == std::string::npos ? y : y.substr(y.find(": ") + 2);
}

TEST(GridSample, Values) {
  EXPECT_EQ(sample({-0.75, 0, 0.75, -1, 1}, "linear", "zeros"), "10 25 40 5 20");
  EXPECT_EQ(sample({-1, 0, 1}, "linear", "zeros", true), "10 25 40");
  EXPECT_EQ(sample({-9, -1, 1, 9}, "linear", "border"), "10 10 40 40");
  EXPECT_EQ(sample({-1.75, 1.5}, "linear", "reflection"), "20 35"); // -2 is 1 across -0.5; 4.5 is 2.5
  EXPECT_EQ(sample({-2, 1.5}, "linear", "reflection", true), "25 32.5");
  EXPECT_EQ(sample({-0.5, 0, 0.5, 3}, "nearest", "zeros"), "10 30 30 0"); // 0.5, 1.5, 2.5 to even
  EXPECT_EQ(sample({0}, "cubic", "zeros"), "25");
  EXPECT_EQ(sample({-0.75, 0.75}, "cubic", "border"), "10 40");
}

TEST(GridSample, OddCoordinates) {
  EXPECT_EQ(sample({NaN, inf, -inf, 1e30}, "linear", "zeros"), "0 0 0 0");
  EXPECT_EQ(sample({NaN, inf, -inf}, "linear", "border"), "10 40 10");
  EXPECT_EQ(sample({NaN, inf}, "nearest", "border"), "10 40");
}

TEST(GridSample, AxesAndTypes) {
  // Innermost first: (1, -1) is the last column of the first row.
  const DenseTensor x = f32({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(run(OpId::GridSample, GridSampleAttrs{"nearest", "border", true}, {x, f32({1, 1, 1, 2}, {1, -1})}),
            "f32(1, 1, 1, 1): 3");
  EXPECT_EQ(run(OpId::GridSample, GridSampleAttrs{"nearest", "border", true},
                {tensor(DType::U8, {1, 1, 2}, {7, 9}), f32({1, 1, 1}, {1})}),
            "u8(1, 1, 1): 9");
  auto types = [](const TensorType &x, const TensorType &grid, const char *mode) {
    return infer(OpId::GridSample, GridSampleAttrs{mode, "zeros", false}, {x, grid});
  };
  const TensorType image = type(DType::F16, {"B", "3", "H", "W"}), grid = type(DType::F32, {"B", "h", "w", "2"});
  EXPECT_EQ(types(image, grid, "cubic"), "f16(B, 3, h, w)");
  EXPECT_NE(types(type(DType::U8, {"B", "3", "W"}), type(DType::F32, {"B", "w", "1"}), "linear").find("grid_sample.C1"),
            std::string::npos);
  EXPECT_NE(types(image, type(DType::F32, {"B", "h", "w", "3"}), "linear").find("grid_sample.C2"), std::string::npos);
  EXPECT_NE(
      types(type(DType::F32, {"2", "3", "W"}), type(DType::F32, {"3", "w", "1"}), "linear").find("grid_sample.C3"),
      std::string::npos);
  EXPECT_NE(types(image, grid, "area").find("grid_sample.C4"), std::string::npos);
}
