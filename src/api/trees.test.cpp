// SPDX-License-Identifier: Apache-2.0
// Recursive models: each tree is another segment, its equal nodes run together, and nothing is compiled for it.
#include "api/recording.test.h"

namespace pliant::api {
namespace {

SliceAttrs columns(int64_t from, int64_t count, int64_t rows = 1) {
  return {{Expr(0), Expr(from)}, {1, 1}, {Expr(rows), Expr(count)}};
}

/// Random numbers, the same everywhere.
struct Draw {
  uint64_t state;
  uint64_t operator()(uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  }
};

/// A binary TreeLSTM with one matrix for each kind of node.
struct TreeLstm {
  Both &both;
  int64_t embedding, hidden;
  Handle w = both.leaf(numbers({embedding, 3 * hidden})), wBias = both.leaf(numbers({3 * hidden})),
         u = both.leaf(numbers({2 * hidden, 5 * hidden})), uBias = both.leaf(numbers({5 * hidden})),
         out = both.leaf(numbers({hidden, 2}));
  std::function<void()> eachNode = [] {};
  struct State {
    Handle h, c;
  };

  Handle part(const Handle &all, int64_t i) { return both.op(columns(i * hidden, hidden), {all}); }
  Handle sigmoid(const Handle &x) { return both.op(SigmoidAttrs{}, {x}); }
  Handle tanh(const Handle &x) { return both.op(TanhAttrs{}, {x}); }
  Handle mul(const Handle &a, const Handle &b) { return both.op(MulAttrs{}, {a, b}); }
  Handle add(const Handle &a, const Handle &b) { return both.op(AddAttrs{}, {a, b}); }

