// SPDX-License-Identifier: Apache-2.0
// Packs constant weights into panels.
#include "runtime/pack.h"
#include <algorithm>
#include <cstring>
#include <vector>

namespace pliant {
namespace {

template <class T>
void packAs(const T *src, int64_t k, int64_t n, int64_t strideK, int64_t strideN, int64_t nr, T *dst) {
  // k in blocks, so that a transposed source is read in whole cache lines.
  constexpr int64_t block = 64;
  for (int64_t first = 0; first < n; first += nr, dst += nr * k) {
    const int64_t columns = std::min(nr, n - first);
    if (strideN == 1) { // rows lie together
      for (int64_t i = 0; i < k; ++i) {
        std::copy_n(src + i * strideK + first, columns, dst + i * nr);
        std::fill(dst + i * nr + columns, dst + (i + 1) * nr, T());
      }
      continue;
    }
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

template <class T> void packConvAs(const T *src, const ConvWeights &w, int64_t nr, T *dst) {
  for (int64_t g = 0; g < w.groups; ++g, src += w.strideGroup)
    for (int64_t first = 0; first < w.outPerGroup; first += nr) {
      const int64_t columns = std::min(nr, w.outPerGroup - first);
      for (int64_t tap = 0; tap < w.taps; ++tap)
        for (int64_t c = 0; c < w.inPerGroup; ++c, dst += nr) {
          for (int64_t j = 0; j < columns; ++j)
            dst[j] = src[(first + j) * w.strideOut + c * w.strideIn + tap * w.strideTap];
          std::fill(dst + columns, dst + nr, T());
        }
    }
}

template <class F> void withUnsigned(DType dtype, F body) {
  switch (byteSize(dtype)) {
  case 1:
    return body(uint8_t());
  case 2:
    return body(uint16_t());
  case 4:
    return body(uint32_t());
  case 8:
    return body(uint64_t());
  }
}

} // namespace

void packWeights(DType dtype, const void *src, int64_t k, int64_t n, int64_t strideK, int64_t strideN, int64_t nr,
                 void *dst) {
  withUnsigned(dtype, [&](auto zero) {
    using T = decltype(zero);
    packAs(static_cast<const T *>(src), k, n, strideK, strideN, nr, static_cast<T *>(dst));
  });
}

void packConvWeights(DType dtype, const void *src, const ConvWeights &weights, int64_t nr, void *dst) {
  withUnsigned(dtype, [&](auto zero) {
    using T = decltype(zero);
    packConvAs(static_cast<const T *>(src), weights, nr, static_cast<T *>(dst));
  });
}

void packWords(DType dtype, const void *src, const ConvWeights &w, int64_t nr, const WordPanels &panels, void *dst) {
  const auto *bytes = static_cast<const uint8_t *>(src);
  auto *to = static_cast<uint8_t *>(dst);
  const int64_t words = panels.words(w.inPerGroup);
  std::vector<int32_t> sums(static_cast<size_t>(nr));
  for (int64_t g = 0; g < w.groups; ++g, bytes += w.strideGroup)
    for (int64_t first = 0; first < w.outPerGroup; first += nr) {
      const int64_t columns = std::min(nr, w.outPerGroup - first), size = panels.panelBytes(nr, w.taps, w.inPerGroup);
      uint8_t *start = to + (panels.sums ? 4 * nr : 0);
      std::fill(to, to + size, uint8_t(0));
      std::fill(sums.begin(), sums.end(), 0);
      auto put = [&](int64_t tap, int64_t c, int64_t j) {
        const uint8_t byte = bytes[(first + j) * w.strideOut + tap * w.strideTap + c * w.strideIn];
        start[((tap * words + c / panels.group) * nr + j) * panels.group + c % panels.group] = byte;
        sums[static_cast<size_t>(j)] += dtype == DType::I8 ? static_cast<int8_t>(byte) : byte;
      };
      for (int64_t tap = 0; tap < w.taps; ++tap)
        if (w.strideOut < w.strideIn) // the source is read in its own order
          for (int64_t c = 0; c < w.inPerGroup; ++c)
            for (int64_t j = 0; j < columns; ++j)
              put(tap, c, j);
        else
          for (int64_t j = 0; j < columns; ++j)
            for (int64_t c = 0; c < w.inPerGroup; ++c)
              put(tap, c, j);
      if (panels.sums)
        std::memcpy(to, sums.data(), static_cast<size_t>(4 * nr));
      to += size;
    }
}

int64_t PackSpec::bytes(DType dtype) const {
  if (words.group == 1)
    return (isConv ? conv.packedElements(panel) : packedElements(k, n, panel)) * static_cast<int64_t>(byteSize(dtype));
  const int64_t columns = isConv ? conv.outPerGroup : n;
  return (isConv ? conv.groups : 1) * ((columns + panel - 1) / panel) *
         words.panelBytes(panel, isConv ? conv.taps : 1, isConv ? conv.inPerGroup : k);
}

void PackSpec::pack(DType dtype, const void *weight, void *dst) const {
  const auto *src = static_cast<const char *>(weight) + offset * static_cast<int64_t>(byteSize(dtype));
  if (words.group > 1)
    packWords(dtype, src, isConv ? conv : ConvWeights{1, k, n, 1, 0, strideN, strideK, 0}, panel, words, dst);
  else if (isConv)
    packConvWeights(dtype, src, conv, panel, dst);
  else
    packWeights(dtype, src, k, n, strideK, strideN, panel, dst);
}

} // namespace pliant
