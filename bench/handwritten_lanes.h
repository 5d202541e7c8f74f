// SPDX-License-Identifier: Apache-2.0
// The instructions of the hand-written loops, by the width that a file is compiled for: AVX-512 or AVX2 with FMA.
// Included by handwritten_loops.cpp alone, inside an unnamed namespace.

struct All {}; ///< the mask of a whole vector

#ifdef __AVX512F__

using Lanes = __m512;
using Mask = __mmask16;
constexpr int64_t w = 16;
constexpr int slots = 4; ///< independent sums that hide the latency of an addition

inline Mask below(int64_t count) { return static_cast<Mask>(count >= w ? 0xffff : (1u << count) - 1); }
inline Lanes all(float v) { return _mm512_set1_ps(v); }
inline Lanes load(const float *p, All) { return _mm512_loadu_ps(p); }
inline Lanes load(const float *p, Mask m) { return _mm512_maskz_loadu_ps(m, p); }
inline void store(float *p, All, Lanes v) { _mm512_storeu_ps(p, v); }
inline void store(float *p, Mask m, Lanes v) { _mm512_mask_storeu_ps(p, m, v); }
inline void stream(float *p, Lanes v) { _mm512_stream_ps(p, v); }
inline Lanes where(Mask m, Lanes yes, Lanes no) { return _mm512_mask_blend_ps(m, no, yes); }
inline Lanes add(Lanes a, Lanes b) { return _mm512_add_ps(a, b); }
inline Lanes sub(Lanes a, Lanes b) { return _mm512_sub_ps(a, b); }
inline Lanes mul(Lanes a, Lanes b) { return _mm512_mul_ps(a, b); }
inline Lanes max(Lanes a, Lanes b) { return _mm512_max_ps(a, b); }
inline Lanes fma(Lanes a, Lanes b, Lanes c) { return _mm512_fmadd_ps(a, b, c); }
inline Lanes round(Lanes a) { return _mm512_roundscale_ps(a, 8); }
/// a * 2^n for whole n, down to denormals.
inline Lanes scale(Lanes a, Lanes n) { return _mm512_scalef_ps(a, n); }
inline float sumOf(Lanes a) { return _mm512_reduce_add_ps(a); }
inline float maxOf(Lanes a) { return _mm512_reduce_max_ps(a); }

/// b[j] = column j of the rows a[0] to a[w - 1].
inline __attribute__((always_inline)) void turn(Lanes *a, Lanes *b) {
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
}

#else

using Lanes = __m256;
using Mask = __m256i;
constexpr int64_t w = 8;
constexpr int slots = 8;

inline Mask below(int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count < w ? count : w)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline Lanes all(float v) { return _mm256_set1_ps(v); }
inline Lanes load(const float *p, All) { return _mm256_loadu_ps(p); }
inline Lanes load(const float *p, Mask m) { return _mm256_maskload_ps(p, m); }
inline void store(float *p, All, Lanes v) { _mm256_storeu_ps(p, v); }
inline void store(float *p, Mask m, Lanes v) { _mm256_maskstore_ps(p, m, v); }
inline void stream(float *p, Lanes v) { _mm256_stream_ps(p, v); }
inline Lanes where(Mask m, Lanes yes, Lanes no) { return _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(m)); }
inline Lanes add(Lanes a, Lanes b) { return _mm256_add_ps(a, b); }
inline Lanes sub(Lanes a, Lanes b) { return _mm256_sub_ps(a, b); }
inline Lanes mul(Lanes a, Lanes b) { return _mm256_mul_ps(a, b); }
inline Lanes max(Lanes a, Lanes b) { return _mm256_max_ps(a, b); }
inline Lanes fma(Lanes a, Lanes b, Lanes c) { return _mm256_fmadd_ps(a, b, c); }
inline Lanes round(Lanes a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
/// In two halves: 2^n alone may be too small for a number with a whole mantissa.
inline Lanes scale(Lanes a, Lanes n) {
  const __m256i whole = _mm256_cvtps_epi32(n), half = _mm256_srai_epi32(whole, 1);
  auto power = [](__m256i k) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(k, _mm256_set1_epi32(127)), 23));
  };
  return _mm256_mul_ps(_mm256_mul_ps(a, power(half)), power(_mm256_sub_epi32(whole, half)));
}
template <class Two> inline float folded(Lanes a, Two two) {
  __m128 v = two(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  v = two(v, _mm_movehl_ps(v, v));
  return _mm_cvtss_f32(two(v, _mm_movehdup_ps(v)));
}
inline float sumOf(Lanes a) {
  return folded(a, [](__m128 x, __m128 y) { return _mm_add_ps(x, y); });
}
inline float maxOf(Lanes a) {
  return folded(a, [](__m128 x, __m128 y) { return _mm_max_ps(x, y); });
}

inline __attribute__((always_inline)) void turn(Lanes *a, Lanes *b) {
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; i += 2) {
    b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
    b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; i += 4)
#pragma clang loop unroll(full)
    for (int j = 0; j < 2; ++j) {
      const __m256d low = _mm256_castps_pd(b[i + j]), high = _mm256_castps_pd(b[i + j + 2]);
      a[i + 2 * j] = _mm256_castpd_ps(_mm256_unpacklo_pd(low, high));
      a[i + 2 * j + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(low, high));
    }
#pragma clang loop unroll(full)
  for (int c = 0; c < 4; ++c) {
    b[c] = _mm256_permute2f128_ps(a[c], a[4 + c], 0x20);
    b[4 + c] = _mm256_permute2f128_ps(a[c], a[4 + c], 0x31);
  }
}

#endif

/// v in the lanes of the mask, `otherwise` in the others.
inline Lanes only(All, Lanes v, Lanes = all(0)) { return v; }
inline Lanes only(Mask m, Lanes v, Lanes otherwise = all(0)) { return where(m, v, otherwise); }
