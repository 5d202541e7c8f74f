// SPDX-License-Identifier: Apache-2.0
// When recorded work runs, and what is seen of it.
#include "api/observe.h"
#include "api/programs.h"
#include "pliant/pliant.h"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
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

TEST(Run, BackendsDifferInNothingButSpeed) {
  struct Native {
    ~Native() { setBackend("native"); }
  } afterwards;
  const Tensor numerators = Tensor::of<int64_t>({7, 8, 9}), zero = Tensor::of<int64_t>({1, 0, 2});
  auto program = [&](int n) {
    const Tensor x = sin(numbers(n) * 0.37);
    Tensor y = exp(x) / (1 + x * x) - x;
    for (int i = 0; i < n % 7; ++i)
      y = concat({y(slice(1, n)), x(slice(0, 1))}) * i;
    y(slice(0, n, 3)) += 2;
    const auto parts = topK(y, {std::min(n, 5)});
    return std::pair(sum(y).item<float>(), parts[0].values<float>());
  };
  for (int n : {1, 2, 17, 1001}) {
    const auto native = program(n);
    setBackend("reference");
    EXPECT_EQ(backend(), "reference");
    resetCounters();
    const auto reference = program(n);
    EXPECT_EQ(counters().compiles + counters().loads + counters().launches, 0);
    EXPECT_GT(counters().fallbacks, 5);
    // n numbers up to the largest, added in another order.
    EXPECT_NEAR(native.first, reference.first, 1e-6 * n * (1 + std::abs(native.second[0])));
    ASSERT_EQ(native.second.size(), reference.second.size());
    for (size_t i = 0; i < native.second.size(); ++i)
      EXPECT_NEAR(native.second[i], reference.second[i], 1e-5 * (1 + std::abs(native.second[i])));
    // An error is that of the values which depend on it, with the line that recorded it.
    const Tensor good = numerators + 1;
    const Tensor bad = floorDivide(good, zero), behind = bad * 2, other = good * 3;
    barrier();
    EXPECT_EQ(other.values<int64_t>(), (std::vector<int64_t>{24, 27, 30}));
    for (const Tensor &each : {bad, behind})
      try {
        (void)each.array();
        FAIL() << "it divides by zero";
      } catch (const Exception &e) {
        EXPECT_NE(std::string(e.what()).find("run.test.cpp:"), std::string::npos) << e.what();
      }
    const Tensor later = behind + 1;
    EXPECT_THROW((void)later.array(), Exception) << "what a later step records on it fails too";
    prepare([&] { const Tensor kept = numbers(n) * 5; });
    EXPECT_EQ(counters().compiles + counters().loads, 0);
    setBackend("native");
  }
  EXPECT_THROW(setBackend("cuda"), Exception);
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

Tensor gru(const Tensor &x, const Tensor &weights, const Tensor &state) {
  Tensor h = zeros({x.dim(1), state.dim(0)});
  for (int64_t t = 0; t < x.dim(0); ++t) {
    const std::vector<Tensor> in = split(matmul(x(t), weights), 3, 1), own = split(matmul(h, state), 3, 1);
    const Tensor reset = sigmoid(in[0] + own[0]), update = sigmoid(in[1] + own[1]);
    h = (1 - update) * tanh(in[2] + reset * own[2]) + update * h;
  }
  return h;
}

TEST(Run, APreparedLoopFindsItsPrograms) {
  const int64_t hidden = 6, features = 5;
  auto step = [&](int64_t steps, int64_t batch) {
    const Tensor x = sin(arange(steps * batch * features, DType::F32).reshape({steps, batch, features}));
    const Tensor weights = cos(arange(features * 3 * hidden, DType::F32).reshape({features, 3 * hidden})),
                 state = sin(arange(hidden * 3 * hidden, DType::F32).reshape({hidden, 3 * hidden}));
    eval({x, weights, state});
    return std::array{x, weights, state};
  };
  const auto [x, weights, state] = step(9, 2);
  const auto [longer, same, alike] = step(17, 4);
  Tensor none;
  const api::Programs::Counts before = api::Programs::all().counts();
  prepare([&] { none = gru(x, weights, state); });
  EXPECT_THROW(none.array(), Exception);
  EXPECT_GT(api::Programs::all().counts().compiles, before.compiles);
  EXPECT_EQ(api::Programs::all().counts().loops, before.loops); // nothing ran
  const AtMostPrograms known(0);
  const Tensor short9 = gru(x, weights, state);
  EXPECT_LT(std::abs(short9.values<float>()[0]), 1); // between the gates' values
  const Tensor long17 = gru(longer, same, alike);
  EXPECT_LT(std::abs(long17.values<float>()[0]), 1);
  EXPECT_EQ(api::Programs::all().counts().loops, before.loops + 2);
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

TEST(Run, ACutBudgetIsHeededAndChangesNoBit) {
  auto chain = [] {
    Tensor x = numbers(5) * 0.3;
    for (int i = 0; i < 49; ++i)
      x = sin(x + Tensor::of<float>({1, 2, 3, 4, static_cast<float>(i)}));
    return x.values<float>();
  };
  const std::vector<float> whole = chain();
  auto cutsWith = [&](int64_t ops, int64_t bytes, Cut reason) {
    setCutBudget(ops, bytes);
    resetCounters();
    EXPECT_EQ(chain(), whole) << ops << " ops, " << bytes << " bytes";
    return counters().cut[static_cast<size_t>(reason)];
  };
  EXPECT_EQ(cutsWith(1 << 14, 1 << 28, Cut::Ops), 0);
  const int64_t all = counters().ops;
  EXPECT_GT(all, 98);
  for (const int64_t ops : {1, 2, 7})
    EXPECT_EQ(cutsWith(ops, 1 << 28, Cut::Ops), all / ops);
  EXPECT_EQ(cutsWith(1 << 20, 1 << 28, Cut::Bytes), 0);
  // Every third step at least: two leaves of 20 bytes, and one that the user still has. What the worker has not yet run
  // it holds too, so a quick one makes it more often, but not twice in a step.
  const int64_t byBytes = cutsWith(1 << 20, 40, Cut::Bytes);
  EXPECT_GE(byBytes, 16);
  EXPECT_LE(byBytes, 49);
  setCutBudget(1 << 14, 1 << 28);
  EXPECT_THROW(setCutBudget(0, 1), Exception);
  EXPECT_THROW(setCutBudget(1, 0), Exception);
  EXPECT_THROW(setCutBudget((1 << 20) + 1, 1), Exception);
}

/// Whether the pool's thread of the number is there.
bool started(int number) {
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    if (std::ifstream(task.path() / "comm") >> name; name == "pliant-" + std::to_string(number))
      return true;
  }
  return false;
}

TEST(Run, ThreadsOfProgramsThatAreThere) {
  auto program = [] {
    const Tensor x = numbers(5000) * 0.01;
    return sum(exp(sin(x)).reshape({50, 100}), {1}).values<float>();
  };
  setThreads(1);
  const std::vector<float> alone = program();
  const int64_t before = counters().compiles;
  EXPECT_FALSE(started(6));
  setThreads(7);
  EXPECT_EQ(program(), alone); // too little work
  EXPECT_FALSE(started(6));
  setThreads(7, 0);
  EXPECT_EQ(program(), alone);
  EXPECT_TRUE(started(6));
  EXPECT_EQ(counters().compiles, before);
  setThreads(2);
  EXPECT_THROW(setThreads(0), Exception);
  EXPECT_THROW(setThreads(1, -1), Exception);
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
  EXPECT_NE(told[1].find("needed another program 8 times"), std::string::npos);
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
  EXPECT_EQ(seen.made() + seen.hits, 2);
  EXPECT_EQ(seen.cut[static_cast<size_t>(Cut::Read)], 2);
  EXPECT_EQ(seen.runTime.count, 2);
  EXPECT_NE(seen.text().find("2 segments"), std::string::npos);
  const std::string times = timeline();
  EXPECT_NE(times.find("\"name\": \"run\""), std::string::npos);
  EXPECT_NE(times.find("read at "), std::string::npos);
  EXPECT_NE(times.find("run.test.cpp:"), std::string::npos);
}

TEST(Run, BytesKernelsAndDonationsAreCounted) {
  const std::vector<float> elements(1000, 2.0f);
  resetCounters();
  Tensor x = Tensor::of<float>(elements, {1000});
  EXPECT_EQ(counters().bytesIn, 4000);
  (void)(x * 3).array();
  const Counters first = counters();
  EXPECT_EQ(first.bytesOut, 4000);
  EXPECT_GE(first.bytesLive, 4000);
  EXPECT_GE(first.bytesPeak, first.bytesLive);
  EXPECT_EQ(first.launches, 1);
  EXPECT_EQ(first.fallbacks, 0); // no op lacks a kernel
  EXPECT_EQ(first.donations, 0); // the user holds x
  for (int i = 0; i < 3; ++i) {
    x *= 3;
    barrier();
  }
  EXPECT_EQ(x.values<float>()[999], 54);
  const Counters seen = counters();
  EXPECT_EQ(seen.launches, 4);
  EXPECT_EQ(seen.donations, 3);
  EXPECT_EQ(seen.made() + seen.hits, 4);
  EXPECT_NE(seen.text().find("4 kernels launched"), std::string::npos) << seen.text();
  {
    const Tensor large = Tensor::of<float>(std::vector<float>(1 << 20), {1 << 20});
  }
  EXPECT_GE(counters().bytesPeak, counters().bytesLive + (4 << 20));
}

TEST(Run, ReadsAreExplainedByLine) {
  resetCounters();
  Tensor x = numbers(1 << 16);
  (void)x.array();
  const int often = __LINE__ + 2;
  for (int i = 0; i < 20; ++i)
    (void)sum(x = sin(x) + 0.5).item<float>();
  (void)x.array(); // it is there
  const Tensor mask = x > 0;
  const Tensor chosen = x(mask); // which waits for the count
  const std::string all = explain(), reads = all.substr(all.find("reads for which"));
  const std::string file = __FILE__;
  EXPECT_NE(reads.find(file + ":" + std::to_string(often) + ": 20 times, "), std::string::npos) << reads;
  EXPECT_NE(reads.find(file + ":" + std::to_string(often - 3) + ": 1 time, "), std::string::npos) << reads;
  EXPECT_NE(reads.find(file + ":" + std::to_string(often + 3) + ": 1 time, "), std::string::npos) << reads;
  EXPECT_EQ(reads.find(file + ":" + std::to_string(often + 1)), std::string::npos) << reads;
  EXPECT_EQ(std::ranges::count(reads, '\n'), 4);
}

TEST(Run, WhatAllThreadsHoldIsListedByLine) {
  barrier();
  wait();
  std::atomic<int> step{0};
  std::thread other([&] {
    const Tensor y = numbers(1000) * 2; // 4000 bytes, and what it is made of is not held
    step = 1;
    step.notify_all();
    step.wait(1);
  });
  const int otherLine = __LINE__ - 5;
  step.wait(0);
  const Tensor a = zeros({10}), b = zeros({3, 5}), c = a + 1; // 40, 60 and 40 bytes
  const std::string all = live(), file = __FILE__;
  step = 2;
  step.notify_all();
  other.join();
  const std::string wanted = "recorded by 2 threads and not yet run:\n  " + file + ":" + std::to_string(otherLine) +
                             ": 1 tensor, 3.9 KiB\n  " + file + ":" + std::to_string(otherLine + 7) +
                             ": 3 tensors, 140 bytes\nin memory: ";
  EXPECT_EQ(all.substr(0, wanted.size()), wanted) << all;
  eval({a, b, c});
  EXPECT_EQ(live().substr(0, 11), "in memory: ");
}

TEST(Run, AnOpWithoutAKernelIsWarnedOfOnce) {
  std::vector<std::string> told;
  onWarning([&](const std::string &text) { told.push_back(text); });
  for (int i = 0; i < 2; ++i)
    api::observe::withoutKernel("det", "model.cpp:7"); // there is no such op: what the maker of programs says of one
  barrier();
  onWarning({});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("det at model.cpp:7 has no kernel"), std::string::npos) << told[0];
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
  EXPECT_NE(seen.text().find("2 kept, of "), std::string::npos) << seen.text();
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
