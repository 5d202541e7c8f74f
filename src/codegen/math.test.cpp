// SPDX-License-Identifier: Apache-2.0
// Sweeps of the math functions against libm in the next wider type. PLIANT_SWEEP_STRIDE=1 sweeps all 2^32 patterns of
// f32; the default takes a coprime stride. PLIANT_SWEEP_TIME=1 also prints nanoseconds per element in cache.
#include "codegen/math.h"
#include "codegen/pointwise_testing.h"
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>

namespace pliant::codegen {
namespace {

struct Function {
  const char *name;
  Number (*emit)(Number);
  double (*real)(double);
  long double (*wide)(long double);
  double ulp32, ulp64; ///< allowed
};

double sigmoidOf(double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
long double sigmoidOf(long double x) { return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x)); }
double nearbyOf(double x) { return std::nearbyint(x); }

#define FUNCTION(name, ulp32, ulp64)                                                                                   \
  Function { #name, name, std::name, std::name, ulp32, ulp64 }
const Function functions[] = {
    FUNCTION(exp, 2, 2),
    FUNCTION(log, 2, 2),
    FUNCTION(tanh, 2, 4),
    FUNCTION(erf, 2, 4),
    {"sigmoid", sigmoid, sigmoidOf, sigmoidOf, 2, 4},
    FUNCTION(sin, 2, 3),
    FUNCTION(cos, 2, 3),
    FUNCTION(tan, 2, 4),
    FUNCTION(asin, 2, 3),
    FUNCTION(acos, 2, 3),
    FUNCTION(atan, 2, 3),
    FUNCTION(sinh, 2, 4),
    FUNCTION(cosh, 2, 4),
    FUNCTION(asinh, 2, 4),
    FUNCTION(acosh, 2, 4),
    FUNCTION(atanh, 2, 4),
    FUNCTION(floor, 0, 0),
    FUNCTION(ceil, 0, 0),
    {"round_even", roundEven, nearbyOf, std::nearbyint, 0, 0},
};

/// Distance of `got` from the exact value in units of the last place there; NaN, infinity and zeros must be the same.
template <class T, class Wide> double ulps(T got, Wide want) {
  const T nearest = static_cast<T>(want);
  if (got == nearest && std::signbit(got) == std::signbit(nearest)) // the usual case, fast
    return got == want ? 0 : 0.5;
  if (std::isnan(got) || std::isnan(want))
    return std::isnan(got) && std::isnan(want) ? 0 : 1e9;
  if (std::signbit(got) != std::signbit(want) || std::isinf(got) || std::isinf(want)) {
    if (std::isinf(got) && std::isinf(want))
      return std::signbit(got) == std::signbit(want) ? 0 : 1e9;
    if (got == 0 && nearest == 0)
      return std::signbit(got) == std::signbit(nearest) ? 0 : 1e9;
    if (std::isinf(got) != std::isinf(nearest) && !std::isinf(want)) { // next to overflow
      const Wide top = std::numeric_limits<T>::max();
      return std::fabs(want) > top * (1 - Wide(4) * std::numeric_limits<T>::epsilon()) &&
                     std::signbit(got) == std::signbit(want)
                 ? 1
                 : 1e9;
    }
    return std::isinf(got) && std::isinf(nearest) && std::signbit(got) == std::signbit(want) ? 0 : 1e9;
  }
  int exponent;
  std::frexp(want, &exponent);
  const Wide last =
      std::ldexp(Wide(1), std::max(exponent - std::numeric_limits<T>::digits,
                                   std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits));
  return static_cast<double>(std::fabs(static_cast<Wide>(got) - want) / last);
}

struct Worst {
  double ulp = 0, at = 0, got = 0, want = 0;
  template <class T, class Wide> void take(T x, T y, Wide want) {
    const double u = ulps(y, want);
    if (u > ulp)
      *this = {u, static_cast<double>(x), static_cast<double>(y), static_cast<double>(want)};
  }
};

uint64_t stride() {
  const char *text = std::getenv("PLIANT_SWEEP_STRIDE");
  return text ? std::strtoull(text, nullptr, 10) : 20011;
}

double nsPerElement(const CompiledKernel &kernel, const void *x, void *y, int64_t n) {
  const void *buffers[] = {x, y};
  double best = 1e9;
  for (int repeat = 0; repeat < 200; ++repeat) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i)
      kernel.function(buffers, nullptr, 0, n, nullptr);
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / (10.0 * static_cast<double>(n)));
  }
  return best;
}

