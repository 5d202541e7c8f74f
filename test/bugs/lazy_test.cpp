// SPDX-License-Identifier: Apache-2.0
// Part F: recompiles, writes, long chains, memory and threads of recorded code, through the public surface. Integers in
// float make every value exact.
#include "pliant/pliant.h"
#include <array>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/resource.h>
#include <thread>

namespace pliant {
namespace {

using F = std::vector<float>;
using I = std::vector<int64_t>;

F floats(const Tensor &x) { return x.values<float>(); }
Tensor counted(int64_t n) { return arange(n, DType::F32); }
/// Small integers that do not repeat evenly.
Tensor small(Shape shape, int64_t from = 0) {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  return cast((arange(from, from + size) * 7) % 5 - 2, DType::F32).reshape(std::move(shape)).clone();
}
int64_t compiles() { return counters().made(); }

// torch#69634, torch#69571, xla#1398: a number of the host language was part of the program.
TEST(Lazy, ANumberThatChangesEveryStep) {
  const Tensor x = counted(6), a = Tensor::of<float>({2, 4, 6, 8, 10, 12}), b = Tensor::of<float>({1, 2, 2, 4, 5, 3});
  eval({x, a, b});
  const int64_t before = compiles();
  for (int i = 0; i < 100; ++i) {
    const double value = i % 10 ? 0.25 * i : i; // 0 and 1 among them
    const F got = floats(x + value * (a / b));
    for (int k = 0; k < 6; ++k)
      ASSERT_EQ(got[static_cast<size_t>(k)], static_cast<float>(k + value * std::array{2, 2, 3, 2, 2, 4}[k])) << i;
  }
  EXPECT_EQ(compiles() - before, 1);
}

// xla#3604: two numbers that became equal shared one parameter.
TEST(Lazy, NumbersThatBecomeEqual) {
  const Tensor a = counted(5), b = a + 1;
  eval({a, b});
  const int64_t before = compiles();
  for (auto [p, q] : {std::pair(2.0, 3.0), {5, 5}, {0, 0}, {1, 0}, {0, 1}, {1, 1}, {-3, -3}, {4, 2}}) {
    const Tensor c = a + p * b, d = a + q * c;
    const F first = floats(c), second = floats(d);
    for (int k = 0; k < 5; ++k) {
      const auto i = static_cast<size_t>(k);
      ASSERT_EQ(first[i], k + p * (k + 1));
      ASSERT_EQ(second[i], k + q * first[i]);
    }
  }
  EXPECT_EQ(compiles() - before, 1);
}

// xla#4741: with extents that vary there were more compiles than without.
TEST(Lazy, ANetForEveryBatch) {
  const Tensor w = small({7, 9}), u = small({9, 3}), bias = small({9});
  eval({w, u, bias});
  const int64_t before = compiles();
  for (int64_t batch : {2, 1, 0, 3, 8, 7, 9, 15, 16, 17, 31, 64}) {
    const Tensor x = small({batch, 7}, batch);
    const F got = floats(matmul(relu(matmul(x, w) + bias), u)), in = floats(x), wv = floats(w), uv = floats(u),
            bv = floats(bias);
    ASSERT_EQ(got.size(), static_cast<size_t>(batch * 3));
    for (size_t n = 0; n < static_cast<size_t>(batch); ++n)
      for (size_t c = 0; c < 3; ++c) {
        float wanted = 0;
        for (size_t h = 0; h < 9; ++h) {
          float inner = bv[h];
          for (size_t k = 0; k < 7; ++k)
            inner += in[n * 7 + k] * wv[k * 9 + h];
          wanted += std::max(inner, 0.0f) * uv[h * 3 + c];
        }
        ASSERT_EQ(got[n * 3 + c], wanted) << batch;
      }
  }
  EXPECT_EQ(compiles() - before, 1);
}

// torch#149406, torch#132849: a float argument, a length that grows.
TEST(Lazy, FloatArgumentsGrowingLengths) {
  int64_t before = compiles();
  for (double y : {1.5, 2.5, 1.0, 0.0, -4.0})
    EXPECT_EQ(floats(counted(3) * y - 7), (F{-7, static_cast<float>(y - 7), static_cast<float>(2 * y - 7)}));
  EXPECT_EQ(compiles() - before, 1);

  Tensor past = counted(1) - 5; // one more each step
  eval({past});
  before = compiles();
  for (int n = 1; n < 40; ++n) {
    past = concat({past, counted(1) + n});
    EXPECT_EQ(sum(past * past).item<float>(), 25 + n * (n + 1) * (2 * n + 1) / 6.0f);
  }
  EXPECT_EQ(compiles() - before, 1);
}

// torch#114293: a loop's bound.
TEST(Lazy, LoopBounds) {
  // A body that is no element-wise code is a loop from its fourth trip on, and one program for all their numbers.
  const Tensor start = counted(4), turn = Tensor::of<float>({0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0}, {4, 4});
  eval({start, turn});
  int64_t before = compiles();
  for (int trips = 5; trips < 50; ++trips) {
    Tensor x = start;
    for (int i = 0; i < trips; ++i)
      x = matmul(turn, x) + 1;
    EXPECT_EQ(floats(x)[0], static_cast<float>(trips % 4 + trips)) << trips;
  }
  EXPECT_EQ(compiles() - before, 1);

  // Cheap bodies run faster as straight code, in which values between are never stored. One, two and three trips are
  // not known to be a loop. Four are, but had better be straight code if there are never more (decision 0017). From the
  // fifth on it is the program of one trip. No order of trips saves more without guessing at what comes.
  before = compiles();
  auto halved = [&](int trips) {
    Tensor x = start;
    for (int i = 0; i < trips; ++i)
      x = x * 0.5 + 1;
    const float wanted = 2 - 2 * std::ldexp(1.0f, -trips);
    EXPECT_EQ(floats(x)[0], wanted) << trips;
  };
  for (const int trips : {1, 2, 3, 4})
    halved(trips);
  EXPECT_EQ(compiles() - before, 4);
  for (int trips = 5; trips < 50; ++trips)
    halved(trips);
  EXPECT_EQ(compiles() - before, 4);
}

// mlx#3201, mlx#3202: a fold over what had extent 1 when it was compiled was dropped.
TEST(Lazy, FoldsOverWhatWasOne) {
  const Tensor buffer = Tensor::of<float>({10, 20, 30, 40, 50});
  eval({buffer});
  const F sums{0, 10, 30, 60, 100, 150}, products{1, 1, 2, 6, 24, 120};
  const int64_t before = compiles();
  for (int64_t n : {1, 2, 3, 4, 0, 5}) {
    SCOPED_TRACE(n);
    const Tensor taken = gather(buffer, arange(n), 0);
    EXPECT_EQ(sum(taken).item<float>(), sums[static_cast<size_t>(n)]);
    EXPECT_EQ(floats(sum(taken.reshape({n, 1}), {0}, true)), F{sums[static_cast<size_t>(n)]});
    EXPECT_EQ(prod(taken / 10).item<float>(), products[static_cast<size_t>(n)]);
    EXPECT_EQ(floats(cumsum(taken, 0)), F(sums.begin() + 1, sums.begin() + 1 + n));
    EXPECT_EQ(floats(softmax(taken * 0, 0)), F(static_cast<size_t>(n), 1 / static_cast<float>(n)));
  }
  EXPECT_EQ(compiles() - before, 5); // one for each line
}

// mlx#2607, mlx#4460, mlx#4296: the length of the first run stayed; an op had no shape rule for others.
TEST(Lazy, LengthsAreNotThoseOfTheFirstRun) {
  const Tensor w = small({64, 17});
  eval({w});
  const F wv = floats(w);
  const int64_t before = compiles();
  for (int64_t length : {40, 248, 1, 0, 41}) {
    const Tensor x = small({1, length, 64}, length), product = matmul(x, w);
    EXPECT_EQ(product.shape(), (Shape{1, length, 17}));
    const Tensor running = cumsum(product, 1);
    const F in = floats(x), got = floats(product), sums = floats(running);
    F column(17, 0.0f);
    for (size_t i = 0; i < static_cast<size_t>(length); ++i)
      for (size_t c = 0; c < 17; ++c) {
        float wanted = 0;
        for (size_t k = 0; k < 64; ++k)
          wanted += in[i * 64 + k] * wv[k * 17 + c];
        ASSERT_EQ(got[i * 17 + c], wanted);
        ASSERT_EQ(sums[i * 17 + c], column[c] += wanted);
      }
  }
  EXPECT_EQ(compiles() - before, 1);
}

// torch#19888: what was copied saw a later write to its source.
TEST(Lazy, ACopyKeepsWhatItTook) {
  for (bool evaluated : {false, true}) {
    Tensor source = counted(4), target = zeros({4}), row = zeros({2, 4});
    target(slice()) = source(slice());
    row(1) = source;
    const Tensor clone = source.clone(), part = Tensor(source(slice(1, 3))).clone();
    if (evaluated)
      eval({source, target, row, clone, part});
    source += 1;
    EXPECT_EQ(floats(target), (F{0, 1, 2, 3}));
    EXPECT_EQ(floats(row), (F{0, 0, 0, 0, 0, 1, 2, 3}));
    EXPECT_EQ(floats(clone), (F{0, 1, 2, 3}));
    EXPECT_EQ(floats(part), (F{1, 2}));
    EXPECT_EQ(floats(source), (F{1, 2, 3, 4}));
    target *= 0;
    row(1) = 9;
    EXPECT_EQ(floats(source), (F{1, 2, 3, 4}));
  }
}

// torch#195451: a clone that a function returned was its argument.
TEST(Lazy, WhatIsReturnedIsIndependent) {
  const std::vector<Tensor (*)(const Tensor &)> functions{[](const Tensor &x) { return x.clone(); },
                                                          [](const Tensor &x) { return x; },
                                                          [](const Tensor &x) { return x + 0; },
                                                          [](const Tensor &x) { return reshape(x, {2, 2}); },
                                                          [](const Tensor &x) { return cast(x, DType::F32); },
                                                          [](const Tensor &x) { return transpose(x); },
                                                          [](const Tensor &x) { return x(slice()).clone(); }};
  for (const auto &function : functions)
    for (bool evaluated : {false, true}) {
      Tensor x = counted(4);
      Tensor y = function(x);
      if (evaluated)
        eval({x, y});
      y += 10;
      x -= 10;
      EXPECT_EQ(floats(x), (F{-10, -9, -8, -7}));
      EXPECT_EQ(floats(y), (F{10, 11, 12, 13}));
    }
}

// mlx#101, mlx#797, mlx#1462, torch#5534: recording, running or dropping a long chain overflowed the stack.
TEST(Lazy, ChainsOfAnyLength) {
  constexpr int length = 100000;
  Tensor x = Tensor::of<float>({1, -2});
  float one = 1, two = -2;
  for (int i = 0; i < length; ++i) {
    x = sin(x);
    one = std::sin(one), two = std::sin(two);
  }
  EXPECT_NEAR(floats(x)[0], one, 1e-5); // sin is contracting: errors do not add up
  EXPECT_NEAR(floats(x)[1], two, 1e-5);

  Tensor y = counted(3);
  for (int i = 0; i < length; ++i) { // turns by one place
    const auto parts = split(y, {1});
    y = concat({parts[1], parts[0]});
  }
  EXPECT_EQ(floats(y), (F{1, 2, 0})); // 100000 = 3 * 33333 + 1

  Tensor dropped = counted(2);
  for (int i = 0; i < length; ++i)
    dropped = cosh(dropped) - dropped;
  dropped = Tensor();
  EXPECT_EQ(sum(counted(3)).item<float>(), 3);
}

// tinygrad#8617, tinygrad#8457, tinygrad#8167, torch#115506: passes recursed over wide and deep graphs.
TEST(Lazy, WideGraphs) {
  constexpr int64_t count = 688;
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(counted(28 * 28).reshape({28, 28}) * static_cast<double>(i));
  const Tensor all = stack(parts);
  EXPECT_EQ(all.shape(), (Shape{count, 28, 28}));
  const F sums = floats(sum(all(slice(), 0, slice(0, 3)), {1}));
  for (int64_t i = 0; i < count; ++i)
    ASSERT_EQ(sums[static_cast<size_t>(i)], static_cast<float>(3 * i));

  std::vector<Tensor> layer; // a tree upside down: everything meets in one value
  for (int64_t i = 0; i < 1024; ++i)
    layer.push_back(counted(3) + static_cast<double>(i));
  while (layer.size() > 1) {
    std::vector<Tensor> next;
    for (size_t i = 0; i < layer.size(); i += 2)
      next.push_back(layer[i] + layer[i + 1]);
    layer = std::move(next);
  }
  EXPECT_EQ(floats(layer[0]), (F{523776, 524800, 525824}));
}

/// A line of /proc/self/status in bytes.
int64_t memory(const char *name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name))
      return std::stoll(line.substr(line.find(':') + 1)) * 1024;
  return 0;
}

