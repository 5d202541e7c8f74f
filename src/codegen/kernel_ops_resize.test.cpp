// SPDX-License-Identifier: Apache-2.0
// Kernels of resize against the reference: modes, coordinates, layouts.
#include "codegen/kernel_ops_testing.h"

using namespace pliant;
using namespace pliant::test;

namespace {

Extents sizes(const std::vector<std::string> &text) {
  Extents list;
  for (const std::string &size : text)
    list.push_back(*Expr::parse(size));
  return list;
}
struct Place {
  std::vector<std::string> x, out;
  std::vector<double> scales;
  std::vector<Dims> runs;
};
const Place places[] = {
    {{"W"}, {"2*W"}, {2}, {{1}, {7}, {150}}},
    {{"W"}, {"W"}, {0}, {{0}, {1}, {2049}}},
    {{"N", "C", "H", "W"}, {"N", "C", "2*H", "3*W"}, {1, 1, 2, 3}, {{1, 2, 0, 3}, {2, 1, 1, 1}, {1, 3, 11, 50}}},
    {{"N", "C", "H", "W"}, {"N", "C", "13", "5"}, {0, 0, 0, 0}, {{1, 2, 3, 7}, {0, 2, 3, 7}, {2, 1, 40, 17}}},
    {{"N", "H", "W", "C"}, {"N", "2*H", "2*W", "C"}, {0, 2, 2, 0}, {{2, 3, 5, 1}, {1, 9, 65, 17}, {1, 2, 2, 83}}},
    {{"N", "H", "W", "C"}, {"N", "7", "3", "C"}, {1, 0.7, 0.35, 1}, {{1, 10, 9, 15}, {1, 10, 9, 0}}},
    {{"A", "B", "C", "D"}, {"2", "3", "4", "5"}, {0, 0, 0, 0}, {{1, 3, 2, 9}, {2, 2, 2, 2}}},
    {{"A", "B", "C"}, {"4", "B", "5"}, {0, 0, 0}, {{2, 3, 4}, {5, 1, 9}}},
};

void run(const std::string &mode, const std::string &coordinates, const std::string &rounding, DType type,
         bool exclude = false, const char *target = "host") {
  std::mt19937 random(3);
  for (const Place &place : places) {
    ResizeAttrs a{sizes(place.out), place.scales, mode, coordinates, rounding, -0.75, exclude, 7.5, {}};
    if (coordinates == "tf_crop_and_resize") {
      a.roi.assign(2 * place.x.size(), 0);
      for (size_t i = 0; i < place.x.size(); ++i) {
        const bool changed = place.x[i] != place.out[i];
        a.roi[i] = changed ? 0.125 : 0;
        a.roi[place.x.size() + i] = changed ? 1.25 : 1;
      }
    }
    OneOp one(OpId::Resize, a, {typed(type, place.x)}, target);
    for (const Dims &dims : place.runs)
      one.check({randomTensor(type, dims, random, mode == "nearest")}, 4 * toleranceOf(type));
  }
}

const char *coordinateNames[] = {"half_pixel",         "asymmetric",         "align_corners",
                                 "pytorch_half_pixel", "tf_crop_and_resize", "tf_half_pixel_for_nn"};

} // namespace

TEST(ResizeKernel, Nearest) {
  for (const char *coordinates : coordinateNames)
    for (const char *rounding : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})
      run("nearest", coordinates, rounding, DType::F32);
  for (DType type : {DType::F64, DType::F16, DType::I64, DType::U8, DType::Bool})
    for (const char *coordinates : {"asymmetric", "tf_crop_and_resize"})
      run("nearest", coordinates, "floor", type);
}
TEST(ResizeKernel, Linear) {
  for (const char *coordinates : coordinateNames)
    run("linear", coordinates, "", DType::F32);
  for (DType type : {DType::F64, DType::F16, DType::BF16})
    run("linear", "half_pixel", "", type);
  run("linear", "half_pixel", "", DType::F32, true);
}
TEST(ResizeKernel, Cubic) {
  for (const char *coordinates : {"half_pixel", "tf_crop_and_resize"})
    for (bool exclude : {false, true})
      run("cubic", coordinates, "", DType::F32, exclude);
  run("cubic", "align_corners", "", DType::F64);
}
TEST(ResizeKernel, InfinityTimesNothing) {
  OneOp one(OpId::Resize, ResizeAttrs{sizes({"2*W"}), {2}, "linear", "asymmetric", "", 0, false, 0, {}},
            {typed(DType::F32, {"W"})});
  DenseTensor x = *DenseTensor::zeros(DType::F32, {40});
  x.as<float>()[1] = INFINITY;
  one.check({x});
}
TEST(ResizeKernel, NothingToGive) {
  OneOp one(OpId::Resize, ResizeAttrs{sizes({"4"}), {0}, "linear", "half_pixel", "", 0, false, 0, {}},
            {typed(DType::F32, {"W"})});
  EXPECT_NE(one.error({*DenseTensor::zeros(DType::F32, {0})}), "");
}
TEST(ResizeKernel, NarrowTargets) {
  for (const char *target : {"avx2", "x86-64"}) {
    run("nearest", "asymmetric", "floor", DType::F32, false, target);
    run("linear", "half_pixel", "", DType::F32, false, target);
  }
}
