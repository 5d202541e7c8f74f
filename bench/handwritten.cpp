// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX-512 as a whole: includes nothing whose inline functions other files might share.
#include "handwritten.h"
#include <immintrin.h>

namespace pliant::bench::handwritten {

bool supported() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("fma");
}

namespace {

constexpr int64_t w = 16;

__mmask16 below(int64_t count) { return static_cast<__mmask16>(count >= w ? 0xffff : (1u << count) - 1); }

/// e^x for x <= 0 (and NaN): n ln 2 + r, a polynomial in r, and a scaling that reaches denormals.
__m512 exp(__m512 x) {
  x = _mm512_max_ps(_mm512_set1_ps(-110.f), x);
  const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(0x1.715476p0f)), 8);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.62e4p-1f), x);
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.7f7d1cp-20f), r);
  __m512 q = _mm512_set1_ps(0x1.6ac81ap-10f);
  q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(0x1.123deap-7f));
  q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(0x1.555858p-5f));
  q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(0x1.55548cp-3f));
  q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(0x1.fffffcp-2f));
  q = _mm512_fmadd_ps(_mm512_mul_ps(r, r), q, r);
  return _mm512_scalef_ps(_mm512_add_ps(q, _mm512_set1_ps(1)), n);
}

/// Walks a row in steps of four vectors, then one, then a masked one: body(at, slot, mask), slot 0 to 3.
template <class Body> inline __attribute__((always_inline)) void along(int64_t columns, Body body) {
  int64_t c = 0;
  for (; c + 4 * w <= columns; c += 4 * w)
#pragma clang loop unroll(full)
    for (int s = 0; s < 4; ++s)
      body(c + s * w, s, __mmask16(0xffff));
  for (; c + w <= columns; c += w)
    body(c, 0, __mmask16(0xffff));
  if (c < columns)
    body(c, 0, below(columns - c));
}

__m512 sumOf(const __m512 *v) { return _mm512_add_ps(_mm512_add_ps(v[0], v[1]), _mm512_add_ps(v[2], v[3])); }

} // namespace

void softmax(const float *x, float *y, int64_t rows, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row, x += columns, y += columns) {
    __m512 top[4];
    for (__m512 &t : top)
      t = _mm512_set1_ps(-__builtin_inff());
    along(columns, [&](int64_t c, int s, __mmask16 m) {
      top[s] = _mm512_mask_max_ps(top[s], m, top[s], _mm512_maskz_loadu_ps(m, x + c));
    });
    const __m512 most = _mm512_set1_ps(
        _mm512_reduce_max_ps(_mm512_max_ps(_mm512_max_ps(top[0], top[1]), _mm512_max_ps(top[2], top[3]))));
    __m512 sum[4] = {};
    along(columns, [&](int64_t c, int s, __mmask16 m) {
      const __m512 e = exp(_mm512_sub_ps(_mm512_maskz_loadu_ps(m, x + c), most));
      _mm512_mask_storeu_ps(y + c, m, e);
      sum[s] = _mm512_mask_add_ps(sum[s], m, sum[s], e);
    });
    const __m512 factor = _mm512_set1_ps(1 / _mm512_reduce_add_ps(sumOf(sum)));
    along(columns, [&](int64_t c, int, __mmask16 m) {
      _mm512_mask_storeu_ps(y + c, m, _mm512_mul_ps(_mm512_maskz_loadu_ps(m, y + c), factor));
    });
  }
}

void layerNorm(const float *x, const float *scale, const float *bias, float *y, int64_t rows, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row, x += columns, y += columns) {
    __m512 sum[4] = {};
    along(columns,
          [&](int64_t c, int s, __mmask16 m) { sum[s] = _mm512_add_ps(sum[s], _mm512_maskz_loadu_ps(m, x + c)); });
    const float count = static_cast<float>(columns);
    const __m512 mean = _mm512_set1_ps(_mm512_reduce_add_ps(sumOf(sum)) / count);
    __m512 squares[4] = {};
    along(columns, [&](int64_t c, int s, __mmask16 m) {
      const __m512 d = _mm512_maskz_sub_ps(m, _mm512_maskz_loadu_ps(m, x + c), mean);
      squares[s] = _mm512_fmadd_ps(d, d, squares[s]);
    });
    const float variance = _mm512_reduce_add_ps(sumOf(squares)) / count;
    const __m512 factor = _mm512_set1_ps(1 / __builtin_sqrtf(variance + 1e-5f));
    along(columns, [&](int64_t c, int, __mmask16 m) {
      const __m512 d = _mm512_mul_ps(_mm512_sub_ps(_mm512_maskz_loadu_ps(m, x + c), mean), factor);
      _mm512_mask_storeu_ps(
          y + c, m, _mm512_fmadd_ps(d, _mm512_maskz_loadu_ps(m, scale + c), _mm512_maskz_loadu_ps(m, bias + c)));
    });
  }
}

void biasRelu(const float *x, const float *bias, float *y, int64_t rows, int64_t columns) {
  const __m512 zero = _mm512_setzero_ps();
  for (int64_t row = 0; row < rows; ++row, x += columns, y += columns)
    along(columns, [&](int64_t c, int, __mmask16 m) {
      const __m512 v = _mm512_add_ps(_mm512_maskz_loadu_ps(m, x + c), _mm512_maskz_loadu_ps(m, bias + c));
      _mm512_mask_storeu_ps(y + c, m, _mm512_max_ps(v, zero));
    });
}