// pytorch/executorch#22932, mlx#2305: all values between were alive at once, 1106 MB in place of 95.
TEST(Lazy, BigGraphsFreeAsTheyGo) {
  constexpr int64_t side = 512; // 1 MB a value, about 200 values
  const Tensor w = small({side, side}) / static_cast<double>(side);
  auto model = [&](const Tensor &input) {
    Tensor x = input;
    uint32_t draw = 1;
    for (int i = 0; i < 50; ++i) { // in no period, so that it is no loop
      draw = draw * 1664525 + 1013904223;
      const Tensor inner = draw >> 31 ? softmax(x, 1) : softmax(x, 0);
      x = draw >> 30 & 1 ? matmul(inner, w) + x : relu(matmul(w, inner)) - x;
    }
    return sum(x).item<float>();
  };
  const Tensor input = small({side, side});
  eval({w, input});
  const float first = model(input);              // compiles
  std::ofstream("/proc/self/clear_refs") << "5"; // the peak begins anew
  const int64_t before = memory("VmRSS");
  EXPECT_EQ(model(input), first);
  EXPECT_LT(memory("VmHWM") - before, 32 << 20);
}

// mlx#1743, mlx#2067, ml-explore/mlx-swift#457: an error on a worker's thread ended the process; values belonged to
// the thread that made them.
TEST(Lazy, AnyThreadMayAsk) {
  Tensor made, failed;
  std::thread([&] {
    made = counted(5) * 3;
    failed = floorDivide(Tensor::of<int64_t>({4}), Tensor::of<int64_t>({0}));
  }).join(); // the thread that recorded is gone
  std::thread([&] {
    EXPECT_EQ(floats(made + 1), (F{1, 4, 7, 10, 13}));
    EXPECT_THROW((void)failed.array(), Exception);
  }).join();
  EXPECT_EQ(floats(made), (F{0, 3, 6, 9, 12}));
  for (int i = 0; i < 2; ++i) // whenever it is asked
    try {
      (void)failed.array();
      ADD_FAILURE() << "no error";
    } catch (const Exception &e) {
      EXPECT_NE(std::string(e.what()).find("lazy_test.cpp:"), std::string::npos) << e.what();
    }
}

// jundot/omlx#1437: bytes that a background thread read ran hidden work, and ended the process.
TEST(Lazy, BytesAreReadOnAnyThread) {
  for (int round = 0; round < 20; ++round) {
    const Tensor x = counted(1000) + round, y = x * 2;
    std::vector<std::thread> readers;
    std::array<float, 4> seen{};
    for (size_t t = 0; t < seen.size(); ++t)
      readers.emplace_back([&, t] { seen[t] = (t % 2 ? x : y).array().as<float>()[999]; });
    const Tensor z = y + 1; // recorded meanwhile
    for (std::thread &reader : readers)
      reader.join();
    EXPECT_EQ(seen, (std::array<float, 4>{1998.0f + 2 * round, 999.0f + round, 1998.0f + 2 * round, 999.0f + round}));
    EXPECT_EQ(floats(z)[0], 2 * round + 1);
  }
}

} // namespace
} // namespace pliant
