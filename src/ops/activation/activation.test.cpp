// SPDX-License-Identifier: Apache-2.0
// Activations against double formulas, in f32 and f16.
#include "ops/ops.test.h"
#include <functional>

using namespace pliant;
using namespace pliant::test;

static const std::vector<double> points = {-90, -20, -5, -2.5, -1, -0.5, -0.25, 0, 0.25, 0.5, 1, 2.5, 5, 20, 90};

static void expectFormula(OpId op, const Attrs &attrs, const std::function<double(double)> &formula) {
  const auto count = static_cast<int64_t>(points.size());
  const std::array x{f32({count}, points)}, half{tensor(DType::F16, {count}, points)};
  Result<std::vector<DenseTensor>> y = evaluate(op, attrs, x), z = evaluate(op, attrs, half);
  ASSERT_TRUE(y) << y.error().text();
  ASSERT_TRUE(z) << z.error().text();
  ASSERT_EQ(z->front().dtype(), DType::F16);
  for (int64_t i = 0; i < count; ++i) {
    const double expected = formula(points[i]);
    EXPECT_NEAR(y->front().as<float>()[i], expected, 2e-7 + std::fabs(expected) * 1e-6)
        << info(op).name << " at " << points[i];
    EXPECT_NEAR(float(z->front().as<Half>()[i]), expected, 1e-6 + std::fabs(expected) * 6e-4) // half an ulp of f16
        << info(op).name << " of f16 at " << points[i];
  }
  EXPECT_EQ(infer(op, attrs, {type(DType::BF16, {"B", "2*S"})}), "bf16(B, 2*S)");
  EXPECT_NE(infer(op, attrs, {type(DType::I32, {"B"})}).find("(activation.C1)"), std::string::npos);
  EXPECT_EQ(run(op, attrs, {f32({0, 2}, {})}), "f32(0, 2): ");
}

TEST(Activation, Formulas) {
  auto logistic = [](double v) { return 1 / (1 + std::exp(-v)); };
  auto hard = [](double v) { return std::max(0.0, std::min(1.0, v)); };
  auto unit = [](double v, double alpha) { return v > 0 ? v : alpha * std::expm1(v); };
  expectFormula(OpId::HardSigmoid, HardSigmoidAttrs{0.2, 0.5}, [&](double v) { return hard(0.2 * v + 0.5); });
  expectFormula(OpId::HardSwish, HardSwishAttrs{}, [&](double v) { return v * hard(v / 6 + 0.5); });
  expectFormula(OpId::Elu, EluAttrs{1}, [&](double v) { return unit(v, 1); });
  expectFormula(OpId::Elu, EluAttrs{0.5}, [&](double v) { return unit(v, 0.5); });
  expectFormula(OpId::Selu, SeluAttrs{1.67, 1.05}, [&](double v) { return 1.05 * unit(v, 1.67); });
  expectFormula(OpId::Celu, CeluAttrs{2}, [&](double v) { return v > 0 ? v : 2 * std::expm1(v / 2); });
  expectFormula(OpId::LeakyRelu, LeakyReluAttrs{0.01}, [](double v) { return v >= 0 ? v : 0.01 * v; });
  expectFormula(OpId::LeakyRelu, LeakyReluAttrs{-2}, [](double v) { return v >= 0 ? v : -2 * v; });
  expectFormula(OpId::ThresholdedRelu, ThresholdedReluAttrs{0.5}, [](double v) { return v > 0.5 ? v : 0; });
  expectFormula(OpId::Softplus, SoftplusAttrs{}, [](double v) { return v > 30 ? v : std::log1p(std::exp(v)); });
  expectFormula(OpId::Softsign, SoftsignAttrs{}, [](double v) { return v / (1 + std::fabs(v)); });
  expectFormula(OpId::Mish, MishAttrs{}, [](double v) { return v * std::tanh(v > 30 ? v : std::log1p(std::exp(v))); });
  expectFormula(OpId::Gelu, GeluAttrs{false}, [](double v) { return 0.5 * v * (1 + std::erf(v / std::sqrt(2.0))); });
  expectFormula(OpId::Gelu, GeluAttrs{true},
                [&](double v) { return v * logistic(2 * std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)); });
  expectFormula(OpId::Shrink, ShrinkAttrs{0.25, 0.75}, [](double v) {
    return v < -0.75 ? v + 0.25 : v > 0.75 ? v - 0.25 : 0;
  });
}

TEST(Activation, InfinityAndNan) {
  const DenseTensor x = f32({3}, {-inf, inf, NaN});
  EXPECT_EQ(run(OpId::Softplus, SoftplusAttrs{}, {x}), "f32(3,): 0 inf nan");
  EXPECT_EQ(run(OpId::Elu, EluAttrs{2}, {x}), "f32(3,): -2 inf nan");
  EXPECT_EQ(run(OpId::LeakyRelu, LeakyReluAttrs{0.5}, {x}), "f32(3,): -inf inf nan");
  EXPECT_EQ(run(OpId::LeakyRelu, LeakyReluAttrs{0}, {f32({2}, {inf, NaN})}), "f32(2,): inf nan");
  EXPECT_EQ(run(OpId::HardSigmoid, HardSigmoidAttrs{0.2, 0.5}, {x}), "f32(3,): 0 1 nan");
  EXPECT_EQ(run(OpId::ThresholdedRelu, ThresholdedReluAttrs{1}, {x}), "f32(3,): 0 inf 0");
}

TEST(Activation, PreluOfIntegers) {
  const DenseTensor x = i64({2, 2}, {-3, 2, 0, -1}), slope = i64({2}, {2, -5});
  EXPECT_EQ(run(OpId::Prelu, PreluAttrs{}, {x, slope}), "i64(2, 2): -6 2 0 5");
}

TEST(Activation, PreluSlopeBroadcasts) {
  EXPECT_EQ(run(OpId::Prelu, PreluAttrs{}, {f32({1, 2, 2}, {-1, 2, -3, 4}), f32({2, 1}, {0.5, 10})}),
            "f32(1, 2, 2): -0.5 2 -30 4");
  EXPECT_NE(infer(OpId::Prelu, PreluAttrs{}, {type(DType::F32, {"B", "4"}), type(DType::F32, {"3"})})
                .find("slope has shape (3) which does not broadcast to (B, 4)"),
            std::string::npos);
}