  State word(const Handle &x) {
    Handle all = add(both.op(MatmulAttrs{}, {x, w}), wBias);
    Handle c = mul(sigmoid(part(all, 0)), tanh(part(all, 2)));
    return {mul(sigmoid(part(all, 1)), tanh(c)), c};
  }
  State node(const State &left, const State &right) {
    Handle children = both.op(ConcatAttrs{1}, {left.h, right.h});
    Handle all = add(both.op(MatmulAttrs{}, {children, u}), uBias);
    Handle c = add(mul(sigmoid(part(all, 0)), tanh(part(all, 4))),
                   add(mul(sigmoid(part(all, 1)), left.c), mul(sigmoid(part(all, 2)), right.c)));
    return {mul(sigmoid(part(all, 3)), tanh(c)), c};
  }
  /// A random tree over so many words.
  State tree(Draw &draw, int64_t words) {
    eachNode();
    if (words == 1)
      return word(both.leaf(numbers({1, embedding})));
    const auto left = static_cast<int64_t>(1 + draw(static_cast<uint64_t>(words - 1)));
    State first = tree(draw, left), second = tree(draw, words - left);
    return node(first, second);
  }
};

TEST(Trees, NothingIsCompiledAfterTheFirst) {
  Programs programs;
  Draw draw{3};
  int64_t after = 0;
  for (int64_t words : {20, 5, 6, 9, 17, 31, 60, 7, 12}) {
    Both both;
    TreeLstm model{both, 6, 4};
    Handle result = both.op(MatmulAttrs{}, {model.tree(draw, words).h, model.out});
    both.check(programs, !after);
    if (!after)
      after = programs.counts().compiles;
    EXPECT_EQ(programs.counts().compiles, after) << words << " words";
  }
  EXPECT_LE(after, 3); // two kinds of nodes, and what is above the root
  EXPECT_GE(programs.counts().waves, 9 * 3);
}

TEST(Trees, ManyTreesAtOnce) {
  Programs programs;
  Draw draw{5};
  for (int64_t trees : {8, 3, 20}) {
    Both both;
    TreeLstm model{both, 6, 4};
    std::vector<Handle> results;
    for (int64_t i = 0; i < trees; ++i)
      results.push_back(model.tree(draw, static_cast<int64_t>(2 + draw(12))).h);
    both.check(programs, trees == 8);
  }
  EXPECT_LE(programs.counts().compiles, 3);
}

TEST(Trees, IndependentThingsOfAListAreOneLaunchAndStackedByTheHost) {
  Programs programs;
  for (int64_t count : {7, 5, 31}) {
    Both both;
    Handle w = both.leaf(numbers({6, 4})), bias = both.leaf(numbers({4}));
    std::vector<Handle> results;
    for (int64_t i = 0; i < count; ++i)
      results.push_back(
          both.op(ReluAttrs{}, {both.op(AddAttrs{}, {both.op(MatmulAttrs{}, {both.leaf(numbers({2, 6})), w}), bias})}));
    for (Handle &each : results)
      each = both.op(ReshapeAttrs{{Expr(1), Expr(2), Expr(4)}}, {each});
    Handle all = both.op(MulAttrs{}, {both.op(ConcatAttrs{0}, results), both.leaf(numbers({4}))});
    results.clear();
    both.check(programs, count == 7);
  }
  EXPECT_EQ(programs.counts().compiles, 2);
  EXPECT_EQ(programs.counts().waves, 3);
}

TEST(Trees, RowsOfATableAreReadInPlace) {
  Programs programs;
  Draw draw{21};
  for (int64_t count : {9, 6, 14}) {
    for (bool columnsToo : {false, true}) {
      Both both;
      Handle table = both.leaf(numbers({30, 8})), w = both.leaf(numbers({columnsToo ? 5 : 8, 4}));
      std::vector<Handle> results;
      for (int64_t i = 0; i < count; ++i) {
        const auto row = static_cast<int64_t>(draw(29));
        Handle x =
            both.op(SliceAttrs{{Expr(row), Expr(columnsToo ? i % 3 : 0)}, {1, 1}, {Expr(2), Expr(columnsToo ? 5 : 8)}},
                    {table});
        results.push_back(both.op(TanhAttrs{}, {both.op(MatmulAttrs{}, {x, w})}));
      }
      both.check(programs);
    }
  }
  EXPECT_EQ(programs.counts().compiles, 1);
  EXPECT_EQ(programs.counts().waves, 6);
}

TEST(Trees, ExtentsThatDifferRunOneByOne) {
  // Words of one to three rows: what a wave reads does not fit together, and is right all the same.
  Programs programs;
  Both both;
  Handle w = both.leaf(numbers({5, 4}));
  std::vector<Handle> results;
  for (int64_t i = 0; i < 9; ++i)
    results.push_back(both.op(TanhAttrs{}, {both.op(MatmulAttrs{}, {both.leaf(numbers({1 + i % 3, 5})), w})}));
  both.check(programs);
  EXPECT_EQ(programs.counts().waves, 0);
  EXPECT_LE(programs.counts().compiles, 2);
}

TEST(Trees, EveryKindOfOpThatTakesABatch) {
  Programs programs;
  for (int64_t count : {6, 4, 9}) {
    Both both;
    Handle w = both.leaf(numbers({4, 4})), table = both.leaf(numbers({7, 4})), row = both.leaf(numbers({4}));
    std::vector<Handle> results;
    Draw draw{9};
    for (int64_t i = 0; i < count; ++i) {
      DenseTensor which = *DenseTensor::allocate(DType::I64, {3});
      for (int k = 0; k < 3; ++k)
        which.as<int64_t>()[k] = static_cast<int64_t>(draw(7));
      Handle x = both.op(GatherAttrs{0}, {table, both.leaf(which)}); // (3, 4)
      x = both.op(AddAttrs{}, {both.op(MatmulAttrs{}, {x, w}), row});
      x = both.op(MulAttrs{}, {x, both.leaf(numbers({}))}); // a number of its own
      x = both.op(SoftmaxAttrs{1}, {x});
      Handle turned = both.op(TransposeAttrs{{1, 0}}, {x}); // (4, 3)
      Handle product = both.op(MatmulAttrs{}, {x, turned}); // (3, 3)
      Handle sums = both.op(ReduceSumAttrs{{1}, true}, {product});
      Handle joined = both.op(ConcatAttrs{1}, {product, sums}); // (3, 4)
      Handle flat = both.op(ReshapeAttrs{{Expr(12)}}, {both.op(MaxAttrs{}, {joined, x})});
      results.push_back(
          both.op(BroadcastToAttrs{{Expr(2), Expr(12)}}, {both.op(ReshapeAttrs{{Expr(1), Expr(12)}}, {flat})}));
      results.push_back(both.op(ReduceMaxAttrs{{0}, false}, {flat}));
    }
    both.check(programs);
    EXPECT_GT(programs.counts().waves, 0);
  }
  EXPECT_EQ(programs.counts().compiles, 1);
}

TEST(Trees, NodesTogetherGiveTheBitsOfEachAlone) {
  // The same trees, as one segment and cut before every node.
  std::vector<DenseTensor> results[2];
  Programs programs;
  for (int alone = 0; alone < 2; ++alone) {
    Both both;
    Draw draw{11};
    TreeLstm model{both, 37, 19};
    if (alone)
      model.eachNode = [&] { programs.run(both.log.cut()); };
    std::vector<Handle> roots;
    for (int i = 0; i < 3; ++i)
      roots.push_back(model.tree(draw, 15).h);
    programs.run(both.log.cut());
    for (const Handle &root : roots)
      results[alone].push_back(root->stored()->get().tensor);
  }
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(std::memcmp(results[0][i].data(), results[1][i].data(), results[0][i].bytes()), 0) << i;
}

TEST(Trees, DrawnForestsGiveTheValuesOfTheReference) {
  for (uint64_t seed = 1; seed < 7; ++seed) {
    SCOPED_TRACE(seed);
    Programs programs;
    Draw draw{seed};
    for (int round = 0; round < 4; ++round) {
      Both both;
      TreeLstm model{both, static_cast<int64_t>(1 + seed % 5), static_cast<int64_t>(1 + seed % 3)};
      std::vector<Handle> held;
      for (uint64_t i = 0; i <= draw(3); ++i) {
        TreeLstm::State state = model.tree(draw, static_cast<int64_t>(2 + draw(20)));
        held.push_back(draw(2) ? state.h : model.add(state.h, state.c));
        if (draw(2))
          held.push_back(state.c);
      }
      both.check(programs);
    }
    EXPECT_LE(programs.counts().compiles, 12);
  }
}

} // namespace
} // namespace pliant::api
