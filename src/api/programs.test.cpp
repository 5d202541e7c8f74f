// SPDX-License-Identifier: Apache-2.0
// Recorded segments run as compiled programs: the values are those of the reference evaluators, one compile for all
// extents and positions.
#include "api/recording.test.h"

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

} // namespace
} // namespace pliant::api
