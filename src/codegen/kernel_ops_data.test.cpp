// SPDX-License-Identifier: Apache-2.0
// Kernels whose results depend on the data in extent or number, and those of regions and matrices, against the
// references.
#include "codegen/kernel_ops_testing.h"

using namespace pliant;
using namespace pliant::test;

namespace {

const DType all[] = {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I64, DType::I32, DType::I16,
                     DType::I8,  DType::U64, DType::U32, DType::U16,  DType::U8,  DType::Bool};

DenseTensor scalar(double value) {
  DenseTensor t = *DenseTensor::zeros(DType::F32, {});
  *t.as<float>() = static_cast<float>(value);
  return t;
}

} // namespace

TEST(NonZeroKernel, AllTypes) {
  std::mt19937 random(5);
  for (DType type : all)
    for (const Dims &dims : {Dims{2, 3, 4}, {1, 17, 1}, {0, 3, 2}}) {
      DenseTensor x = randomTensor(type, dims, random, true);
      int64_t count = 0;
      dispatch(type, [&]<class T>(Type<T>) {
        for (int64_t i = 0; i < x.size(); ++i) {
          if (i % 3)
            x.as<T>()[i] = static_cast<T>(0);
          count += static_cast<ComputeOf<T>>(x.as<T>()[i]) != 0;
        }
      });
      OneOp(OpId::NonZero, NonZeroAttrs{{count}}, {typed(type, {"A", "B", "C"})}).check({x});
    }
  OneOp(OpId::NonZero, NonZeroAttrs{{1}}, {typed(DType::F32, {})}).check({scalar(NAN)});
  OneOp wrong(OpId::NonZero, NonZeroAttrs{{1}}, {typed(DType::F32, {"A"})});
  EXPECT_NE(wrong.error({*DenseTensor::zeros(DType::F32, {3})}), "");
}

TEST(UniqueKernel, AllTypes) {
  std::mt19937 random(5);
  for (DType type : all)
    for (int64_t axis : {0, 1})
      for (bool sorted : {false, true}) {
        OneOp one(OpId::Unique, UniqueAttrs{axis, sorted}, {typed(type, {"A", "B"})});
        for (const Dims &dims : {Dims{1, 40}, {40, 1}, {9, 2}, {2, 9}, {0, 3}, {3, 0}, {1, 1}})
          one.check({randomTensor(type, dims, random, true)});
      }
}

TEST(NonMaxSuppressionKernel, Boxes) {
  std::mt19937 random(5);
  for (bool centred : {false, true})
    for (int64_t limit : {0, 1, 4, 100}) {
      OneOp one(OpId::NonMaxSuppression, NonMaxSuppressionAttrs{{limit}, centred},
                {typed(DType::F32, {"B", "N", "4"}), typed(DType::F32, {"B", "C", "N"}), typed(DType::F32, {}),
                 typed(DType::F32, {})});
      for (const Dims &d : {Dims{1, 30, 1}, {2, 17, 3}, {1, 1, 2}, {1, 0, 1}, {0, 3, 1}})
        for (double overlap : {0.1, 0.5}) {
          DenseTensor boxes = randomTensor(DType::F32, {d[0], d[1], 4}, random);
          DenseTensor scores = randomTensor(DType::F32, {d[0], d[2], d[1]}, random, true);
          for (int64_t i = 0; i < scores.size(); ++i) // a score of infinity is one like others, minus infinity is none
            if (std::isinf(scores.as<float>()[i]))
              scores.as<float>()[i] = 3;
          one.check({boxes, scores, scalar(overlap), scalar(-0.5)});
        }
    }
}

TEST(DetKernel, Matrices) {
  std::mt19937 random(5);
  for (DType type : {DType::F32, DType::F64, DType::F16, DType::BF16}) {
    OneOp one(OpId::Det, DetAttrs{}, {typed(type, {"B", "N", "N"})});
    for (int64_t n : {0, 1, 2, 3, 5, 8})
      one.check({randomTensor(type, {3, n, n}, random)}, type == DType::F64 ? 1e-10 : toleranceOf(type));
    one.check({*DenseTensor::zeros(type, {2, 3, 3})});
  }
}

TEST(RoiAlignKernel, Regions) {
  std::mt19937 random(5);
  for (DType type : {DType::F32, DType::F64, DType::F16})
    for (const char *mode : {"avg", "max"})
      for (bool halfPixel : {false, true})
        for (int64_t samples : {0, 1, 2}) {
          OneOp one(OpId::RoiAlign, RoiAlignAttrs{2, 3, samples, 0.5, halfPixel, mode},
                    {typed(type, {"N", "C", "H", "W"}), typed(type, {"R", "4"}), typed(DType::I64, {"R"})});
          DenseTensor regions = randomTensor(type, {5, 4}, random), images = *DenseTensor::zeros(DType::I64, {5});
          images.as<int64_t>()[3] = 1;
          dispatch(type, [&]<class T>(Type<T>) {
            for (int64_t i = 0; i < regions.size(); ++i)
              regions.as<T>()[i] =
                  static_cast<T>(6 * static_cast<double>(static_cast<ComputeOf<T>>(regions.as<T>()[i])));
          });
          for (const Dims &dims : {Dims{2, 3, 9, 7}, {2, 1, 1, 1}})
            one.check({randomTensor(type, dims, random), regions, images}, toleranceOf(type));
        }
  OneOp bad(OpId::RoiAlign, RoiAlignAttrs{1, 1, 1, 1, true, "avg"},
            {typed(DType::F32, {"N", "1", "H", "W"}), typed(DType::F32, {"R", "4"}), typed(DType::I64, {"R"})});
  DenseTensor image = *DenseTensor::zeros(DType::I64, {1});
  *image.as<int64_t>() = 2;
  EXPECT_NE(bad.error({*DenseTensor::zeros(DType::F32, {2, 1, 2, 2}), *DenseTensor::zeros(DType::F32, {1, 4}), image})
                .find("index 2 is out of range [-2, 2)"),
            std::string::npos);
}

TEST(ResizeByKernel, ScalesAndRegionsAtRunTime) {
  std::mt19937 random(5);
  auto factorsOf = [](const std::vector<double> &values) {
    DenseTensor t = *DenseTensor::zeros(DType::F64, {static_cast<int64_t>(values.size())});
    std::copy(values.begin(), values.end(), t.as<double>());
    return t;
  };
  for (const char *mode : {"nearest", "linear", "cubic"})
    for (const char *coordinates : {"half_pixel", "asymmetric", "align_corners", "tf_crop_and_resize"}) {
      const bool crops = std::string(coordinates) == "tf_crop_and_resize";
      ResizeByAttrs a{{2, 7, 5}, mode, coordinates, "round_prefer_floor", -0.75, false, 10};
      OneOp one(OpId::ResizeBy, a, {typed(DType::F32, {"N", "H", "W"}), typed(DType::F64, {crops ? "9" : "3"})});
      std::vector<double> factors{1, 0, 0.6};
      if (crops)
        factors.insert(factors.end(), {0, 0.25, -0.2, 1, 0.75, 1.2});
      for (const Dims &dims : {Dims{2, 4, 9}, {2, 1, 17}, {2, 15, 2}})
        one.check({randomTensor(DType::F32, dims, random), factorsOf(factors)}, 1e-6);
    }
}
