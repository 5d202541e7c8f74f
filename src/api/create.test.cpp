// SPDX-License-Identifier: Apache-2.0
// Tensors from nothing, writes in place by operators of integers, and sorting.
#include "api/programs.h"
#include "api/tensor.test.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pliant {
namespace {

using F = std::vector<float>;
using D = std::vector<double>;
using I = std::vector<int64_t>;

TEST(InPlace, OperatorsOfIntegers) {
  const I x{13, -7, 6, 0}, y{5, 3, 2, 1};
  auto of = [](const I &values) { return Tensor::of<int64_t>(values, {static_cast<int64_t>(values.size())}); };
  auto written = [&](auto &&update) {
    Tensor whole = stack({of(x), of(x)}), row = whole(1); // a view: the whole sees it
    update(row, of(y));
    EXPECT_EQ(whole(0).values<int64_t>(), x);
    return whole(1).values<int64_t>();
  };
  EXPECT_EQ(written([](Tensor &a, const Tensor &b) { a %= b; }), (I{3, 2, 0, 0}));
  EXPECT_EQ(written([](Tensor &a, const Tensor &b) { a &= b; }), (I{5, 1, 2, 0}));
  EXPECT_EQ(written([](Tensor &a, const Tensor &b) { a |= b; }), (I{13, -5, 6, 1}));
  EXPECT_EQ(written([](Tensor &a, const Tensor &b) { a ^= b; }), (I{8, -6, 4, 1}));
  EXPECT_EQ(written([](Tensor &a, const Tensor &b) { a <<= b; }), (I{416, -56, 24, 0}));
  EXPECT_EQ(written([](Tensor &a, const Tensor &b) { a >>= b; }), (I{0, -1, 1, 0}));
  EXPECT_EQ(written([](Tensor &a, const Tensor &) { a(slice(1, 3)) %= 4; }), (I{13, 1, 2, 0}));
  EXPECT_EQ(written([](Tensor &a, const Tensor &) { a[0] <<= 2; }), (I{52, -7, 6, 0}));

  Tensor bits = Tensor::of<uint8_t>({12, 255}), flags = Tensor::of<bool>({true, false});
  bits &= 10;
  bits ^= 1;
  EXPECT_EQ(bits.values<uint8_t>(), (std::vector<uint8_t>{9, 11}));
  flags |= true;
  EXPECT_EQ(all(flags).item<bool>(), true);
  flags ^= Tensor::of<bool>({true, false});
  flags &= Tensor::of<bool>({true, true});
  EXPECT_EQ(flags.values<bool>(), (std::vector<bool>{false, true}));
  Tensor real = Tensor::of<float>({5.5, -1});
  real %= 2;
  EXPECT_EQ(real.values<float>(), (F{1.5, 1}));

  EXPECT_SAYS(real &= 1, "create.test.cpp:");
  EXPECT_SAYS(real <<= 1, "create.test.cpp:");
  EXPECT_SAYS(flags |= 2, "written to elements of bool");
  EXPECT_SAYS(bits &= Tensor::of<int8_t>({1, 2}), "&=");
  EXPECT_SAYS(bits |= Tensor::of<uint8_t>({1, 2, 3}), "create.test.cpp:");
}

TEST(Create, LikeAnother) {
  const Tensor x = Tensor::of<int16_t>({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(zerosLike(x).dtype(), DType::I16);
  EXPECT_EQ(zerosLike(x).values<int16_t>(), (std::vector<int16_t>(6, 0)));
  EXPECT_EQ(onesLike(x(0), DType::F32).values<float>(), (F{1, 1, 1}));
  EXPECT_EQ(fullLike(x.transpose(), 7).shape(), (Shape{3, 2}));
  EXPECT_EQ(fullLike(x, Tensor(2.5), DType::F64).values<double>(), D(6, 2.5));
  EXPECT_EQ(onesLike(3).item<int64_t>(), 1);
  EXPECT_EQ(zerosLike(zeros({0, 4})).shape(), (Shape{0, 4}));
  EXPECT_SAYS(fullLike(x, 70000), "out of the range of i16");
  EXPECT_SAYS(fullLike(Tensor(), 1), "not defined");
}

TEST(Create, Arange) {
  EXPECT_EQ(arange(5).values<int64_t>(), (I{0, 1, 2, 3, 4}));
  EXPECT_EQ(arange(7, 1, -2).values<int64_t>(), (I{7, 5, 3}));
  EXPECT_EQ(arange(3, 3).shape(), (Shape{0}));
  EXPECT_EQ(arange(INT64_MIN, INT64_MAX, INT64_MAX).values<int64_t>(), (I{INT64_MIN, -1, INT64_MAX - 1}));
  EXPECT_EQ(arange(2.5).values<float>(), (F{0, 1, 2}));
  EXPECT_EQ(arange(1, 2, 0.25).values<float>(), (F{1, 1.25, 1.5, 1.75}));
  EXPECT_EQ(arange(0.5, -1, -0.5, DType::F64).values<double>(), (D{0.5, 0, -0.5}));
  EXPECT_EQ(arange(0.5, 3.5, 1, DType::I64).values<int64_t>(), (I{0, 1, 2}));
  EXPECT_EQ(arange(1.0, 0.0).shape(), (Shape{0}));
  // Each is the start plus so many steps, not a sum of steps: the last of a million is as exact as the first.
  const D many = arange(0, 1e5, 0.1, DType::F64).values<double>();
  EXPECT_EQ(many.size(), 1000000u);
  EXPECT_EQ(many[999999], 999999 * 0.1);
  EXPECT_SAYS(arange(0, 1, 0), "the step is 0");
  EXPECT_SAYS(arange(0, 1, 0.0), "the step is 0");
  EXPECT_SAYS(arange(0, std::nan("")), "more elements than memory");
  EXPECT_SAYS(arange(0, INFINITY), "more elements than memory");
  EXPECT_SAYS(arange(-INFINITY, 0.0, -1.0), "no finite number");
  EXPECT_SAYS(arange(0, INT64_MAX), "more elements than memory");
  EXPECT_SAYS(arange(Tensor(3)), "create.test.cpp:");
  arange(0, 3, 0.5).array();
  const int64_t compiles = api::Programs::all().counts().compiles;
  for (int n = 2; n < 20; ++n)
    EXPECT_EQ(arange(1, n, 1.0 / n).values<float>().size(), static_cast<size_t>(std::ceil((n - 1) / (1.0 / n))));
  EXPECT_EQ(api::Programs::all().counts().compiles, compiles);
}

TEST(Create, Linspace) {
  EXPECT_EQ(linspace(0, 1, 5).values<float>(), (F{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(linspace(0, 1, 4, false).values<float>(), (F{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(linspace(3, -3, 3, true, DType::F64).values<double>(), (D{3, 0, -3}));
  EXPECT_EQ(linspace(-2, 2, 8, true, DType::I64).values<int64_t>(), (I{-2, -2, -1, -1, 0, 0, 1, 2}));
  EXPECT_EQ(linspace(5, 7, 1).values<float>(), (F{5}));
  EXPECT_EQ(linspace(5, 7, 0).shape(), (Shape{0}));
  for (int64_t count : {2, 3, 7, 10, 49, 1000}) { // 49: seven times a seventh is not one
    const D made = linspace(0.1, 0.7, count, true, DType::F64).values<double>();
    EXPECT_EQ(made.front(), 0.1);
    EXPECT_EQ(made.back(), 0.7);
  }
  EXPECT_SAYS(linspace(0, 1, -1), "create.test.cpp:");
  EXPECT_SAYS(linspace(0, 1, INT64_MAX), "more elements than memory");
  const int64_t compiles = api::Programs::all().counts().compiles;
  for (int64_t count = 11; count < 51; ++count)
    EXPECT_EQ(linspace(1, 2, count, true, DType::F64).values<double>().back(), 2);
  EXPECT_EQ(api::Programs::all().counts().compiles, compiles);
}

TEST(Sort, ValuesAndPositions) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  const Tensor x = Tensor::of<float>({3, nan, -1, 3, -inf, inf, 0}, {7});
  const F up = sort(x).values<float>(), down = sort(x, 0, true).values<float>();
  EXPECT_EQ(F(up.begin(), up.end() - 1), (F{-inf, -1, 0, 3, 3, inf}));
  EXPECT_TRUE(std::isnan(up.back()) && std::isnan(down.front()));
  EXPECT_EQ(F(down.begin() + 1, down.end()), (F{inf, 3, 3, 0, -1, -inf}));
  EXPECT_EQ(argsort(x).values<int64_t>(), (I{4, 2, 6, 0, 3, 5, 1}));
  EXPECT_EQ(argsort(x, -1, true).values<int64_t>(), (I{1, 5, 0, 3, 6, 2, 4})); // equal ones as they were
  const Tensor table = Tensor::of<int32_t>({3, 1, 2, 1, 2, 3}, {3, 2});
  EXPECT_EQ(sort(table, 0).values<int32_t>(), (std::vector<int32_t>{2, 1, 2, 1, 3, 3}));
  EXPECT_EQ(sort(table).values<int32_t>(), (std::vector<int32_t>{1, 3, 1, 2, 2, 3}));
  EXPECT_EQ(argsort(table, 0).values<int64_t>(), (I{1, 0, 2, 1, 0, 2}));
  EXPECT_EQ(sort(Tensor::of<bool>({true, false, true})).values<bool>(), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(argsort(Tensor::of<bool>({true, false, true})).values<int64_t>(), (I{1, 0, 2}));
  EXPECT_EQ(sort(zeros({3, 0})).shape(), (Shape{3, 0}));
  EXPECT_SAYS(sort(Tensor(1.5)), "axis -1");
  EXPECT_SAYS(argsort(x, 1), "create.test.cpp:");

  const I wanted = argsort(x).values<int64_t>();
  int64_t compiles = -1;
  for (int64_t n : {2, 3, 5, 8, 13, 17, 64, 101, 1000}) { // against the library's, one program for all lengths
    F values(static_cast<size_t>(n));
    uint32_t state = 1;
    for (float &each : values)
      each = static_cast<float>((state = state * 1664525 + 1013904223) >> 28); // many equal ones
    I order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const float va = values[static_cast<size_t>(a)], vb = values[static_cast<size_t>(b)];
      return va != vb ? va < vb : a < b;
    });
    EXPECT_EQ(argsort(Tensor::of<float>(values, {n})).values<int64_t>(), order);
    if (compiles >= 0)
      EXPECT_EQ(api::Programs::all().counts().compiles, compiles);
    compiles = api::Programs::all().counts().compiles;
  }
}

TEST(Split, AtPositions) {
  const Tensor x = arange(10);
  std::vector<I> parts;
  for (const Tensor &each : split(x, {3, 7}))
    parts.push_back(each.values<int64_t>());
  EXPECT_EQ(parts, (std::vector<I>{{0, 1, 2}, {3, 4, 5, 6}, {7, 8, 9}}));
}

} // namespace
} // namespace pliant
