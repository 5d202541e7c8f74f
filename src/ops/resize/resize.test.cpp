// SPDX-License-Identifier: Apache-2.0
// Resize, with the vectors of the ONNX standard.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

namespace {
struct Case {
  std::vector<int64_t> sizes;
  std::vector<double> scales;
  const char *mode, *coordinates = "half_pixel", *rounding = "round_prefer_floor";
  double cubic = -0.75;
  bool excludeOutside = false;
  double extrapolation = 0;
  std::vector<double> roi = {};
};
} // namespace
static ResizeAttrs attrs(const Case &c) {
  return {Extents(c.sizes.begin(), c.sizes.end()),
          c.scales,
          c.mode,
          c.coordinates,
          c.rounding,
          c.cubic,
          c.excludeOutside,
          c.extrapolation,
          c.roi};
}
static std::string resize(const DenseTensor &x, const Case &c) { return run(OpId::Resize, attrs(c), {x}); }

TEST(Resize, Nearest) {
  const DenseTensor x = f32({1, 1, 2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(resize(x, {{1, 1, 4, 6}, {1, 1, 2, 3}, "nearest"}),
            "f32(1, 1, 4, 6): 1 1 1 2 2 2 1 1 1 2 2 2 3 3 3 4 4 4 3 3 3 4 4 4");
  EXPECT_EQ(resize(f32({4}, {1, 2, 3, 4}), {{2}, {0.6}, "nearest", "asymmetric", "ceil"}), "f32(2,): 1 3");
  EXPECT_EQ(resize(f32({4}, {1, 2, 3, 4}), {{2}, {0.6}, "nearest"}), "f32(2,): 1 3");
  EXPECT_EQ(resize(tensor(DType::I64, {2}, {9007199254740993.0, 7}), {{4}, {0}, "nearest", "asymmetric", "floor"}),
            "i64(4,): 9007199254740992 9007199254740992 7 7");
  // Without a scale, exact positions stay exact: 2 * 6 / 4 is 3.
  EXPECT_EQ(resize(f32({6}, {0, 1, 2, 3, 4, 5}), {{4}, {0}, "nearest", "asymmetric", "floor"}), "f32(4,): 0 1 3 4");
}

TEST(Resize, Linear) {
  const DenseTensor x = f32({1, 1, 2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(resize(x, {{1, 1, 4, 4}, {1, 1, 2, 2}, "linear"}),
            "f32(1, 1, 4, 4): 1 1.25 1.75 2 1.5 1.75 2.25 2.5 2.5 2.75 3.25 3.5 3 3.25 3.75 4");
  EXPECT_EQ(resize(f32({2}, {1, 2}), {{4}, {0}, "linear", "align_corners"}), "f32(4,): 1 1.33333 1.66667 2");
  // user-needs row 22: the formula with integer sizes.
  EXPECT_EQ(
      resize(f32({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), {{1, 1, 1, 2}, {1, 1, 0.6, 0.6}, "linear", "align_corners"}),
      "f32(1, 1, 1, 2): 1 4");
  EXPECT_EQ(resize(f32({2}, {inf, 1}), {{4}, {2}, "linear"}), "f32(4,): inf inf inf 1");
}

TEST(Resize, Cubic) {
  std::vector<double> values;
  for (int i = 1; i <= 16; ++i)
    values.push_back(i);
  const DenseTensor x = f32({4, 4}, values);
  const std::string plain = resize(x, {{8, 8}, {2, 2}, "cubic"});
  EXPECT_EQ(plain.substr(0, 75), "f32(8, 8): 0.472656 0.769531 1.24609 1.875 2.28125 2.91016 3.38672 3.68359 ");
  const std::string inside = resize(x, {{8, 8}, {2, 2}, "cubic", "half_pixel", "", -0.5, true});
  EXPECT_EQ(inside.substr(0, 77), "f32(8, 8): 0.558824 0.814942 1.35698 1.89706 2.39706 2.93714 3.47918 3.73529 ");
  // user-needs row 23: pytorch_half_pixel of length 1 is position 0.
  EXPECT_EQ(resize(x, {{1, 4}, {0, 0}, "cubic", "pytorch_half_pixel"}), "f32(1, 4): 1 2 3 4");
}

TEST(Resize, CropExtrapolates) {
  EXPECT_EQ(resize(f32({3}, {1, 2, 3}), {{3}, {0}, "linear", "tf_crop_and_resize", "", 0, false, 10, {0, 2}}),
            "f32(3,): 1 3 10");
  EXPECT_EQ(resize(f32({3}, {1, 2, 3}), {{1}, {0}, "linear", "tf_crop_and_resize", "", 0, false, 10, {0.5, 1}}),
            "f32(1,): 2.5");
  EXPECT_EQ(resize(f32({3}, {1, 2, 3}),
                   {{3}, {0}, "nearest", "tf_crop_and_resize", "round_prefer_floor", 0, false, 10, {-0.5, 1}}),
            "f32(3,): 10 1 3");
}

TEST(Resize, EmptyExtentsAndTypes) {
  EXPECT_EQ(resize(f32({0, 2}, {}), {{0, 4}, {0, 2}, "linear"}), "f32(0, 4): ");
  EXPECT_NE(resize(f32({0}, {}), {{2}, {0}, "linear"}).find("(resize.C4)"), std::string::npos);
  auto types = [](const ResizeAttrs &a, DType dtype) { return infer(OpId::Resize, a, {type(dtype, {"B", "W"})}); };
  ResizeAttrs a = attrs({{}, {0, 2}, "linear"});
  a.sizes = {Expr::symbol("B"), Expr::symbol("W") * 2};
  EXPECT_EQ(types(a, DType::F32), "f32(B, 2*W)");
  EXPECT_NE(types(a, DType::U8).find("(resize.C1)"), std::string::npos);
  a.scales = {2};
  EXPECT_NE(types(a, DType::F32).find("(resize.C2)"), std::string::npos);
  a.scales = {0, 2}, a.mode = "area";
  EXPECT_NE(types(a, DType::F32).find("(resize.C3)"), std::string::npos);
}
