// SPDX-License-Identifier: Apache-2.0
// When recorded work runs, and what is seen of it.
#include "pliant/pliant.h"
#include <atomic>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace pliant {
namespace {

Tensor numbers(int64_t count) { return arange(count, DType::F32); }

TEST(Run, ObserversShareOneRunWithTheirStep) {
  const Tensor x = numbers(10);
  const Tensor y = x * 3, z = y - 1;
  std::atomic<float> seen{0};
  resetCounters();
  observe({sum(y)}, [&](const std::vector<Array> &arrays) { seen = *arrays[0].as<float>(); });
  observe({z}, [&](const std::vector<Array> &arrays) { seen = seen + arrays[0].as<float>()[9]; });
  EXPECT_EQ(seen, 0);
  barrier();
  wait();
  EXPECT_EQ(seen, 135 + 26);
  EXPECT_EQ(counters().segments, 1);
}

TEST(Run, AnObserverHearsOfErrors) {
  const Tensor zero = Tensor::of<int64_t>({0});
  std::string said;
  observe(
      {floorDivide(Tensor::of<int64_t>({1}), zero)}, [](const std::vector<Array> &) { FAIL(); },
      [&](const Exception &e) { said = e.what(); });
  barrier();
  wait();
  EXPECT_NE(said.find("run.test.cpp:"), std::string::npos) << said;
}

TEST(Run, EagerGivesTheSameBits) {
  auto program = [] {
    const Tensor x = sin(numbers(1001) * 0.37);
    return sum(exp(x) / (1 + x * x) - x).item<float>();
  };
  const float lazy = program();
  setEager(true);
  resetCounters();
  const float eager = program();
  setEager(false);
  EXPECT_EQ(eager, lazy);
  EXPECT_GT(counters().cut[static_cast<size_t>(Cut::Eager)], 5);
}

TEST(Run, ScopesThatForbid) {
  const Tensor x = numbers(4) + 1;
  {
    const NoEvaluation none;
    const Tensor y = x * 2;
    EXPECT_THROW((void)y.array(), Exception);
    EXPECT_THROW((void)sum(y).item<float>(), Exception);
  }
  EXPECT_EQ(sum(x).item<float>(), 10);
  auto rare = [](const Tensor &v) { return sum(cosh(tanh(sinh(v)))).item<float>(); };
  EXPECT_EQ(sum(numbers(4) + 1).item<float>(), 10);
  {
    const AtMostPrograms none(0);
    EXPECT_THROW(rare(x), Exception);
    EXPECT_EQ(sum(numbers(4) + 1).item<float>(), 10);
  }
  EXPECT_GT(rare(x), 0);
}

TEST(Run, APreparedStepFindsItsProgram) {
  auto step = [](int64_t n) { return sum(atan(numbers(n)) * 0.25 + acosh(numbers(n) + 1)); };
  Tensor none;
  prepare([&] { none = step(8); });
  EXPECT_THROW(none.array(), Exception);
  const AtMostPrograms known(0);
  EXPECT_GT(step(30).item<float>(), 0);
}

TEST(Run, AForkedChildIsToldAndGoesOn) {
  const Tensor x = numbers(16);
  const Tensor pending = x + 1;
  EXPECT_EQ(sum(x * 2).item<float>(), 240); // the program of the child
  barrier();
  wait();
  const pid_t child = fork();
  if (child == 0) {
    bool right = sum(x * 2).item<float>() == 240 && sum(pending).item<float>() == 136;
    barrier();
    const Tensor more = pending * pending;
    barrier(); // by a worker of its own
    right = right && more.array().as<float>()[1] == 4;
    _exit(right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(sum(pending).item<float>(), 136);
}

TEST(Run, ThreadsRecordAndReadAtOnce) {
  const Tensor shared = numbers(100) * 2;
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Tensor x = shared;
      for (int i = 0; i < 50; ++i) {
        x = x + t;
        if (i % 10 == t)
          barrier();
        if (i % 17 == t)
          (void)sum(x).item<float>();
      }
      right += x.values<float>()[3] == 6 + 50 * t;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 4);
}

TEST(Run, ACompileIsExplained) {
  auto last = [] {
    const std::string all = explain();
    return all.substr(all.rfind("\nprogram ") + 1);
  };
  const Tensor x = numbers(6).reshape({2, 3}), row = numbers(3).reshape({1, 3}), same = numbers(6).reshape({2, 3});
  eval({x, row, same});
  auto program = [](const Tensor &a, const Tensor &b) { return sum(asinh(a) * b).item<float>(); };
  program(x, same);
  program(x, row);
  EXPECT_NE(last().find("the same ops as a known program"), std::string::npos) << explain();
  EXPECT_NE(last().find("(now 1)"), std::string::npos) << explain();
  const Tensor first = asinh(x);
  const std::string line = "run.test.cpp:" + std::to_string(__LINE__ + 1);
  sum(first - row).item<float>();
  EXPECT_NE(last().find(line + " is sub of f32 of rank 2 and f32 of rank 2, where the nearest known program has mul"),
            std::string::npos)
      << explain();
}

TEST(Run, WhatIsPendingCanBeLookedAt) {
  barrier();
  const Tensor x = zeros({2, 3});
  (void)x.array();
  EXPECT_EQ(pending(), "");
  for (int round = 0; round < 2; ++round) { // the second one follows the first
    const Tensor y = x * 2;
    const Tensor z = sum(exp(y), {1});
    const std::string text = pending();
    EXPECT_NE(text.find("leaf0: f32(2, 3)\n"), std::string::npos) << text;
    EXPECT_NE(text.find("v0*: f32(2, 3) = mul(leaf0, leaf1)  # "), std::string::npos) << text;
    EXPECT_NE(text.find("v1: f32(2, 3) = exp(v0)"), std::string::npos) << text;
    EXPECT_NE(text.find("v2*: f32(2,) = reduce_sum(v1)"), std::string::npos) << text;
    EXPECT_NE(pending(Form::Dot).find("v1 -> v2;"), std::string::npos);
    const std::string ir = pending(Form::Ir);
    EXPECT_NE(ir.find("pliant.reduce_sum"), std::string::npos) << ir;
    EXPECT_NE(ir.find("#pliant.shape<\"s0\", \"s1\">"), std::string::npos) << ir; // for every shape
    (void)z.array();
  }
}

TEST(Run, RepeatedCompilesAndReadsAreWarnedOf) {
  std::vector<std::string> told;
  onWarning([&](const std::string &text) { told.push_back(text); });
  Tensor x = numbers(3);
  const int line = __LINE__ + 2;
  for (int i = 0; i < 100; ++i)
    (void)(x = x * 0.5 + 1).array();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("100 times at"), std::string::npos);
  EXPECT_NE(told[0].find("run.test.cpp:" + std::to_string(line)), std::string::npos) << told[0];
  for (int i = 1; i <= 8; ++i) {
    Tensor y = x;
    for (int k = 0; k < 9; ++k) // each time another function
      y = k < i ? sinh(y) : cosh(y) + k;
    (void)y.array();
  }
  ASSERT_EQ(told.size(), 2u);
  EXPECT_NE(told[1].find("was compiled 8 times"), std::string::npos);
  onWarning({});
}

TEST(Run, CountsAndTimes) {
  resetCounters();
  startTimeline();
  const Tensor x = numbers(5) * 7;
  EXPECT_EQ(x.values<float>()[4], 28);
  (void)(x + 1).array();
  const Counters seen = counters();
  EXPECT_EQ(seen.segments, 2);
  EXPECT_EQ(seen.compiles + seen.hits, 2);
  EXPECT_EQ(seen.cut[static_cast<size_t>(Cut::Read)], 2);
  EXPECT_EQ(seen.runTime.count, 2);
  EXPECT_NE(seen.text().find("2 segments"), std::string::npos);
  const std::string times = timeline();
  EXPECT_NE(times.find("\"name\": \"run\""), std::string::npos);
  EXPECT_NE(times.find("read at "), std::string::npos);
  EXPECT_NE(times.find("run.test.cpp:"), std::string::npos);
}

TEST(Run, KernelsAreCounted) {
  auto launches = [](const auto &compute) {
    const int64_t before = counters().launches;
    (void)compute().array();
    return counters().launches - before;
  };
  const Tensor rows = numbers(24).reshape({4, 6}), scale = numbers(6) + 1, bias = numbers(6) * 0.5;
  eval({rows, scale, bias});
  EXPECT_EQ(launches([&] { return softmax(rows); }), 1);
  EXPECT_EQ(launches([&] { return layerNorm(rows, scale, bias); }),
            1); // parameters are as long as a row, not broadcast
  EXPECT_EQ(launches([&] { return matmul(matmul(rows, rows.reshape({6, 4})), rows); }), 2);
  const Tensor product = matmul(rows, rows.reshape({6, 4}));
  EXPECT_EQ(launches([&] { return sum(product + 1); }), 2);
  EXPECT_EQ(launches([&] { return product; }), 0); // what has run does not run again
}

TEST(Run, ProgramsAreGivenUpAndMadeAgain) {
  resetCounters();
  setProgramLimits(2, int64_t(1) << 30);
  const int64_t before = counters().evictions;
  auto root = [](int times) {
    Tensor x = numbers(3);
    for (int i = 0; i < times; ++i)
      x = sqrt(x) + i;
    return x.values<float>()[0];
  };
  for (const int times : {1, 2, 3, 1})
    EXPECT_GE(root(times), 0);
  const Counters seen = counters();
  setProgramLimits(1024, int64_t(1) << 30);
  EXPECT_EQ(seen.programs, 2);
  EXPECT_GT(seen.programBytes, 0);
  EXPECT_GE(seen.evictions, before + 2);
  EXPECT_NE(seen.text().find("2 programs kept"), std::string::npos) << seen.text();
  EXPECT_NE(explain().find("was given up"), std::string::npos) << explain();
  EXPECT_THROW(setProgramLimits(0, 1), Exception);
  EXPECT_THROW(setProgramLimits(1, 0), Exception);
}

/// Where the elements of a value lie, and nobody else's share in them.
const void *placeOf(const Tensor &x) { return x.array().data.get(); }

TEST(Run, WhatAStepReplacesGivesItsMemory) {
  Tensor x = full({1 << 18}, 1.0f);
  x += 1;
  const void *first = placeOf(x);
  for (int i = 0; i < 3; ++i) {
    x *= 2;
    EXPECT_EQ(placeOf(x), first);
    x = maximum(x - 1, 0.0f); // a new value under an old name
    EXPECT_EQ(placeOf(x), first);
  }
  EXPECT_EQ(x.values<float>()[12345], 9); // 2, 3, 5, 9

  // Whoever still has the old value keeps it.
  const Tensor kept = x;
  x += 1;
  EXPECT_NE(placeOf(x), first);
  EXPECT_EQ(kept.values<float>()[7], 9);
  EXPECT_EQ(x.values<float>()[7], 10);
  const Array before = x.array();
  x += 1;
  EXPECT_EQ(before.as<float>()[7], 10);
  EXPECT_EQ(x.values<float>()[7], 11);
  Tensor part = x(slice(0, 3));
  x += 1;
  EXPECT_EQ(part.values<float>(), (std::vector<float>{12, 12, 12}));
  std::vector<float> own(64, 3);
  Tensor lent = Tensor::of(Array{DType::F32, {64}, std::shared_ptr<const void>(own.data(), [](const void *) {})});
  lent += 1;
  EXPECT_EQ(lent.values<float>()[0], 4);
  EXPECT_EQ(own[0], 3);

  // Read elsewhere than where it is written, or by two: no.
  Tensor m = arange(9).reshape({3, 3});
  (void)m.array();
  m = m + transpose(m, {1, 0});
  EXPECT_EQ(m.values<int64_t>(), (std::vector<int64_t>{0, 4, 8, 4, 8, 12, 8, 12, 16}));
  Tensor sums = full({5}, 2.0f);
  (void)sums.array();
  Tensor twice = sums * 2;
  sums = sums + sum(sums);
  EXPECT_EQ(twice.values<float>()[4], 4);
  EXPECT_EQ(sums.values<float>()[4], 12);
}

TEST(Run, AnErrorLeavesWhatItDoesNotConcern) {
  Tensor x = Tensor::of<int32_t>({6, 7, 8});
  (void)x.array();
  const Tensor zero = Tensor::of<int32_t>({0, 1, 1});
  Tensor bad = floorDivide(x, zero), good = x + 1;
  x = Tensor();
  EXPECT_EQ(good.values<int32_t>(), (std::vector<int32_t>{7, 8, 9}));
  EXPECT_THROW((void)bad.array(), Exception);
}

TEST(Run, LoopsOfTheHostWorkInPlace) {
  Tensor x = full({1 << 16}, 1.0f);
  (void)x.array();
  for (int i = 0; i < 200; ++i)
    x = x * 0.5f + 1;
  EXPECT_EQ(x.values<float>()[99], 2);
}

} // namespace
} // namespace pliant
