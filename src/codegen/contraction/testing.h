// SPDX-License-Identifier: Apache-2.0
// For the contraction tests only: guarded buffers and tolerant comparison.
#pragma once
#include "codegen/contraction/harness.h"
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace pliant::codegen {

template <class T> constexpr DType dtypeOf = sizeof(T) == 8 ? DType::F64 : DType::F32;

/// An array between two guard zones; outputs start as NaN, so an element that is not written shows.
template <class T> struct Guarded {
  static constexpr int64_t zone = 80;
  std::vector<T> memory;
  int64_t size;
  explicit Guarded(int64_t size) : memory(size + 2 * zone, std::nan("")), size(size) {
    for (int64_t i = 0; i < zone; ++i)
      memory[i] = memory[zone + size + i] = T(-12345.5);
  }
  T *data() { return memory.data() + zone; }
  T &operator[](int64_t i) { return memory[zone + i]; }
  bool intact() const {
    for (int64_t i = 0; i < zone; ++i)
      if (memory[i] != T(-12345.5) || memory[zone + size + i] != T(-12345.5))
        return false;
    return true;
  }
  void fillRandom(unsigned seed) {
    std::minstd_rand generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int64_t i = 0; i < size; ++i)
      (*this)[i] = static_cast<T>(uniform(generator));
  }
};

/// Scratch that reports a write beyond the bytes the formula promised.
struct GuardedScratch {
  std::vector<unsigned char> memory;
  unsigned char *base;
  int64_t bytes;
  explicit GuardedScratch(int64_t bytes) : memory(bytes + 4096, 0xA5), bytes(bytes) {
    base = reinterpret_cast<unsigned char *>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
  }
  bool intact() const {
    for (const unsigned char *p = base + bytes; p < memory.data() + memory.size(); ++p)
      if (*p != 0xA5)
        return false;
    return true;
  }
};

/// The rule of section 8: |a-b| <= 1e-4 |b| + 1e-5 max|b|, with tighter factors for f64.
template <class T>::testing::AssertionResult agree(Guarded<T> &got, const std::vector<double> &want) {
  double largest = 0;
  for (double w : want)
    largest = std::max(largest, std::abs(w));
  const double relative = sizeof(T) == 8 ? 1e-12 : 1e-5, absolute = sizeof(T) == 8 ? 1e-13 : 3e-6;
  for (size_t i = 0; i < want.size(); ++i)
    if (!(std::abs(got[i] - want[i]) <= relative * std::abs(want[i]) + absolute * largest))
      return ::testing::AssertionFailure() << "element " << i << ": " << got[i] << " instead of " << want[i];
  if (!got.intact())
    return ::testing::AssertionFailure() << "a guard zone was written";
  return ::testing::AssertionSuccess();
}

} // namespace pliant::codegen
