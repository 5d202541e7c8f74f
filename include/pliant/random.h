// SPDX-License-Identifier: Apache-2.0
// Random numbers by counters: the i-th number of a stream is a function of key and i (Philox4x32-10, Salmon et al.
// 2011), so it does not depend on cuts, threads or machines, and one program serves all seeds.
#pragma once
#include "pliant/tensor.h"

namespace pliant {

class Generator {
public:
  explicit Generator(uint64_t seed) : key(seed) {}

  /// In [0, 1), from as many bits as the type's significand has: 53 for f64, 24 for f32, 11 for f16, 8 for bf16.
  Tensor uniform(Shape shape, DType dtype = DType::F32, Site site = std::source_location::current());
  /// Of mean 0 and variance 1 (Box and Muller).
  Tensor normal(Shape shape, DType dtype = DType::F32, Site site = std::source_location::current());
  /// i64 in [low, high), which must not be empty. By a 64-bit multiplication: no number is more frequent than another
  /// by more than one part in 2^64 / (high - low).
  Tensor integers(Shape shape, int64_t low, int64_t high, Site site = std::source_location::current());
  /// True with probability p.
  Tensor bernoulli(Shape shape, double p, Site site = std::source_location::current());
  /// 0, 1, ..., n - 1 in an order of which each is equally likely.
  Tensor permutation(int64_t n, Site site = std::source_location::current());

  /// A stream of its own, which depends on this one's seed and position only.
  Generator fork();
  uint64_t seed() const { return key; }
  uint64_t position() const { return counter; } ///< numbers drawn
  void seek(uint64_t position) { counter = position; }

private:
  uint64_t key, counter = 0;
};

} // namespace pliant
