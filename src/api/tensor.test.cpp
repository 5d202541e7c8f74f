// SPDX-License-Identifier: Apache-2.0
// The public tensors: values, views and writes, indexing, promotion, errors at the user's line.
#include "api/tensor.test.h"
#include "api/programs.h"
#include "runtime/target.h"
#include <cmath>
#include <cstring>
#include <functional>
#include <sstream>

namespace pliant {
namespace {

using F = std::vector<float>;
using I = std::vector<int64_t>;

Tensor matrix() { return Tensor::of<float>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {3, 4}); }
F floats(const Tensor &x) { return x.values<float>(); }
I integers(const Tensor &x) { return x.values<int64_t>(); }

TEST(Tensor, ExpressionsAndReads) {
  const Tensor x = matrix(), w = Tensor::of<float>({1, -1, 2, 0.5});
  EXPECT_EQ(floats(x * w + 1), (F{1, 0, 5, 2.5, 5, -4, 13, 4.5, 9, -8, 21, 6.5}));
  EXPECT_EQ(floats(sum(x, {1})), (F{6, 22, 38}));
  EXPECT_EQ(mean(x).item<float>(), 5.5f);
  EXPECT_EQ((2 - Tensor(5)).item<int64_t>(), -3);
  EXPECT_EQ((x + x).shape(), (Shape{3, 4}));
  EXPECT_EQ(matmul(x, w).shape(), (Shape{3}));
  EXPECT_EQ(floats(matmul(x, w)), (F{4.5, 14.5, 24.5}));
}

/// What is written past the last cache is what small pieces of it give, which are not.
TEST(Tensor, RowsThatNoCacheHolds) {
  const size_t cache = std::max<size_t>(TargetDescription::host().l3, size_t(32) << 20);
  for (int64_t columns : {1024, 1031}) {
    const int64_t rows = static_cast<int64_t>(cache / sizeof(float)) / columns + 1;
    F numbers(static_cast<size_t>(rows * columns));
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<float>(i * 2654435761u % 1000003) / 1000003;
    const Tensor x = Tensor::of(std::span<const float>(numbers), {rows, columns}), one = ones({columns});
    const F whole = floats(layerNorm(x, one, one));
    constexpr int64_t some = 1000;
    for (int64_t from = 0; from < rows; from += some) {
      const F part = floats(layerNorm(x(slice(from, std::min(from + some, rows))), one, one));
      ASSERT_EQ(std::memcmp(part.data(), whole.data() + from * columns, part.size() * sizeof(float)), 0) << from;
    }
  }
}

TEST(Tensor, CopiesAreIndependentAndViewsAreNot) {
  Tensor x = matrix(), copy = x, row = x(1);
  row += 100;
  EXPECT_EQ(floats(x), (F{0, 1, 2, 3, 104, 105, 106, 107, 8, 9, 10, 11}));
  EXPECT_EQ(floats(copy), floats(matrix()));
  x *= 0;
  EXPECT_EQ(floats(row), (F{0, 0, 0, 0}));
  Tensor own = row.clone();
  own += 1;
  EXPECT_EQ(floats(x), F(12, 0));
}

TEST(Tensor, AValueThatWasReadBeforeAWriteNeverSeesIt) {
  Tensor x = matrix();
  const Tensor before = x + 0;
  x(0, 0) = 50;
  EXPECT_EQ(before.values<float>()[0], 0);
  const Array old = x.array();
  x(0, 0) = 60;
  EXPECT_EQ(old.as<float>()[0], 50);
  EXPECT_EQ(floats(x)[0], 60);
}

TEST(Tensor, WritesThroughSlicesOfEveryKind) {
  Tensor x = zeros({3, 4});
  x(slice(1, 3), slice(0, 2)) = Tensor::of<float>({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(floats(x), (F{0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0}));
  x(ellipsis, -1) = Tensor::of<float>({7, 8, 9});
  EXPECT_EQ(floats(x), (F{0, 0, 0, 7, 1, 2, 0, 8, 3, 4, 0, 9}));
  x(slice({}, {}, -2), slice({}, {}, 3)) = Tensor::of<float>({10, 20, 30, 40}, {2, 2});
  EXPECT_EQ(floats(x), (F{30, 0, 0, 40, 1, 2, 0, 8, 10, 4, 0, 20}));
  Tensor turned = x.transpose();
  turned(1) = 5; // a column of x
  EXPECT_EQ(floats(x(slice(), 1)), (F{5, 5, 5}));
  Tensor flat = x.reshape({-1});
  flat(slice(0, 12, 5)) = -1;
  EXPECT_EQ(floats(x), (F{-1, 5, 0, 40, 1, -1, 0, 8, 10, 5, -1, 20}));
  x(slice(2, 2)) = 99; // nothing
  EXPECT_EQ(floats(x)[8], 10);
  EXPECT_SAYS(x.broadcastTo({2, 3, 4}) += 1, "broadcast view");
}

TEST(Tensor, IndexTensorsAndMasks) {
  Tensor x = matrix();
  const Tensor rows = Tensor::of<int64_t>({2, 0, -1}), columns = Tensor::of<int64_t>({1, 3, 0});
  EXPECT_EQ(floats(x(rows, columns)), (F{9, 3, 8}));
  EXPECT_EQ(x(rows).shape(), (Shape{3, 4}));
  EXPECT_EQ(floats(x(slice(0, 2), columns)), (F{1, 3, 0, 5, 7, 4}));
  EXPECT_EQ(x(x > 7).values<float>(), (F{8, 9, 10, 11}));
  EXPECT_EQ(pending(), ""); // a selection is computed once, however often it is looked at
  x(x > 7) = 0;
  EXPECT_EQ(floats(x), (F{0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0}));
  x(rows, columns) += 10; // -1 and 2 are the same row
  EXPECT_EQ(floats(x), (F{0, 1, 2, 13, 4, 5, 6, 7, 10, 10, 0, 0}));
  x(x == 0) = Tensor::of<float>({-1, -2, -3});
  EXPECT_EQ(floats(x), (F{-1, 1, 2, 13, 4, 5, 6, 7, 10, 10, -2, -3}));
  const Tensor copy = x(rows);
  x(2, 0) = 77;
  EXPECT_EQ(floats(copy)[0], 10);
  // Apart, the picked axes come first; beside each other they stay.
  const Tensor cube = arange(24).reshape({2, 3, 4});
  EXPECT_EQ(cube(Tensor::of<int64_t>({0, 1}), slice(), Tensor::of<int64_t>({1, 2})).shape(), (Shape{2, 3}));
  EXPECT_EQ(integers(cube(0, slice(), Tensor::of<int64_t>({1, 2}))), (I{1, 5, 9, 2, 6, 10}));
  EXPECT_EQ(integers(cube(slice(), Tensor::of<int64_t>({2, 0}), Tensor::of<int64_t>({1, 2}))), (I{9, 2, 21, 14}));
}

TEST(Tensor, PromotionIsNumPys) {
  auto typed = [](DType dtype) { return zeros({2}, dtype); };
  EXPECT_EQ((typed(DType::I32) + typed(DType::F32)).dtype(), DType::F64);
  EXPECT_EQ((typed(DType::I8) + typed(DType::U8)).dtype(), DType::I16);
  EXPECT_EQ((typed(DType::U64) + typed(DType::I64)).dtype(), DType::F64);
  EXPECT_EQ((typed(DType::I16) * typed(DType::F16)).dtype(), DType::F32);
  EXPECT_EQ((typed(DType::F16) + typed(DType::BF16)).dtype(), DType::F32);
  EXPECT_EQ((typed(DType::I8) + 1).dtype(), DType::I8);
  EXPECT_EQ((typed(DType::F32) + 1.5).dtype(), DType::F32);
  EXPECT_EQ((typed(DType::I32) + 1.5).dtype(), DType::F64);
  EXPECT_EQ((typed(DType::Bool) + 1).dtype(), DType::I64);
  EXPECT_EQ((typed(DType::I32) / typed(DType::I32)).dtype(), DType::F64);
  EXPECT_EQ(exp(typed(DType::I16)).dtype(), DType::F32);
  EXPECT_EQ(sum(typed(DType::I8)).dtype(), DType::I64);
  EXPECT_SAYS(typed(DType::U8) + 300, "out of the range of u8");
  Tensor x = typed(DType::I32);
  EXPECT_SAYS(x += 1.5, "a result of f64 written to elements of i32");
}

TEST(Tensor, IntegerDivisionIsNumPys) {
  const Tensor x = Tensor::of<int64_t>({7, -7, 7, -7}), y = Tensor::of<int64_t>({2, 2, -2, -2});
  EXPECT_EQ(integers(floorDivide(x, y)), (I{3, -4, -4, 3}));
  EXPECT_EQ(integers(x % y), (I{1, 1, -1, -1}));
  EXPECT_EQ(integers(x >> 1), (I{3, -4, 3, -4}));
  EXPECT_EQ(integers(~x), (I{-8, 6, -8, 6}));
  const Tensor a = Tensor::of<float>({7.5, -7.5, 0.5}), b = Tensor::of<float>({2, 2, -3});
  EXPECT_EQ(floats(floorDivide(a, b)), (F{3, -4, -1}));
  EXPECT_EQ(floats(a % b), (F{1.5, 0.5, -2.5}));
}

TEST(Tensor, ErrorsAreThrownAtTheUsersLine) {
  const Tensor x = matrix(), y = zeros({3, 3});
  const std::string here = "tensor.test.cpp:" + std::to_string(__LINE__ + 1);
  EXPECT_SAYS(x + y, here);
  EXPECT_SAYS(x + y, "(3, 4)");
  EXPECT_SAYS(x(5), "position 5 of axis 0");
  EXPECT_SAYS(x(0, 0, 0), "3 indices");
  EXPECT_SAYS(sum(x, {2}), "axis 2 is out of range");
  EXPECT_SAYS(x.reshape({5, -1}), "cannot be divided");
  EXPECT_SAYS(Tensor() + 1, "not defined");
  EXPECT_SAYS(x.item<float>(), "12 elements");
  EXPECT_SAYS(x.values<double>(), "f32");
  EXPECT_SAYS(zeros({2}, DType::String), "not strings");
  EXPECT_SAYS(cast(x, DType::String), "not strings");
  const std::string text = "no number";
  EXPECT_SAYS(Tensor::of(Array{DType::String, {1}, std::make_shared<const std::string *>(&text)}), "not strings");
  const Tensor zero = Tensor::of<int32_t>({0});
  EXPECT_SAYS((floorDivide(Tensor::of<int32_t>({1}), zero).array()), "tensor.test.cpp:");
}

TEST(Tensor, OneCompileWhateverThePositionsShiftsAndScalars) {
  auto step = [](int64_t i, double scale) {
    Tensor x = arange(0, 40, 1, DType::F32).reshape({8, 5});
    x(slice(i, i + 2), slice(1, 4)) = roll(arange(3, DType::F32), i, 0) * scale;
    return sum(x * x(i)).item<float>();
  };
  auto wanted = [](int64_t i, double scale) {
    float x[8][5], total = 0;
    for (int r = 0; r < 40; ++r)
      x[r / 5][r % 5] = static_cast<float>(r);
    for (int64_t r = i; r < i + 2; ++r)
      for (int64_t c = 0; c < 3; ++c)
        x[r][1 + c] = static_cast<float>(((c - i) % 3 + 3) % 3) * static_cast<float>(scale);
    for (auto &row : x)
      for (int c = 0; c < 5; ++c)
        total += row[c] * x[i][c];
    return total;
  };
  EXPECT_EQ(step(1, 0.5), wanted(1, 0.5));
  const int64_t compiles = api::Programs::all().counts().compiles;
  for (int64_t i : {2, 3, 4, 5})
    EXPECT_EQ(step(i, 0.25 * static_cast<double>(i)), wanted(i, 0.25 * static_cast<double>(i)));
  EXPECT_EQ(api::Programs::all().counts().compiles, compiles);
}

TEST(Generator, NumbersDependOnSeedAndPositionOnly) {
  Generator a(7), b(7), c(8);
  const F first = floats(a.uniform({5})), second = floats(a.uniform({5}));
  const F together = floats(b.uniform({10}));
  EXPECT_EQ(first, F(together.begin(), together.begin() + 5));
  EXPECT_EQ(second, F(together.begin() + 5, together.end()));
  EXPECT_NE(floats(c.uniform({5})), first);
  const Tensor normal = Generator(1).normal({100000});
  EXPECT_NEAR(mean(normal).item<float>(), 0, 0.01);
  EXPECT_NEAR(var(normal).item<float>(), 1, 0.02);
  const I drawn = integers(Generator(3).integers({10000}, -2, 3));
  EXPECT_EQ(*std::min_element(drawn.begin(), drawn.end()), -2);
  EXPECT_EQ(*std::max_element(drawn.begin(), drawn.end()), 2);
  for (const DType dtype : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
    const Tensor shares = Generator(5).uniform({20000}, dtype);
    EXPECT_TRUE(all(shares >= 0 & shares < 1).item<bool>()) << name(dtype); // what is near to 1 is not rounded to it
    EXPECT_NEAR(mean(cast(shares, DType::F64)).item<double>(), 0.5, 0.01) << name(dtype);
  }
  I order = integers(Generator(4).permutation(50));
  EXPECT_NE(order, integers(arange(50)));
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, integers(arange(50)));
  const int64_t compiles = api::Programs::all().counts().compiles;
  for (uint64_t seed = 10; seed < 20; ++seed)
    floats(Generator(seed).uniform({10}));
  EXPECT_EQ(api::Programs::all().counts().compiles, compiles);
}

TEST(Tensor, NothingOfAShapeIsNoSite) {
  EXPECT_EQ(Tensor::of<float>({}, {0, 3}).shape(), (Shape{0, 3}));
  EXPECT_EQ(Tensor::of<float>({}).shape(), (Shape{0}));
}

TEST(Tensor, ComposedFunctionsAreOfTheUsersLine) {
  Generator random(1);
  const std::vector<std::function<Tensor()>> calls{
      [&] { return random.normal({3}); },         [&] { return random.uniform({3}, DType::F16); },
      [&] { return random.integers({3}, 0, 9); }, [&] { return random.bernoulli({3}, 0.5); },
      [&] { return random.permutation(3); },      [] { return stddev(matrix()); },
      [] { return argmax(matrix(), {0}, true); }, [] { return floorDivide(matrix(), 2); },
      [] { return remainder(matrix(), 2); },      [] { return clip(matrix(), 1, 2); },
      [] { return zerosLike(matrix()); },         [] { return arange(0, 1.5, 0.5); },
      [] { return linspace(0, 1, 5); },           [] { return sort(matrix() > 3); },
      [] { return argsort(matrix(), 0, true); }};
  for (size_t i = 0; i < calls.size(); ++i) {
    barrier();
    const Tensor made = calls[i]();
    std::istringstream lines(pending());
    for (std::string line; std::getline(lines, line);)
      if (line.find("  # ") != std::string::npos)
        EXPECT_NE(line.find("tensor.test.cpp:"), std::string::npos) << i << ": " << line;
  }
  barrier();
}

TEST(Tensor, TextIsNumPys) {
  EXPECT_EQ(Tensor::of<int64_t>({1, -20, 3}).str(), "[  1 -20   3]");
  EXPECT_EQ(matrix()(slice(0, 2), slice(0, 2)).str(), "[[0. 1.]\n [4. 5.]]");
  EXPECT_EQ(Tensor(2.5).str(), "2.5");
}

} // namespace
} // namespace pliant