PointBody bodyOf(const Function &f, DType type) {
  return {{type}, type, [&f](PointEmitter &p, llvm::ArrayRef<Value> x) -> Value { return f.emit({p, x[0]}); }};
}

class Sweep : public testing::TestWithParam<size_t> {};

TEST_P(Sweep, F32) {
  const Function &f = functions[GetParam()];
  for (const TargetDescription &target : testTargets()) {
    CompiledKernel kernel = compilePoints(target, 1, {bodyOf(f, DType::F32)});
    ASSERT_TRUE(kernel.function) << kernel.error;
    constexpr int64_t block = 1 << 12;
    std::vector<float> x(block), y(block), z(block);
    const void *buffers[] = {x.data(), y.data(), z.data()};
    Worst worst;
    const uint64_t step = target.name == "host" ? stride() : std::max<uint64_t>(stride(), 101);
    const uint32_t special[] = {0, 1, 0x7fffff, 0x800000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x3f800000, 0x3f000000};
    for (uint64_t pattern = 0; pattern < uint64_t(1) << 32;) {
      int64_t n = 0;
      for (uint32_t bits : special) // NaN, infinities, ends of the ranges, both signs
        for (uint32_t sign : {0u, 0x80000000u})
          x[n++] = std::bit_cast<float>(bits | sign);
      for (; n < block && pattern < uint64_t(1) << 32; pattern += step)
        x[n++] = std::bit_cast<float>(static_cast<uint32_t>(pattern));
      kernel.function(buffers, nullptr, 0, n, nullptr);
      for (int64_t i = 0; i < n; ++i) {
        worst.take(x[i], y[i], f.real(x[i]));
        ASSERT_TRUE(std::bit_cast<uint32_t>(y[i]) == std::bit_cast<uint32_t>(z[i]) || std::isnan(y[i]))
            << "vector and scalar differ at " << x[i] << ": " << y[i] << ", " << z[i];
      }
    }
    // Without fused multiply-adds one ulp more.
    EXPECT_LE(worst.ulp, f.ulp32 + (target.fma || f.ulp32 == 0 ? 0 : 1))
        << f.name << " on " << target.name << " at " << worst.at << ": " << worst.got << " instead of " << worst.want;
    std::cout << f.name << " f32 " << target.name << ": " << worst.ulp << " ulp at " << worst.at;
    if (std::getenv("PLIANT_SWEEP_TIME")) {
      CompiledKernel alone =
          compilePoints(target, 1, {bodyOf(f, DType::F32)}, false, true, std::getenv("PLIANT_SWEEP_ASM"));
      std::cout << alone.assembly;
      for (int64_t i = 0; i < block; ++i)
        x[i] = static_cast<float>(i % 1021 + 1) / 512;
      std::cout << ", " << nsPerElement(alone, x.data(), y.data(), block) << " ns";
    }
    std::cout << "\n";
  }
}

