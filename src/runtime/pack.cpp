// SPDX-License-Identifier: Apache-2.0
// Packs constant weights into panels.
#include "runtime/pack.h"
#include <algorithm>

namespace pliant {
namespace {

template <class T>
void packAs(const T *src, int64_t k, int64_t n, int64_t strideK, int64_t strideN, int64_t nr, T *dst) {
  // k in blocks, so that a transposed source is read in whole cache lines.
  constexpr int64_t block = 64;
  for (int64_t first = 0; first < n; first += nr, dst += nr * k) {
    const int64_t columns = std::min(nr, n - first);
    for (int64_t k0 = 0; k0 < k; k0 += block) {
      const int64_t k1 = std::min(k, k0 + block);
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = k0; i < k1; ++i)
          dst[i * nr + j] = src[i * strideK + (first + j) * strideN];
      for (int64_t i = k0; i < k1; ++i)
        std::fill(dst + i * nr + columns, dst + (i + 1) * nr, T());
    }
  }
}

} // namespace

void packWeights(DType dtype, const void *src, int64_t k, int64_t n, int64_t strideK, int64_t strideN, int64_t nr,
                 void *dst) {
  auto pack = [&](auto zero) {
    using T = decltype(zero);
    packAs(static_cast<const T *>(src), k, n, strideK, strideN, nr, static_cast<T *>(dst));
  };
  switch (byteSize(dtype)) {
  case 1:
    return pack(uint8_t());
  case 2:
    return pack(uint16_t());
  case 4:
    return pack(uint32_t());
  case 8:
    return pack(uint64_t());
  }
}

} // namespace pliant
