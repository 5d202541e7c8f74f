// SPDX-License-Identifier: Apache-2.0
// Recorded segments run as compiled programs: the values are those of the reference evaluators, one compile for all
// extents and positions.
#include "api/recording.test.h"
#include <thread>

namespace pliant::api {
namespace {

TEST(Programs, OneCompileForEveryBatch) {
  Programs programs;
  for (int64_t batch : {5, 1, 2, 3, 16, 17, 0, 31, 64, 127}) {
    Both both;
    Handle x = both.leaf(numbers({batch, 12})), w = both.leaf(numbers({12, 7})), bias = both.leaf(numbers({7}));
    Handle y =
        both.op(MaxAttrs{}, {both.op(AddAttrs{}, {both.op(MatmulAttrs{}, {x, w}), bias}), both.leaf(numbers({}))});
    both.check(programs);
  }
  EXPECT_EQ(programs.counts().compiles, 1);
  EXPECT_EQ(programs.counts().hits, 9);
}

TEST(Programs, PositionsTravelByValue) {
  Programs programs;
  for (int64_t start = 0; start < 20; ++start) {
    Both both;
    Handle x = both.leaf(numbers({40, 6}));
    Handle y = both.op(MulAttrs{}, {both.op(SliceAttrs{{Expr(start), Expr(0)}, {1, 1}, {Expr(4), Expr(6)}}, {x}),
                                    both.leaf(numbers({6}))});
    both.check(programs);
  }
  EXPECT_EQ(programs.counts().compiles, 1);
}

TEST(Programs, ManyAndLargeNumbersTravelByValue) {
  // Together they are more elements than a tensor can have.
  Programs programs;
  for (int64_t start : {0, 1, 999}) {
    Both both;
    Handle x = both.leaf(numbers({1003, 2, 2, 2})), y = x;
    std::vector<Handle> parts;
    for (int64_t i = 0; i < 12; ++i)
      parts.push_back(both.op(SliceAttrs{{Expr(start + i % 3), Expr(0), Expr(1), Expr(0)},
                                         {1, 1, 1, 1},
                                         {Expr(2), Expr(2), Expr(1), Expr(2)}},
                              {x}));
    int i = 0;
    for (const Handle &part : parts)
      y = both.op(AddAttrs{}, {part, i++ ? y : part});
    both.check(programs);
  }
  EXPECT_EQ(programs.counts().compiles, 1);
}

TEST(Programs, NumbersBelowZeroHaveProgramsOfTheirOwn) {
  Programs programs;
  for (int64_t low : {2, -2, 1, -1, 0, -3}) {
    Both both;
    Handle x = both.leaf(numbers({9, 4}));
    Handle y = both.op(PadAttrs{{Expr(low), Expr(1)}, {Expr(-1), Expr(0)}, "constant"}, {x, both.leaf(numbers({}))});
    both.check(programs);
  }
  EXPECT_EQ(programs.counts().compiles, 2);
}

TEST(Programs, AReshapeToExtentsThatWereReadIsOneProgram) {
  Programs programs;
  for (int64_t batch : {3, 4, 9}) {
    Both both;
    Handle x = both.leaf(numbers({batch, 4, 6}));
    Handle y = both.op(AddAttrs{}, {both.op(ReshapeAttrs{{Expr(batch), Expr(24)}}, {x}), both.leaf(numbers({24}))});
    both.check(programs);
  }
  EXPECT_EQ(programs.counts().compiles, 1);
}

TEST(Programs, ABroadcastIsAnotherProgramOnlyWhereItMustBe) {
  Programs programs;
  for (auto [rows, other] : {std::pair<int64_t, int64_t>{3, 1}, {3, 3}, {1, 1}, {8, 1}, {8, 8}}) {
    Both both;
    Handle y = both.op(SubAttrs{}, {both.leaf(numbers({rows, 5})), both.leaf(numbers({other, 5}))});
    both.check(programs);
  }
  EXPECT_EQ(programs.counts().compiles, 2);
}

/// Another structure for each number: so many ops.
Handle chain(Both &both, int ops) {
  Handle x = both.leaf(numbers({3, 5})), y = both.leaf(numbers({5}));
  for (int i = 0; i < ops; ++i)
    x = i % 3 ? both.op(AddAttrs{}, {x, y}) : both.op(MulAttrs{}, {x, y});
  return x;
}

TEST(Programs, ThoseUsedLongestAgoAreGivenUp) {
  Programs programs;
  programs.limit({.programs = 3});
  auto run = [&](int ops) {
    Both both;
    const Handle kept = chain(both, ops);
    both.check(programs);
  };
  for (int ops : {1, 2, 3, 1, 4}) // 2 goes for 4
    run(ops);
  EXPECT_EQ(programs.counts().compiles, 4);
  EXPECT_EQ(programs.counts().evictions, 1);
  EXPECT_EQ(programs.counts().programs, 3);
  for (int ops : {1, 3, 4})
    run(ops);
  EXPECT_EQ(programs.counts().compiles, 4);
  run(2);
  EXPECT_EQ(programs.counts().compiles, 5);
  EXPECT_EQ(programs.counts().evictions, 2);

  const int64_t bytes = programs.counts().bytes;
  EXPECT_GT(bytes, 0);
  programs.limit({.bytes = bytes - 1});
  EXPECT_EQ(programs.counts().programs, 2);
  EXPECT_LT(programs.counts().bytes, bytes);
  programs.limit({.bytes = 1}); // the one used last stays
  EXPECT_EQ(programs.counts().programs, 1);
  run(2);
  EXPECT_EQ(programs.counts().compiles, 5);
}

TEST(Programs, AProgramIsGivenUpWhileALoopRunsIt) {
  // Its pieces take turns with one place.
  Programs programs;
  programs.limit({.programs = 1});
  for (int round = 0; round < 2; ++round) {
    Both both;
    Handle x = both.leaf(numbers({4, 4})), w = both.leaf(numbers({4, 4}));
    for (int i = 0; i < 6; ++i)
      x = both.op(TanhAttrs{}, {both.op(MatmulAttrs{}, {x, w})});
    x = both.op(ReduceSumAttrs{{0}, false}, {x});
    both.check(programs);
  }
  EXPECT_EQ(programs.counts().programs, 1);
  EXPECT_EQ(programs.counts().compiles, programs.counts().evictions + 1);
}

TEST(Programs, StructuresDoNotAccumulate) {
  Programs programs;
  programs.limit({.programs = 2});
  for (unsigned held = 1; held < 64; ++held) { // which of six values somebody holds
    trace::Log log;
    const Handle x = log.leaf(numbers({2}));
    std::vector<Handle> values{x};
    for (int i = 0; i < 6; ++i) {
      trace::Node *operands[] = {values.back().get(), x.get()};
      values.push_back(i % 4 ? *log.record(AddAttrs{}, operands, std::source_location::current())
                             : *log.record(MulAttrs{}, operands, std::source_location::current()));
    }
    for (unsigned i = 0; i < 6; ++i)
      if (!(held >> i & 1))
        values[i + 1] = Handle();
    programs.run(log.cut());
  }
  EXPECT_EQ(programs.counts().compiles, 63);
  EXPECT_LE(programs.counts().structures, int64_t(2 * 2 + Programs::looseStructures));
}

TEST(Programs, ThreadsThatWantOneProgramWaitForOneCompile) {
  Programs programs;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      Both both;
      Handle x = both.leaf(numbers({3 + i, 8})), y = both.leaf(numbers({8})), z = x;
      for (int k = 0; k < 12; ++k)
        z = both.op(AddAttrs{}, {both.op(MulAttrs{}, {z, y}), x});
      both.check(programs);
    });
  for (std::thread &each : threads)
    each.join();
  EXPECT_EQ(programs.counts().compiles, 1);
  EXPECT_EQ(programs.counts().hits, 3);
}

TEST(Programs, KnownOnesAreFoundWhileAnotherIsCompiled) {
  Programs programs;
  auto run = [&](int ops) {
    Both both;
    const Handle kept = chain(both, ops);
    both.check(programs);
  };
  run(2);
  int64_t meanwhile = 0; // runs of the known program during a compile
  for (int attempt = 1; attempt <= 200 && !meanwhile; ++attempt) {
    const int64_t before = programs.counts().compiles;
    std::atomic<bool> done{false};
    std::thread compiles([&] {
      run(50 + attempt);
      done = true;
    });
    while (!programs.counts().compiling && !done)
      std::this_thread::yield();
    while (!done) {
      run(2);
      meanwhile += programs.counts().compiling;
    }
    compiles.join();
    EXPECT_EQ(programs.counts().compiles, before + 1);
  }
  EXPECT_GT(meanwhile, 0);
}

} // namespace
} // namespace pliant::api
