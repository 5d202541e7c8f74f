// SPDX-License-Identifier: Apache-2.0
// Conversions: saturation, wrap, one rounding, contents.
#include "ops/ops.test.h"

using namespace pliant;
using namespace pliant::test;

static std::string cast(const DenseTensor &x, DType to) { return run(OpId::Cast, CastAttrs{to}, {x}); }

TEST(Cast, Values) {
  const DenseTensor wild = f32({5}, {3e9, -3e9, NaN, inf, -1.9});
  EXPECT_EQ(cast(wild, DType::I32), "i32(5,): 2147483647 -2147483648 0 2147483647 -1");
  EXPECT_EQ(cast(wild, DType::U8), "u8(5,): 255 0 0 255 0");
  EXPECT_EQ(cast(wild, DType::Bool), "bool(5,): 1 1 1 1 1");
  EXPECT_EQ(cast(tensor(DType::F64, {2}, {9.3e18, -9.3e18}), DType::I64),
            "i64(2,): 9223372036854775807 -9223372036854775808");
  EXPECT_EQ(cast(i64({2}, {300, -1}), DType::U8), "u8(2,): 44 255");
  EXPECT_EQ(cast(tensor(DType::Bool, {2}, {1, 0}), DType::F32), "f32(2,): 1 0");
}

TEST(Cast, HalvesRoundOnce) {
  // Above the tie between 2048 and 2050, but f32 would round to the tie first.
  EXPECT_EQ(cast(tensor(DType::F64, {1}, {2049.0000000001}), DType::F16), "f16(1,): 2050");
  EXPECT_EQ(cast(f32({5}, {65519, 65520, 5.9604645e-8, 2.9802322e-8, NaN}), DType::F16),
            "f16(5,): 65504 inf 5.96046e-08 0 nan");
  EXPECT_EQ(cast(f32({3}, {1.00390625, 1.01171875, -inf}), DType::BF16), "bf16(3,): 1 1.01562 -inf");
  // 2^60 + 2^52 is the tie of bf16; the 1 above it is lost in f64.
  DenseTensor big = i64({1}, {0});
  *big.as<int64_t>() = (int64_t(1) << 60) + (int64_t(1) << 52) + 1;
  EXPECT_EQ(cast(big, DType::BF16), "bf16(1,): 1.16193e+18");
  for (uint32_t bits = 0; bits < 0x10000; ++bits) { // every half and bf16 survives the way to f32 and back
    Half half;
    BFloat bfloat;
    half.bits = bfloat.bits = static_cast<uint16_t>(bits);
    if (!std::isnan(static_cast<float>(half)))
      ASSERT_EQ(Half(static_cast<double>(static_cast<float>(half))).bits, bits);
    if (!std::isnan(static_cast<float>(bfloat)))
      ASSERT_EQ(BFloat(static_cast<double>(static_cast<float>(bfloat))).bits, bits);
  }
}

TEST(Cast, TypesAndContents) {
  EXPECT_EQ(infer(OpId::Cast, CastAttrs{DType::F16}, {type(DType::I64, {"B", "0"})}), "f16(B, 0)");
  EXPECT_EQ(contentOf(OpId::Cast, CastAttrs{DType::I32}, {Known(DType::I64, {"S", "7"})}), "(S, 7)");
  EXPECT_EQ(contentOf(OpId::Cast, CastAttrs{DType::I64}, {Known(DType::I32, {"S"})}), "(S)");
  EXPECT_EQ(contentOf(OpId::Cast, CastAttrs{DType::I32}, {Known(DType::I64, {"4294967297"})}), "(1)");
  EXPECT_EQ(contentOf(OpId::Cast, CastAttrs{DType::U8}, {Known(DType::I64, {"S"})}), "unknown");
  EXPECT_EQ(contentOf(OpId::Cast, CastAttrs{DType::Bool}, {Known(DType::I64, {"S+1", "0"})}), "(1, 0)");
}
