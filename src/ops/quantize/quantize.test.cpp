// SPDX-License-Identifier: Apache-2.0
// Quantisation: halves to even, saturation, axes.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static std::string quantize(const DenseTensor &x, const DenseTensor &scale, const DenseTensor &zero, int64_t axis = 0) {
  return run(OpId::Quantize, QuantizeAttrs{axis}, {x, scale, zero});
}
static std::string dequantize(const DenseTensor &x, const DenseTensor &scale, const DenseTensor &zero,
                              int64_t axis = 0) {
  return run(OpId::Dequantize, DequantizeAttrs{axis}, {x, scale, zero});
}
static DenseTensor u8(const std::vector<int64_t> &dims, const std::vector<double> &v) {
  return tensor(DType::U8, dims, v);
}

TEST(Quantize, Values) {
  const DenseTensor x = f32({7}, {1, 3, 5, -1000, 1000, inf, -inf});
  EXPECT_EQ(quantize(x, f32({}, {2}), u8({}, {128})), "u8(7,): 128 130 130 0 255 255 0"); // 0.5 1.5 2.5 to even
  EXPECT_EQ(quantize(x, f32({1}, {2}), tensor(DType::I8, {1}, {-5})), "i8(7,): -5 -3 -3 -128 127 127 -128");
  EXPECT_EQ(quantize(f32({2}, {-40000, 40000}), f32({}, {1}), tensor(DType::I16, {}, {1})), "i16(2,): -32768 32767");
  EXPECT_EQ(quantize(tensor(DType::I32, {2}, {7, -8}), f32({}, {2}), u8({}, {10})), "u8(2,): 14 6");
  EXPECT_EQ(quantize(f32({2, 2}, {2, 2, 9, 9}), f32({2}, {1, 2}), u8({2}, {0, 1}), 1), "u8(2, 2): 2 2 9 5");
  EXPECT_EQ(quantize(f32({2, 2}, {2, 2, 9, 9}), f32({2}, {1, 2}), u8({2}, {0, 1}), 0), "u8(2, 2): 2 2 5 5");
}

TEST(Dequantize, Values) {
  EXPECT_EQ(dequantize(u8({3}, {0, 128, 255}), f32({}, {0.5}), u8({}, {128})), "f32(3,): -64 0 63.5");
  EXPECT_EQ(dequantize(tensor(DType::I8, {2}, {-128, 127}), f32({}, {1}), tensor(DType::I8, {}, {127})),
            "f32(2,): -255 0");
  EXPECT_EQ(dequantize(u8({2, 2}, {1, 2, 3, 4}), f32({2}, {1, 10}), u8({2}, {0, 1}), 0), "f32(2, 2): 1 2 20 30");
  EXPECT_EQ(dequantize(tensor(DType::I32, {1}, {100000}), tensor(DType::F16, {}, {0.25}), tensor(DType::I32, {}, {0})),
            "f16(1,): 24992"); // one rounding
}

TEST(Quantize, Types) {
  auto types = [](const TensorType &x, const TensorType &scale, const TensorType &zero, int64_t axis) {
    return infer(OpId::Quantize, QuantizeAttrs{axis}, {x, scale, zero});
  };
  const TensorType x = type(DType::F32, {"B", "C"});
  EXPECT_EQ(types(x, type(DType::F32, {"C"}), type(DType::I8, {"C"}), 1), "i8(B, C)");
  EXPECT_NE(types(x, type(DType::F32, {}), type(DType::I64, {}), 0).find("(quantize.C1)"), std::string::npos);
  EXPECT_NE(types(x, type(DType::F32, {"2"}), type(DType::I8, {"3"}), 0).find("(quantize.C2)"), std::string::npos);
  EXPECT_NE(types(x, type(DType::F32, {"2"}), type(DType::I8, {"2"}), 2).find("(quantize.C3)"), std::string::npos);
  EXPECT_NE(
      infer(OpId::Dequantize, DequantizeAttrs{0}, {type(DType::U8, {"B"}), type(DType::F32, {}), type(DType::I8, {})})
          .find("(quantize.C1)"),
      std::string::npos);
}
