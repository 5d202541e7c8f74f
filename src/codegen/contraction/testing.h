// SPDX-License-Identifier: Apache-2.0
// For the contraction tests only: guarded buffers and tolerant comparison.
#pragma once
#include "codegen/contraction/harness.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <vector>

namespace pliant::codegen {

/// The targets that this processor can run, the widest first.
inline std::vector<TargetDescription> machines() { return runnable({"avx512", "avx2", "x86-64"}); }

template <class T> constexpr DType dtypeOf = sizeof(T) == 8 ? DType::F64 : DType::F32;

/// An array that ends at a page without access, so that a read or write beyond it faults, after a guard zone; outputs
/// start as NaN, so an element that is not written shows.
template <class T> struct Guarded {
  static constexpr int64_t zone = 80, page = 4096;
  int64_t size, mapped;
  unsigned char *memory;
  T *first;
  explicit Guarded(int64_t size) : size(size) {
    const int64_t bytes = (size + zone) * static_cast<int64_t>(sizeof(T));
    mapped = (bytes + page - 1) / page * page;
    memory = static_cast<unsigned char *>(
        mmap(nullptr, mapped + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory + mapped, page, PROT_NONE);
    first = reinterpret_cast<T *>(memory + mapped) - size;
    std::fill(first - zone, first, T(-12345.5));
    std::fill(first, first + size, static_cast<T>(std::nan("")));
  }
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;
  ~Guarded() { munmap(memory, mapped + page); }
  T *data() { return first; }
  T &operator[](int64_t i) { return first[i]; }
  bool intact() const {
    return std::all_of(first - zone, first, [](T x) { return x == T(-12345.5); });
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

} // namespace pliant::codegen
