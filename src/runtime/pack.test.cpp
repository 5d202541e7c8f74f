// SPDX-License-Identifier: Apache-2.0
#include "runtime/pack.h"
#include <gtest/gtest.h>
#include <vector>

using namespace pliant;

namespace {

/// By the definition in pack.h: dst[p][k][j] = src[k * strideK + (p * nr + j) * strideN], zero past n.
template <class T> void check(DType dtype, int64_t k, int64_t n, int64_t strideK, int64_t strideN, int64_t nr) {
  std::vector<T> src(static_cast<size_t>(std::max<int64_t>(1, k * strideK + n * strideN)));
  for (size_t i = 0; i < src.size(); ++i)
    src[i] = static_cast<T>(i * 7 + 1);
  std::vector<T> dst(static_cast<size_t>(packedElements(k, n, nr)) + 1, T(99));
  packWeights(dtype, src.data(), k, n, strideK, strideN, nr, dst.data());
  size_t at = 0;
  for (int64_t first = 0; first < n; first += nr)
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = first; j < first + nr; ++j, ++at)
        ASSERT_EQ(dst[at], j < n ? src[static_cast<size_t>(i * strideK + j * strideN)] : T(0))
            << "k " << i << ", n " << j << " of " << k << " x " << n << ", strides " << strideK << " " << strideN;
  EXPECT_EQ(at + 1, dst.size());
  EXPECT_EQ(dst.back(), T(99)) << "written past the end";
}

} // namespace

TEST(Pack, RowsColumnsAndBothStrides) {
  for (int64_t k : {0, 1, 3, 64, 65, 130})
    for (int64_t n : {0, 1, 15, 16, 17, 48, 50})
      for (int64_t nr : {1, 16, 48}) {
        check<float>(DType::F32, k, n, n, 1, nr);      // row-major
        check<float>(DType::F32, k, n, n + 3, 1, nr);  // part of larger rows
        check<float>(DType::F32, k, n, 1, k, nr);      // transposed
        check<double>(DType::F64, k, n, 2 * n, 2, nr); // every other column
        check<uint8_t>(DType::U8, k, n, n, 1, nr);
      }
}
