// SPDX-License-Identifier: Apache-2.0
// Compiled once for each width (PLIANT_LOOPS names the function that hands out its loops), as a whole: includes nothing
// whose inline functions other files might share.
#include "handwritten.h"
#include <immintrin.h>

namespace pliant::bench::handwritten {

namespace {

#include "handwritten_lanes.h"

/// e^x for x <= 0 (and NaN): n ln 2 + r, a polynomial in r, and a scaling that reaches denormals.
Lanes exp(Lanes x) {
  x = max(all(-110.f), x);
  const Lanes n = round(mul(x, all(0x1.715476p0f)));
  Lanes r = fma(n, all(-0x1.62e4p-1f), x);
  r = fma(n, all(-0x1.7f7d1cp-20f), r);
  Lanes q = all(0x1.6ac81ap-10f);
  q = fma(q, r, all(0x1.123deap-7f));
  q = fma(q, r, all(0x1.555858p-5f));
  q = fma(q, r, all(0x1.55548cp-3f));
  q = fma(q, r, all(0x1.fffffcp-2f));
  q = fma(mul(r, r), q, r);
  return scale(add(q, all(1)), n);
}

/// Walks a row in steps of several vectors, then one, then a masked one: body(at, slot, mask).
template <class Body> inline __attribute__((always_inline)) void along(int64_t columns, Body body) {
  int64_t c = 0;
  for (; c + slots * w <= columns; c += slots * w)
#pragma clang loop unroll(full)
    for (int s = 0; s < slots; ++s)
      body(c + s * w, s, All());
  for (; c + w <= columns; c += w)
    body(c, 0, All());
  if (c < columns)
    body(c, 0, below(columns - c));
}

template <class Two> inline Lanes joined(const Lanes *v, Two two) {
  Lanes level[slots];
#pragma clang loop unroll(full)
  for (int i = 0; i < slots; ++i)
    level[i] = v[i];
#pragma clang loop unroll(full)
  for (int width = slots / 2; width; width /= 2)
#pragma clang loop unroll(full)
    for (int i = 0; i < width; ++i)
      level[i] = two(level[i], level[i + width]);
  return level[0];
}
float sumOf(const Lanes *v) { return sumOf(joined(v, add)); }

void softmax(const float *x, float *y, int64_t rows, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row, x += columns, y += columns) {
    const Lanes least = all(-__builtin_inff());
    Lanes top[slots];
    for (Lanes &t : top)
      t = least;
    along(columns, [&](int64_t c, int s, auto m) { top[s] = max(top[s], only(m, load(x + c, m), least)); });
    const Lanes most = all(maxOf(joined(top, max)));
    Lanes sum[slots] = {};
    along(columns, [&](int64_t c, int s, auto m) {
      const Lanes e = exp(sub(load(x + c, m), most));
      store(y + c, m, e);
      sum[s] = add(sum[s], only(m, e));
    });
    const Lanes factor = all(1 / sumOf(sum));
    along(columns, [&](int64_t c, int, auto m) { store(y + c, m, mul(load(y + c, m), factor)); });
  }
}

template <bool fused> Lanes multiplyAdd(Lanes a, Lanes b, Lanes c) { return fused ? fma(a, b, c) : add(mul(a, b), c); }

template <bool fused>
void layerNorm(const float *x, const float *scale, const float *bias, float *y, int64_t rows, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row, x += columns, y += columns) {
    Lanes sum[slots] = {};
    along(columns, [&](int64_t c, int s, auto m) { sum[s] = add(sum[s], load(x + c, m)); });
    const float count = static_cast<float>(columns);
    const Lanes mean = all(sumOf(sum) / count);
    Lanes squares[slots] = {};
    along(columns, [&](int64_t c, int s, auto m) {
      const Lanes d = only(m, sub(load(x + c, m), mean));
      squares[s] = multiplyAdd<fused>(d, d, squares[s]);
    });
    const Lanes factor = all(1 / __builtin_sqrtf(sumOf(squares) / count + 1e-5f));
    along(columns, [&](int64_t c, int, auto m) {
      const Lanes d = mul(sub(load(x + c, m), mean), factor);
      store(y + c, m, multiplyAdd<fused>(d, load(scale + c, m), load(bias + c, m)));
    });
  }
}

void biasRelu(const float *x, const float *bias, float *y, int64_t rows, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row, x += columns, y += columns)
    along(columns,
          [&](int64_t c, int, auto m) { store(y + c, m, max(add(load(x + c, m), load(bias + c, m)), all(0))); });
}

