// SPDX-License-Identifier: Apache-2.0
// What an expert writes by hand with intrinsics, one thread, for known f32 row-major buffers: the yardstick of the
// generated kernels.
#pragma once
#include <cstdint>

namespace pliant::bench::handwritten {

struct Loops {
  /// y[r, :] = softmax(x[r, :]); exp within 2 units in the last place.
  void (*softmax)(const float *x, float *y, int64_t rows, int64_t columns);
  /// y[r, :] = (x[r, :] - mean) / sqrt(variance + 1e-5) * scale + bias, variance in a pass of its own.
  void (*layerNorm)(const float *x, const float *scale, const float *bias, float *y, int64_t rows, int64_t columns);
  /// Here and below, `fused`: multiplications and additions are one operation, which rounds otherwise than what is
  /// recorded op by op (N1 of docs/semantics.md).
  void (*fusedLayerNorm)(const float *x, const float *scale, const float *bias, float *y, int64_t rows,
                         int64_t columns);
  /// y = max(x + bias, 0), the bias one number per column: as much memory traffic as an activation can have.
  void (*biasRelu)(const float *x, const float *bias, float *y, int64_t rows, int64_t columns);
  /// y = max(y * 0.9 + x, -1) five times, from y = x: each element is read once and written once.
  /// `streaming`: past the caches, which is faster where y does not fit into them; y lies at a multiple of 64 bytes.
  void (*chain)(const float *x, float *y, int64_t count, bool streaming);
  /// 10 operations in the place of 15.
  void (*fusedChain)(const float *x, float *y, int64_t count, bool streaming);
  /// y[c] = sum of x[:, c].
  void (*columnSum)(const float *x, float *y, int64_t rows, int64_t columns);
  /// y[c, r] = x[r, c], in squares that are turned in registers.
  void (*transpose)(const float *x, float *y, int64_t rows, int64_t columns);
  /// `count` rounds of independent chains of multiply-adds; nobody reads the result, which is kept alive.
  void (*multiplyAdds)(int64_t count);
  double operationsPerRound;
};

/// With AVX-512 where the processor has it, else AVX2; null on a processor without both.
const Loops *loops();

const Loops &avx512Loops(); ///< only for a processor with F, DQ, VL and BW
const Loops &avx2Loops();   ///< only for a processor with AVX2 and FMA

} // namespace pliant::bench::handwritten