TEST_P(Sweep, F64) {
  const Function &f = functions[GetParam()];
  constexpr int64_t block = 1 << 12;
  const int64_t blocks = static_cast<int64_t>(std::max<uint64_t>(1, (uint64_t(1) << 20) / stride()));
  for (const TargetDescription &target : testTargets()) {
    CompiledKernel kernel = compilePoints(target, 1, {bodyOf(f, DType::F64)});
    ASSERT_TRUE(kernel.function) << kernel.error;
    std::vector<double> x(block), y(block), z(block);
    const void *buffers[] = {x.data(), y.data(), z.data()};
    Worst worst;
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> uniform(-8, 8);
    const double special[] = {0, INFINITY, NAN, 5e-324, 2e-308, 1e-300, 1e-17, 1, 0.5, 2, 709.7, 745.2, 1.7e308, 1e22};
    for (int64_t round = 0; round < blocks; ++round) {
      for (int64_t i = 0; i < block; ++i) {
        const double u = uniform(generator);
        x[i] = i % 4 == 0 ? std::bit_cast<double>(generator()) : i % 4 == 1 ? u : i % 4 == 2 ? u / 8 : u * 100;
      }
      for (size_t i = 0; i < std::size(special); ++i)
        x[2 * i] = special[i], x[2 * i + 1] = -special[i];
      kernel.function(buffers, nullptr, 0, block, nullptr);
      for (int64_t i = 0; i < block; ++i) {
        worst.take(x[i], y[i], f.wide(static_cast<long double>(x[i])));
        ASSERT_TRUE(std::bit_cast<uint64_t>(y[i]) == std::bit_cast<uint64_t>(z[i]) || std::isnan(y[i]))
            << "vector and scalar differ at " << x[i] << ": " << y[i] << ", " << z[i];
      }
    }
    EXPECT_LE(worst.ulp, f.ulp64 + (target.fma || f.ulp64 == 0 ? 0 : 1))
        << f.name << " on " << target.name << " at " << worst.at << ": " << worst.got << " instead of " << worst.want;
    std::cout << f.name << " f64 " << target.name << ": " << worst.ulp << " ulp at " << worst.at;
    if (std::getenv("PLIANT_SWEEP_TIME")) {
      CompiledKernel alone = compilePoints(target, 1, {bodyOf(f, DType::F64)}, false, true);
      for (int64_t i = 0; i < block; ++i)
        x[i] = static_cast<double>(i % 1021 + 1) / 512;
      std::cout << ", " << nsPerElement(alone, x.data(), y.data(), block / 2) << " ns";
    }
    std::cout << "\n";
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Sweep, testing::Range<size_t>(0, std::size(functions)),
                         [](const testing::TestParamInfo<size_t> &info) {
                           return std::string(functions[info.param].name);
                         });

/// Two operands: special values crossed, then random ones of moderate and of any size.
template <class T> std::pair<std::vector<T>, std::vector<T>> pairs(int64_t random) {
  const T least = std::numeric_limits<T>::denorm_min(), top = std::numeric_limits<T>::max();
  const T special[] = {0, 1, 2, 3, 0.5, 1.5, 7, 1e10f, least, std::numeric_limits<T>::min(), top, INFINITY, NAN};
  std::vector<T> x, y;
  for (T a : special)
    for (T b : special)
      for (int signs = 0; signs < 4; ++signs)
        x.push_back(signs & 1 ? -a : a), y.push_back(signs & 2 ? -b : b);
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<T> uniform(-40, 40);
  for (int64_t i = 0; i < random; ++i) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const bool wild = i % 4 == 3, small = i % 4 == 1;
    x.push_back(wild ? std::bit_cast<T>(static_cast<Bits>(generator())) : std::fabs(uniform(generator)));
    y.push_back(wild && i % 8 == 7 ? std::bit_cast<T>(static_cast<Bits>(generator()))
                : small            ? std::round(uniform(generator))
                                   : uniform(generator));
    if (i % 16 == 2) // near 1, large exponents
      x.back() = 1 + x.back() / 1000, y.back() *= 500;
  }
  return {x, y};
}

template <class T, class Wide>
void checkPairs(Number (*emit)(Number, Number), Wide (*real)(Wide, Wide), double allowed) {
  const DType type = sizeof(T) == 4 ? DType::F32 : DType::F64;
  PointBody body{{type, type}, type, [&](PointEmitter &p, llvm::ArrayRef<Value> x) -> Value {
                   return emit({p, x[0]}, {p, x[1]});
                 }};
  for (const TargetDescription &target : testTargets()) {
    CompiledKernel kernel = compilePoints(target, 2, {body});
    ASSERT_TRUE(kernel.function) << kernel.error;
    auto [x, y] = pairs<T>(200000);
    std::vector<T> z(x.size()), s(x.size());
    const void *buffers[] = {x.data(), y.data(), z.data(), s.data()};
    kernel.function(buffers, nullptr, 0, static_cast<int64_t>(x.size()), nullptr);
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double u = ulps(z[i], real(x[i], y[i]));
      ASSERT_LE(u, allowed) << target.name << " at " << x[i] << ", " << y[i] << ": " << z[i] << " instead of "
                            << static_cast<double>(real(x[i], y[i]));
      ASSERT_LE(ulps(s[i], real(x[i], y[i])), allowed);
      worst = std::max(worst, u);
    }
    std::cout << name(type) << " " << target.name << ": " << worst << " ulp\n";
  }
}

TEST(MathPairs, PowF32) { checkPairs<float, double>(pow, std::pow, 2); }
TEST(MathPairs, PowF64) { checkPairs<double, long double>(pow, std::pow, 2); }
TEST(MathPairs, FmodF32) { checkPairs<float, double>(fmod, std::fmod, 0); }
TEST(MathPairs, FmodF64) { checkPairs<double, long double>(fmod, std::fmod, 0); }

} // namespace
} // namespace pliant::codegen
