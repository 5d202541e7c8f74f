// SPDX-License-Identifier: Apache-2.0
#include "pliant/random.h"
#include "api/record.h"
#include "pliant/functions.h"
#include <cmath>
#include <numbers>

namespace pliant {

using api::Access;
using api::raise;
using api::record;

namespace {

/// Two tensors of random bits, u64 of the shape.
std::array<Tensor, 2> bits(uint64_t key, uint64_t first, const Shape &shape, Site site) {
  const int64_t count = api::checked(elementCount(shape));
  const auto steps = record(IotaAttrs{{Expr(count)}, DType::U64}, {}, site);
  const auto start = Access::scalar(DType::U64, Operand(first)), seed = Access::scalar(DType::U64, Operand(key));
  auto counters = record(AddAttrs{}, {steps.get(), start.get()}, site);
  counters = record(ReshapeAttrs{Extents(shape.begin(), shape.end())}, {counters.get()}, site);
  const std::array<trace::Node *, 2> operands{counters.get(), seed.get()};
  return api::recordedAll<2>(PhiloxAttrs{}, operands, site);
}

Tensor u64(uint64_t value) { return Access::make(Access::scalar(DType::U64, Operand(value))); }

/// In [0, 1), from the upper bits.
Tensor unit(const Tensor &bits, DType dtype) {
  const bool single = dtype != DType::F64;
  const Tensor fraction = shiftRight(bits, u64(single ? 40 : 11));
  const Tensor number = cast(fraction, single ? DType::F32 : DType::F64) * (single ? 0x1p-24 : 0x1p-53);
  return number.dtype() == dtype ? number : cast(number, dtype);
}

void checkFloat(const char *op, DType dtype, Site site) {
  if (!isFloat(dtype))
    raise(op, "random numbers of " + std::string(name(dtype)) + ": a float type is needed", site);
}

/// The upper half of the 128-bit product.
Tensor upperProduct(const Tensor &x, uint64_t factor) {
  const Tensor half = u64(32), mask = u64(0xffffffff);
  const Tensor high = shiftRight(x, half), low = bitAnd(x, mask);
  const Tensor factorHigh = u64(factor >> 32), factorLow = u64(factor & 0xffffffff);
  const Tensor middle = mul(high, factorLow) + shiftRight(mul(low, factorLow), half);
  const Tensor cross = mul(low, factorHigh) + bitAnd(middle, mask);
  return mul(high, factorHigh) + shiftRight(middle, half) + shiftRight(cross, half);
}

} // namespace

Tensor Generator::uniform(Shape shape, DType dtype, Site site) {
  checkFloat("uniform", dtype, site);
  const auto random = bits(key, counter, shape, site);
  counter += static_cast<uint64_t>(random[0].size());
  return unit(random[0], dtype);
}

Tensor Generator::normal(Shape shape, DType dtype, Site site) {
  checkFloat("normal", dtype, site);
  const auto random = bits(key, counter, shape, site);
  counter += static_cast<uint64_t>(random[0].size());
  const DType wide = dtype == DType::F64 ? DType::F64 : DType::F32;
  const Tensor radius = sqrt(log(1.0 - unit(random[0], wide)) * -2.0); // of (0, 1]: log is finite
  const Tensor number = radius * cos(unit(random[1], wide) * (2 * std::numbers::pi));
  return number.dtype() == dtype ? number : cast(number, dtype);
}

Tensor Generator::integers(Shape shape, int64_t low, int64_t high, Site site) {
  if (low >= high)
    raise("integers", "no integer lies in [" + std::to_string(low) + ", " + std::to_string(high) + ")", site);
  const auto random = bits(key, counter, shape, site);
  counter += static_cast<uint64_t>(random[0].size());
  const Tensor below = upperProduct(random[0], static_cast<uint64_t>(high) - static_cast<uint64_t>(low));
  return cast(below, DType::I64) + low;
}

Tensor Generator::bernoulli(Shape shape, double p, Site site) {
  if (!(p >= 0 && p <= 1))
    raise("bernoulli", "the probability " + std::to_string(p) + " is not in [0, 1]", site);
  return less(uniform(std::move(shape), DType::F64, site), p);
}

Tensor Generator::permutation(int64_t n, Site site) {
  const auto random = bits(key, counter, {n}, site);
  counter += static_cast<uint64_t>(n);
  return topK(random[0], {n}, 0, false)[1];
}

Generator Generator::fork() {
  // A key from the last block of the stream, which numbers drawn by position do not reach.
  uint32_t word[4] = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0xffffffff, 0xffffffff};
  uint32_t k[2] = {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t(0xd2511f53) * word[0], second = uint64_t(0xcd9e8d57) * word[2];
    const uint32_t next[4] = {static_cast<uint32_t>(second >> 32) ^ word[1] ^ k[0], static_cast<uint32_t>(second),
                              static_cast<uint32_t>(first >> 32) ^ word[3] ^ k[1], static_cast<uint32_t>(first)};
    std::copy(next, next + 4, word);
    k[0] += 0x9e3779b9;
    k[1] += 0xbb67ae85;
  }
  ++counter;
  return Generator(word[0] | static_cast<uint64_t>(word[1]) << 32);
}

} // namespace pliant
