// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

TEST(Softmax, Values) {
  const double e = std::exp(1.0), total = 1 + e + e * e;
  const DenseTensor x = f32({3}, {1000, 1001, 1002}); // would overflow without the shift
  DenseTensor y = evaluate(OpId::Softmax, SoftmaxAttrs{0}, std::array{x})->front();
  DenseTensor z = evaluate(OpId::LogSoftmax, LogSoftmaxAttrs{0}, std::array{x})->front();
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(y.as<float>()[i], std::pow(e, i) / total, 1e-7);
    EXPECT_NEAR(z.as<float>()[i], i - std::log(total), 1e-6);
  }
  EXPECT_EQ(run(OpId::Softmax, SoftmaxAttrs{0}, {f32({2, 2}, {0, -inf, 0, 5})}), "f32(2, 2): 0.5 0 0.5 1");
  EXPECT_EQ(run(OpId::Softmax, SoftmaxAttrs{1}, {f32({1, 2}, {NaN, 5})}), "f32(1, 2): nan nan");
  EXPECT_EQ(run(OpId::Softmax, SoftmaxAttrs{1}, {f32({2, 0}, {})}), "f32(2, 0): ");
}

TEST(Softmax, HalfIsComputedInF32) {
  // 4096 equal elements: the sum of exps is 4096 exactly, far beyond where f16 counts by ones.
  DenseTensor y =
      evaluate(OpId::Softmax, SoftmaxAttrs{0}, std::array{tensor(DType::F16, {4096}, std::vector<double>(4096, 1))})
          ->front();
  EXPECT_EQ(y.dtype(), DType::F16);
  EXPECT_EQ(float(y.as<Half>()[17]), 1.0f / 4096);
}

TEST(Softmax, Types) {
  EXPECT_EQ(infer(OpId::Softmax, SoftmaxAttrs{1}, {type(DType::BF16, {"B", "S"})}), "bf16(B, S)");
  EXPECT_EQ(infer(OpId::LogSoftmax, LogSoftmaxAttrs{0}, {type(DType::F32, {"B", "2*S+1"})}), "f32(B, 2*S+1)");
  EXPECT_NE(infer(OpId::Softmax, SoftmaxAttrs{2}, {type(DType::F32, {"B", "S"})})
                .find("[softmax] axis 2 is outside x of shape (B, S) (softmax.C2)"),
            std::string::npos);
  EXPECT_NE(infer(OpId::LogSoftmax, LogSoftmaxAttrs{0}, {type(DType::I32, {"B"})}).find("(softmax.C1)"),
            std::string::npos);
}
