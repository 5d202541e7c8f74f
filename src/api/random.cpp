// SPDX-License-Identifier: Apache-2.0
#include "pliant/random.h"
#include "api/record.h"
#include "pliant/functions.h"
#include <cmath>
#include <numbers>

namespace pliant {

using api::Access;
using api::At;
using api::raise;
using api::record;

namespace {

/// Two tensors of random bits, u64 of the shape.
std::array<Tensor, 2> bits(uint64_t key, uint64_t first, const Shape &shape, Site site) {
  const int64_t count = api::checked(elementCount(shape), site);
  const auto steps = record(IotaAttrs{{Expr(count)}, DType::U64}, {}, site);
  const auto start = Access::scalar(DType::U64, Operand(first, site)),
             seed = Access::scalar(DType::U64, Operand(key, site));
  auto counters = record(AddAttrs{}, {steps.get(), start.get()}, site);
  counters = record(ReshapeAttrs{Extents(shape.begin(), shape.end())}, {counters.get()}, site);
  const std::array<trace::Node *, 2> operands{counters.get(), seed.get()};
  return api::recordedAll<2>(PhiloxAttrs{}, operands, site);
}

Tensor u64(uint64_t value, At at) { return Access::make(Access::scalar(DType::U64, at(value))); }

Tensor as(DType dtype, const Tensor &x, At at) { return x.dtype() == dtype ? x : cast(at(x), dtype); }

/// In [0, 1), from as many of the upper bits as the type's significand has: more would be rounded, to 1 among others.
Tensor unit(const Tensor &bits, DType dtype, At at) {
  const int digits = dtype == DType::F64 ? 53 : dtype == DType::F16 ? 11 : dtype == DType::BF16 ? 8 : 24;
  const Tensor places = u64(static_cast<uint64_t>(64 - digits), at), fraction = shiftRight(at(bits), at(places));
  const Tensor whole = as(dtype == DType::F64 ? DType::F64 : DType::F32, fraction, at);
  return as(dtype, at(whole) * at(std::ldexp(1.0, -digits)), at);
}

void checkFloat(const char *op, DType dtype, Site site) {
  if (!isFloat(dtype))
    raise(op, "random numbers of " + std::string(name(dtype)) + ": a float type is needed", site);
}

/// The upper half of the 128-bit product.
Tensor upperProduct(const Tensor &x, uint64_t factor, At at) {
  const Tensor half = u64(32, at), mask = u64(0xffffffff, at);
  auto upper = [&](const Tensor &each) { return shiftRight(at(each), at(half)); };
  auto lower = [&](const Tensor &each) { return bitAnd(at(each), at(mask)); };
  auto product = [&](const Tensor &a, const Tensor &b) { return mul(at(a), at(b)); };
  auto total = [&](const Tensor &a, const Tensor &b) { return add(at(a), at(b)); };
  const Tensor high = upper(x), low = lower(x);
  const Tensor factorHigh = u64(factor >> 32, at), factorLow = u64(factor & 0xffffffff, at);
  const Tensor middle = total(product(high, factorLow), upper(product(low, factorLow)));
  const Tensor cross = total(product(low, factorHigh), lower(middle));
  return total(total(product(high, factorHigh), upper(middle)), upper(cross));
}

} // namespace

Tensor Generator::uniform(Shape shape, DType dtype, Site site) {
  checkFloat("uniform", dtype, site);
  const auto random = bits(key, counter, shape, site);
  counter += static_cast<uint64_t>(random[0].size());
  return unit(random[0], dtype, At{site});
}

Tensor Generator::normal(Shape shape, DType dtype, Site site) {
  checkFloat("normal", dtype, site);
  const auto random = bits(key, counter, shape, site);
  counter += static_cast<uint64_t>(random[0].size());
  const DType wide = dtype == DType::F64 ? DType::F64 : DType::F32;
  const At at{site};
  const Tensor first = unit(random[0], wide, at), second = unit(random[1], wide, at);
  const Tensor positive = at(1.0) - at(first); // in (0, 1]: its log is finite
  const Tensor logarithm = log(at(positive)), squared = at(logarithm) * at(-2.0), radius = sqrt(at(squared));
  const Tensor angle = at(second) * at(2 * std::numbers::pi), direction = cos(at(angle));
  return as(dtype, at(radius) * at(direction), at);
}

Tensor Generator::integers(Shape shape, int64_t low, int64_t high, Site site) {
  if (low >= high)
    raise("integers", "no integer lies in [" + std::to_string(low) + ", " + std::to_string(high) + ")", site);
  const auto random = bits(key, counter, shape, site);
  counter += static_cast<uint64_t>(random[0].size());
  const At at{site};
  const Tensor below = upperProduct(random[0], static_cast<uint64_t>(high) - static_cast<uint64_t>(low), at);
  return at(as(DType::I64, below, at)) + at(low);
}

Tensor Generator::bernoulli(Shape shape, double p, Site site) {
  if (!(p >= 0 && p <= 1))
    raise("bernoulli", "the probability " + std::to_string(p) + " is not in [0, 1]", site);
  const Tensor drawn = uniform(std::move(shape), DType::F64, site);
  const At at{site};
  return less(at(drawn), at(p));
}

Tensor Generator::permutation(int64_t n, Site site) {
  const auto random = bits(key, counter, {n}, site);
  counter += static_cast<uint64_t>(n);
  return topK(At{site}(random[0]), {n}, 0, false)[1];
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