template <bool fused, class Store>
inline __attribute__((always_inline)) void chainInto(const float *x, int64_t count, Store into) {
  along(count, [&](int64_t c, int, auto m) {
    const Lanes v = load(x + c, m), factor = all(0.9f);
    Lanes sum = v;
#pragma clang loop unroll(full)
    for (int k = 0; k < 5; ++k)
      sum = max(all(-1), multiplyAdd<fused>(sum, factor, v)); // NaN stays: it is the second
    into(c, m, sum);
  });
}

template <bool fused> void chain(const float *x, float *y, int64_t count, bool streaming) {
  if (!streaming)
    return chainInto<fused>(x, count, [&](int64_t c, auto m, Lanes v) { store(y + c, m, v); });
  const int64_t whole = count / w * w;
  chainInto<fused>(x, whole, [&](int64_t c, auto, Lanes v) { stream(y + c, v); });
  chain<fused>(x + whole, y + whole, count - whole, false);
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
      auto addRows = [&](int64_t row, auto count) { // so many at a time, and the sums pass through L1 once for them
        along(width, [&](int64_t c, int, auto m) {
          Lanes sum = load(part + c, m);
#pragma clang loop unroll(full)
          for (int64_t r = 0; r < count(); ++r)
            sum = add(sum, load(x + (row + r) * columns + first + c, m));
          store(part + c, m, sum);
        });
      };
      int64_t row = top;
      for (; row + 8 <= bottom; row += 8) // as many streams as the prefetchers follow
        addRows(row, [] { return 8; });
      for (; row < bottom; ++row)
        addRows(row, [] { return 1; });
      for (int64_t c = 0; c < width; ++c)
        y[first + c] += part[c];
    }
  }
}

/// One square: rows of x at stride `columns`, rows of y at stride `rows`; only height x width of it exists.
inline __attribute__((always_inline)) void square(const float *x, float *y, int64_t rows, int64_t columns,
                                                  int64_t height, int64_t width) {
  Lanes a[w], b[w];
  if (height == w && width == w) {
#pragma clang loop unroll(full)
    for (int i = 0; i < w; ++i)
      a[i] = load(x + i * columns, All());
    turn(a, b);
#pragma clang loop unroll(full)
    for (int j = 0; j < w; ++j)
      store(y + j * rows, All(), b[j]);
    return;
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < w; ++i)
    a[i] = i < height ? load(x + i * columns, below(width)) : all(0);
  turn(a, b);
#pragma clang loop unroll(full)
  for (int j = 0; j < w; ++j)
    if (j < width)
      store(y + j * rows, below(height), b[j]);
}

void transpose(const float *x, float *y, int64_t rows, int64_t columns) {
  // Squares in tiles of 64 x 64: whole pages of both sides' streams are in use at a time, and few of them.
  constexpr int64_t tile = 64;
  for (int64_t c0 = 0; c0 < columns; c0 += tile)
    for (int64_t r0 = 0; r0 < rows; r0 += tile)
      for (int64_t c = c0; c < c0 + tile && c < columns; c += w)
        for (int64_t r = r0; r < r0 + tile && r < rows; r += w) {
          const int64_t height = rows - r, width = columns - c;
          square(x + r * columns + c, y + c * rows + r, rows, columns, height < w ? height : w, width < w ? width : w);
        }
}

void multiplyAdds(int64_t count) {
  constexpr int chains = 12; // of 16 registers of AVX2, those that are free; enough for two units of latency 4 or 5
  Lanes acc[chains], x = all(0.999f), y = all(1e-3f);
  for (Lanes &a : acc)
    a = x;
  for (int64_t i = 0; i < count; ++i) {
#pragma clang loop unroll(full)
    for (Lanes &a : acc) {
      a = fma(a, x, y);
      asm volatile("" : "+v"(a));
    }
  }
}

} // namespace

const Loops &PLIANT_LOOPS() {
  static const Loops loops = {.softmax = softmax,
                              .layerNorm = layerNorm<false>,
                              .fusedLayerNorm = layerNorm<true>,
                              .biasRelu = biasRelu,
                              .chain = chain<false>,
                              .fusedChain = chain<true>,
                              .columnSum = columnSum,
                              .transpose = transpose,
                              .multiplyAdds = multiplyAdds,
                              .operationsPerRound = 2.0 * 12 * w};
  return loops;
}

} // namespace pliant::bench::handwritten
