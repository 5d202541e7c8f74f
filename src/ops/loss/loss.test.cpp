// SPDX-License-Identifier: Apache-2.0
// Negative log likelihood: weights, ignored places, means.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static std::string nll(const std::vector<DenseTensor> &inputs, const std::string &reduction,
                       const std::vector<int64_t> &ignore = {}) {
  return run(OpId::NllLoss, NllLossAttrs{reduction, ignore}, inputs);
}

TEST(Loss, Values) {
  const DenseTensor x = f32({2, 3}, {-1, -2, -3, -4, -5, -6}), t = i64({2}, {2, 0}), w = f32({3}, {1, 10, 100});
  EXPECT_EQ(nll({x, t}, "none"), "f32(2,): 3 4");
  EXPECT_EQ(nll({x, t}, "sum"), "f32(): 7");
  EXPECT_EQ(nll({x, t}, "mean"), "f32(): 3.5");
  EXPECT_EQ(nll({x, t, w}, "none"), "f32(2,): 300 4");
  EXPECT_EQ(nll({x, t, w}, "mean"), "f32(): 3.0099"); // 304 / 101
  EXPECT_EQ(nll({x, t, w}, "mean", {2}), "f32(): 4");
  EXPECT_EQ(nll({x, t}, "mean", {0}), "f32(): 3");
}

TEST(Loss, IgnoredPlacesMayHoldAnything) {
  const DenseTensor x = f32({2, 2}, {-inf, -1, -2, -inf});
  EXPECT_EQ(nll({x, i64({2}, {-100, 0})}, "none", {-100}), "f32(2,): 0 2"); // outside the classes
  EXPECT_EQ(nll({x, i64({2}, {0, 0})}, "sum", {0}), "f32(): 0");            // infinite, but ignored
  EXPECT_EQ(nll({x, i64({2}, {0, 0})}, "mean", {0}), "f32(): nan");         // the mean over nothing
  EXPECT_NE(nll({x, i64({2}, {2, 0})}, "none").find("index 2"), std::string::npos);
}

TEST(Loss, PlacesAndTypes) {
  const DenseTensor x = f32({1, 2, 3}, {-1, -2, -3, -4, -5, -6});
  EXPECT_EQ(nll({x, tensor(DType::I32, {1, 3}, {0, 1, 0})}, "none"), "f32(1, 3): 1 5 3");
  auto types = [](const std::vector<std::string> &x, const TensorType &t, const char *reduction) {
    return infer(OpId::NllLoss, NllLossAttrs{reduction, {}}, {type(DType::F16, x), t});
  };
  EXPECT_EQ(types({"N", "C", "D"}, type(DType::I64, {"N", "D"}), "none"), "f16(N, D)");
  EXPECT_EQ(types({"N", "C", "D"}, type(DType::I64, {"N", "D"}), "sum"), "f16()");
  EXPECT_NE(types({"N"}, type(DType::I64, {}), "sum").find("(loss.C1)"), std::string::npos);
  EXPECT_NE(types({"N", "3"}, type(DType::F32, {"N"}), "sum").find("(loss.C2)"), std::string::npos);
  EXPECT_NE(types({"4", "3"}, type(DType::I64, {"5"}), "sum").find("(loss.C2)"), std::string::npos);
  EXPECT_NE(types({"N", "3"}, type(DType::I64, {"N"}), "max").find("(loss.C4)"), std::string::npos);
  EXPECT_NE(infer(OpId::NllLoss, NllLossAttrs{"sum", {}},
                  {type(DType::F32, {"N", "3"}), type(DType::I64, {"N"}), type(DType::F32, {"2"})})
                .find("(loss.C3)"),
            std::string::npos);
}