namespace {

template <class Store>
inline __attribute__((always_inline)) void chainInto(const float *x, int64_t count, Store store) {
  const __m512 factor = _mm512_set1_ps(0.9f), least = _mm512_set1_ps(-1);
  along(count, [&](int64_t c, int, __mmask16 m) {
    const __m512 v = _mm512_maskz_loadu_ps(m, x + c);
    __m512 sum = v;
#pragma clang loop unroll(full)
    for (int k = 0; k < 5; ++k)
      sum = _mm512_max_ps(_mm512_fmadd_ps(sum, factor, v), least);
    store(c, m, sum);
  });
}

} // namespace

void chain(const float *x, float *y, int64_t count, bool streaming) {
  if (!streaming)
    return chainInto(x, count, [&](int64_t c, __mmask16 m, __m512 v) { _mm512_mask_storeu_ps(y + c, m, v); });
  const int64_t whole = count / w * w;
  chainInto(x, whole, [&](int64_t c, __mmask16, __m512 v) { _mm512_stream_ps(y + c, v); });
  chain(x + whole, y + whole, count - whole, false);
  _mm_sfence();
}

/// In blocks of rows that are summed before their sums are, as ours (rule N2): one sum of a column in one piece is off
/// by more than results may differ.
void columnSum(const float *x, float *y, int64_t rows, int64_t columns) {
  constexpr int64_t panel = 4096, block = 512;
  float part[panel];
  for (int64_t first = 0; first < columns; first += panel) {
    const int64_t width = columns - first < panel ? columns - first : panel;
    for (int64_t c = 0; c < width; ++c)
      y[first + c] = 0;
    for (int64_t top = 0; top < rows; top += block) {
      const int64_t bottom = top + block < rows ? top + block : rows;
      for (int64_t c = 0; c < width; ++c)
        part[c] = 0;
      auto add = [&](int64_t row, auto count) { // so many rows at a time, and the sums pass through L1 once for them
        along(width, [&](int64_t c, int, __mmask16 m) {
          __m512 sum = _mm512_maskz_loadu_ps(m, part + c);
#pragma clang loop unroll(full)
          for (int64_t r = 0; r < count(); ++r)
            sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(m, x + (row + r) * columns + first + c));
          _mm512_mask_storeu_ps(part + c, m, sum);
        });
      };
      int64_t row = top;
      for (; row + 8 <= bottom; row += 8) // as many streams as the prefetchers follow
        add(row, [] { return 8; });
      for (; row < bottom; ++row)
        add(row, [] { return 1; });
      for (int64_t c = 0; c < width; ++c)
        y[first + c] += part[c];
    }
  }
}

namespace {

/// One square: rows of x at stride `columns`, rows of y at stride `rows`; only height x width of it exists.
inline __attribute__((always_inline)) void square(const float *x, float *y, int64_t rows, int64_t columns,
                                                  int64_t height, int64_t width) {
  __m512 a[16], b[16];
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; ++i)
    a[i] = i < height ? _mm512_maskz_loadu_ps(below(width), x + i * columns) : _mm512_setzero_ps();
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 2) {
    b[i] = _mm512_unpacklo_ps(a[i], a[i + 1]);
    b[i + 1] = _mm512_unpackhi_ps(a[i], a[i + 1]);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 4)
#pragma clang loop unroll(full)
    for (int j = 0; j < 2; ++j) {
      const __m512d low = _mm512_castps_pd(b[i + j]), high = _mm512_castps_pd(b[i + j + 2]);
      a[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
      a[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
    }
  // Each 128-bit part k of a[4 g + c] now holds column 4 k + c of rows 4 g to 4 g + 3.
#pragma clang loop unroll(full)
  for (int c = 0; c < 4; ++c) {
    const __m512 low = _mm512_shuffle_f32x4(a[c], a[4 + c], 0x88), odd = _mm512_shuffle_f32x4(a[c], a[4 + c], 0xdd);
    const __m512 low2 = _mm512_shuffle_f32x4(a[8 + c], a[12 + c], 0x88),
                 odd2 = _mm512_shuffle_f32x4(a[8 + c], a[12 + c], 0xdd);
    b[c] = _mm512_shuffle_f32x4(low, low2, 0x88);
    b[8 + c] = _mm512_shuffle_f32x4(low, low2, 0xdd);
    b[4 + c] = _mm512_shuffle_f32x4(odd, odd2, 0x88);
    b[12 + c] = _mm512_shuffle_f32x4(odd, odd2, 0xdd);
  }
#pragma clang loop unroll(full)
  for (int j = 0; j < 16; ++j)
    if (j < width)
      _mm512_mask_storeu_ps(y + j * rows, below(height), b[j]);
}

} // namespace

void transpose(const float *x, float *y, int64_t rows, int64_t columns) {
  // Squares in tiles of 64 x 64: whole pages of both sides' streams are in use at a time, and few of them.
  constexpr int64_t tile = 64;
  for (int64_t c0 = 0; c0 < columns; c0 += tile)
    for (int64_t r0 = 0; r0 < rows; r0 += tile)
      for (int64_t c = c0; c < c0 + tile && c < columns; c += w)
        for (int64_t r = r0; r < r0 + tile && r < rows; r += w) {
          const int64_t height = rows - r, width = columns - c;
          if (height >= w && width >= w)
            square(x + r * columns + c, y + c * rows + r, rows, columns, w, w);
          else
            square(x + r * columns + c, y + c * rows + r, rows, columns, height < w ? height : w,
                   width < w ? width : w);
        }
}

void multiplyAdds(int64_t count) {
  __m512 acc[16], x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(1e-3f);
  for (__m512 &a : acc)
    a = x;
  for (int64_t i = 0; i < count; ++i) {
#pragma clang loop unroll(full)
    for (int j = 0; j < 16; ++j) {
      acc[j] = _mm512_fmadd_ps(acc[j], x, y);
      asm volatile("" : "+v"(acc[j]));
    }
  }
}

} // namespace pliant::bench::handwritten
