// SPDX-License-Identifier: Apache-2.0
// Packs constant weights into the panels the contraction kernels read: [panel][k][nr], zero padded to nr columns.
#pragma once
#include "support/dtype.h"
#include <cstdint>

namespace pliant {

/// Elements of a packed K x N matrix.
constexpr int64_t packedElements(int64_t k, int64_t n, int64_t nr) { return (n + nr - 1) / nr * nr * k; }

/// dst[p][k][j] = src[k * strideK + (p * nr + j) * strideN]; the element type may be any of 1, 2, 4 or 8 bytes.
void packWeights(DType dtype, const void *src, int64_t k, int64_t n, int64_t strideK, int64_t strideN, int64_t nr,
                 void *dst);

} // namespace pliant
