// SPDX-License-Identifier: Apache-2.0
// The rounding of f32 and f64 to what f16 and bf16 hold, against the integer rounding of the references.
// PLIANT_SWEEP_STRIDE=1 takes all patterns of f32.
#include "codegen/pointwise_testing.h"
#include "ops/half.h"
#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>

namespace pliant::codegen {
namespace {

uint64_t stride() {
  const char *text = std::getenv("PLIANT_SWEEP_STRIDE");
  return text ? std::strtoull(text, nullptr, 10) : 4099;
}

TEST(Rounding, F32) {
  auto round = [](DType from, DType to) {
    return PointBody{{from}, to, [](PointEmitter &, llvm::ArrayRef<Value> x) -> Value { return x[0]; }};
  };
  for (const TargetDescription &target : testTargets()) {
    CompiledKernel kernel =
        compilePoints(target, 1, {round(DType::F32, DType::F16), round(DType::F32, DType::BF16)}, false);
    ASSERT_TRUE(kernel.function) << kernel.error;
    constexpr int64_t block = 1 << 12;
    std::vector<float> x(block), half(block), brain(block);
    const void *buffers[] = {x.data(), half.data(), brain.data()};
    for (uint64_t pattern = 0; pattern < uint64_t(1) << 32;) {
      int64_t n = 0;
      for (; n < block && pattern < uint64_t(1) << 32; pattern += stride())
        x[n++] = std::bit_cast<float>(static_cast<uint32_t>(pattern));
      kernel.function(buffers, nullptr, 0, n, nullptr);
      for (int64_t i = 0; i < n; ++i) {
        const auto h = std::bit_cast<uint32_t>(half[i]), b = std::bit_cast<uint32_t>(brain[i]);
        if (std::isnan(x[i])) { // still NaN when the low bits are cut off
          ASSERT_TRUE(std::isnan(std::bit_cast<float>(h & 0xffffe000)) && std::isnan(half[i]));
          ASSERT_TRUE(std::isnan(std::bit_cast<float>(b & 0xffff0000)) && std::isnan(brain[i]));
          continue;
        }
        ASSERT_EQ(h, std::bit_cast<uint32_t>(static_cast<float>(Half(x[i])))) << target.name << " f16 " << x[i];
        ASSERT_EQ(b, std::bit_cast<uint32_t>(static_cast<float>(BFloat(x[i])))) << target.name << " bf16 " << x[i];
      }
    }
  }
}

double halfOf(uint32_t bits) {
  Half half;
  half.bits = static_cast<uint16_t>(bits);
  return static_cast<float>(half);
}

TEST(Rounding, F64) {
  auto round = [](DType to) {
    return PointBody{{DType::F64}, to, [](PointEmitter &, llvm::ArrayRef<Value> x) -> Value { return x[0]; }};
  };
  for (const TargetDescription &target : testTargets()) {
    CompiledKernel kernel = compilePoints(target, 1, {round(DType::F16), round(DType::BF16)});
    ASSERT_TRUE(kernel.function) << kernel.error;
    std::vector<double> x;
    std::mt19937_64 generator(3);
    // Around every f16 and bf16 value and the midpoint after it, just off by the smallest steps of f32 and f64.
    for (uint32_t bits = 0; bits < 0x10000; ++bits)
      for (double v : {halfOf(bits), static_cast<double>(std::bit_cast<float>(bits << 16 | 0x8000)),
                       static_cast<double>(std::bit_cast<float>(bits << 16 | 0x7fff))}) {
        x.push_back(v);
        for (double factor :
             {1 + 0x1p-12, 1 - 0x1p-12, 1 + 0x1p-11, 1 + 0x1p-25, 1 - 0x1p-25, 1 + 0x1p-52, 1 - 0x1p-52})
          x.push_back(v * factor);
      }
    for (int i = 0; i < 300000; ++i)
      x.push_back(std::bit_cast<double>(generator()));
    std::vector<float> results[4];
    const void *buffers[] = {x.data(), nullptr, nullptr, nullptr, nullptr};
    for (int k = 0; k < 4; ++k)
      results[k].resize(x.size()), buffers[k + 1] = results[k].data();
    kernel.function(buffers, nullptr, 0, static_cast<int64_t>(x.size()), nullptr);
    for (size_t i = 0; i < x.size(); ++i)
      for (int k = 0; k < 4; ++k) {
        const float want = k < 2 ? static_cast<float>(Half(x[i])) : static_cast<float>(BFloat(x[i]));
        ASSERT_TRUE(std::isnan(want) ? std::isnan(results[k][i])
                                     : std::bit_cast<uint32_t>(want) == std::bit_cast<uint32_t>(results[k][i]))
            << target.name << " " << k << ": " << x[i] << " gives " << results[k][i] << " instead of " << want;
      }
  }
}

} // namespace
} // namespace pliant::codegen
