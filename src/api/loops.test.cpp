// SPDX-License-Identifier: Apache-2.0
// Loops of the host: as many programs for any number of trips, and the values of the reference evaluators.
#include "api/recording.test.h"

namespace pliant::api {
namespace {

SliceAttrs part(std::vector<int64_t> starts, std::vector<int64_t> sizes) {
  return {Extents(starts.begin(), starts.end()), std::vector<int64_t>(starts.size(), 1),
          Extents(sizes.begin(), sizes.end())};
}
ReshapeAttrs shaped(std::vector<int64_t> dims) { return {Extents(dims.begin(), dims.end())}; }
Handle concat(Both &both, const std::vector<Handle> &parts, int64_t axis) { return both.op(ConcatAttrs{axis}, parts); }

constexpr int64_t batch = 3, width = 5, hidden = 4;

struct Gru {
  Both &both;
  Handle w = both.leaf(numbers({width, 3 * hidden})), u = both.leaf(numbers({hidden, 3 * hidden})),
         bias = both.leaf(numbers({3 * hidden}));

  Handle step(const Handle &x, const Handle &h) {
    Handle gx = both.op(AddAttrs{}, {both.op(MatmulAttrs{}, {x, w}), bias}), gh = both.op(MatmulAttrs{}, {h, u});
    auto gate = [&](const Handle &all, int64_t i) { return both.op(part({0, i * hidden}, {batch, hidden}), {all}); };
    Handle z = both.op(SigmoidAttrs{}, {both.op(AddAttrs{}, {gate(gx, 0), gate(gh, 0)})});
    Handle r = both.op(SigmoidAttrs{}, {both.op(AddAttrs{}, {gate(gx, 1), gate(gh, 1)})});
    Handle n = both.op(TanhAttrs{}, {both.op(AddAttrs{}, {gate(gx, 2), both.op(MulAttrs{}, {r, gate(gh, 2)})})});
    return both.op(AddAttrs{}, {n, both.op(MulAttrs{}, {z, both.op(SubAttrs{}, {h, n})})});
  }
};

/// Runs `record(both, trips)` for several numbers of trips; the first compiles all there is to compile.
template <class F>
void compilesOnce(F record, int64_t most = 1 << 20, std::vector<int64_t> trips = {6, 5, 7, 8, 13, 16, 33, 64}) {
  Programs programs;
  int64_t after = 0;
  for (int64_t n : trips) {
    Both both;
    auto held = record(both, n);
    both.check(programs, !after);
    if (!after)
      after = programs.counts().compiles;
    EXPECT_EQ(programs.counts().compiles, after) << n << " trips";
  }
  EXPECT_LE(after, most);
  EXPECT_EQ(programs.counts().loops, static_cast<int64_t>(trips.size()));
}

TEST(Loops, AGruOverAnyNumberOfSteps) {
  compilesOnce(
      [](Both &both, int64_t steps) {
        Gru cell{both};
        Handle h = both.leaf(numbers({batch, hidden}));
        for (int64_t t = 0; t < steps; ++t)
          h = cell.step(both.leaf(numbers({batch, width})), h);
        return h;
      },
      1);
}

TEST(Loops, WhatTheyStartFromNeedsNoProgram) {
  auto filled = [](Both &both, const std::vector<int64_t> &dims) {
    return both.op(BroadcastToAttrs{Extents(dims.begin(), dims.end())}, {both.leaf(numbers({}))});
  };
  compilesOnce(
      [&](Both &both, int64_t steps) {
        Gru cell{both};
        Handle h = filled(both, {batch, hidden}), unread = filled(both, {batch, 0}), read = filled(both, {steps, 3, 1});
        for (int64_t t = 0; t < steps; ++t)
          h = cell.step(both.leaf(numbers({batch, width})), h);
        return std::vector<Handle>{h, unread, read};
      },
      1);
}

TEST(Loops, StepsReadSlicesOfOneTensorAtTheirPositions) {
  compilesOnce(
      [](Both &both, int64_t steps) {
        Gru cell{both};
        Handle h = both.leaf(numbers({batch, hidden})), all = both.leaf(numbers({steps, batch, width}));
        for (int64_t t = steps; t-- > 0;)
          h = cell.step(both.op(shaped({batch, width}), {both.op(part({t, 0, 0}, {1, batch, width}), {all})}), h);
        return h;
      },
      1);
}

TEST(Loops, WhatComesBeforeAndBehindHasProgramsOfItsOwn) {
  compilesOnce(
      [](Both &both, int64_t steps) {
        Gru cell{both};
        Handle h = both.op(TanhAttrs{}, {both.leaf(numbers({batch, hidden}))});
        for (int64_t t = 0; t < steps; ++t)
          h = cell.step(both.leaf(numbers({batch, width})), h);
        return both.op(ReduceSumAttrs{{1}, false}, {both.op(MulAttrs{}, {h, h})});
      },
      3);
}

TEST(Loops, OutputsOfTripsAreHeldAndJoined) {
  auto record = [](bool stacked) {
    return [stacked](Both &both, int64_t steps) {
      Gru cell{both};
      std::vector<Handle> outputs{both.leaf(numbers({batch, hidden}))}, held;
      for (int64_t t = 0; t < steps; ++t)
        outputs.push_back(cell.step(both.leaf(numbers({batch, width})), outputs.back()));
      held = outputs;
      if (stacked)
        for (Handle &each : outputs)
          each = both.op(shaped({1, batch, hidden}), {each});
      held.push_back(both.op(MulAttrs{}, {concat(both, outputs, stacked ? 0 : 1), both.leaf(numbers({}))}));
      return held;
    };
  };
  compilesOnce(record(false), 2);
  compilesOnce(record(true), 4);
}

TEST(Loops, VariablesOfTheLastTripMayLiveOn) {
  compilesOnce([](Both &both, int64_t steps) {
    Gru cell{both};
    std::vector<Handle> last;
    Handle h = both.leaf(numbers({batch, hidden}));
    for (int64_t t = 0; t < steps; ++t) {
      Handle x = both.op(NegAttrs{}, {both.leaf(numbers({batch, width}))});
      h = cell.step(x, h);
      last = {x, h};
    }
    return last;
  });
}

TEST(Loops, AStateThatGrows) {
  compilesOnce([](Both &both, int64_t steps) {
    Handle state = both.leaf(numbers({1, width})), w = both.leaf(numbers({width, width}));
    for (int64_t t = 0; t < steps; ++t) {
      Handle x = both.op(MatmulAttrs{}, {both.leaf(numbers({1, width})), w});
      state = concat(both, {state, both.op(TanhAttrs{}, {x})}, 0);
    }
    return state;
  });
}

TEST(Loops, LoopsInALoop) {
  // The inner loop has another number of trips each time.
  compilesOnce([](Both &both, int64_t steps) {
    Gru cell{both};
    Handle h = both.leaf(numbers({batch, hidden}));
    std::vector<Handle> ends;
    for (int64_t outer = 0; outer < 6; ++outer) {
      h = both.op(TanhAttrs{}, {h});
      for (int64_t t = 0; t < steps + outer % 3; ++t)
        h = cell.step(both.leaf(numbers({batch, width})), h);
      ends.push_back(both.op(ReduceSumAttrs{{0}, false}, {h}));
    }
    return ends;
  });
}

TEST(Loops, LoopsOfDifferentBodiesOneAfterAnother) {
  compilesOnce([](Both &both, int64_t steps) {
    Gru cell{both};
    Handle h = both.leaf(numbers({batch, hidden})), w = both.leaf(numbers({hidden, hidden}));
    for (int64_t t = 0; t < steps; ++t)
      h = cell.step(both.leaf(numbers({batch, width})), h);
    for (int64_t t = 0; t < steps + 3; ++t)
      h = both.op(ReluAttrs{}, {both.op(AddAttrs{}, {both.op(MatmulAttrs{}, {h, w}), both.leaf(numbers({hidden}))})});
    return h;
  });
}

TEST(Loops, BodiesOfAnyLength) {
  for (int64_t length : {1, 2, 3, 64, 200}) {
    SCOPED_TRACE(length);
    compilesOnce(
        [&](Both &both, int64_t steps) {
          Handle x = both.leaf(numbers({2, 2})), w = both.leaf(numbers({2, 2}));
          for (int64_t t = 0; t < steps; ++t) {
            uint64_t state = 7; // bodies without loops of their own
            for (int64_t i = 0; i < length; ++i) {
              const uint64_t pick = i ? (state = state * 6364136223846793005u + 1442695040888963407u) >> 60 : 0;
              x = pick < 4   ? both.op(MatmulAttrs{}, {x, w})
                  : pick < 9 ? both.op(TanhAttrs{}, {x})
                             : both.op(AddAttrs{}, {x, w});
            }
          }
          return x;
        },
        1, {9, 10, 17, 31});
  }
}

TEST(Loops, CheapOnesAreStraightCodeUntilTheirLengthChanges) {
  Programs programs;
  for (int64_t n : {20, 20, 9, 33, 64, 300, 301, 1000, 1001, 63}) {
    Both both;
    Handle sum = both.leaf(numbers({7}));
    for (int64_t i = 0; i < n; ++i)
      sum = both.op(AddAttrs{}, {sum, both.leaf(numbers({7}))});
    both.check(programs);
    const Programs::Counts counts = programs.counts();
    if (n == 20) {
      EXPECT_EQ(counts.loops, 0);
      EXPECT_EQ(counts.compiles, 1);
    }
  }
  EXPECT_LE(programs.counts().compiles, 4);
  EXPECT_GE(programs.counts().loops, 6);
}

TEST(Loops, ALongLoopAroundShortCheapOnes) {
  Programs programs;
  for (int64_t n : {20, 40, 41}) {
    Both both;
    Handle x = both.leaf(numbers({3, 3})), a = both.leaf(numbers({3, 3}));
    for (int64_t i = 0; i < 31 * n; ++i) {
      x = i % 31 ? both.op(MulAttrs{}, {x, a}) : both.op(SubAttrs{}, {a, x});
      x = both.op(AddAttrs{}, {x, a});
    }
    both.check(programs);
  }
  EXPECT_LE(programs.counts().compiles, 2);
  EXPECT_EQ(programs.counts().loops, 3);
}

TEST(Loops, WhatLooksLikeALoopAndIsNone) {
  // Equal ops that read each other in another order each time.
  Programs programs;
  Both both;
  std::vector<Handle> values{both.leaf(numbers({2, 2})), both.leaf(numbers({2, 2}))};
  uint64_t state = 7;
  for (int i = 0; i < 120; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const size_t a = (state >> 33) % values.size(), b = (state >> 43) % values.size();
    values.push_back(both.op(TanhAttrs{}, {both.op(MatmulAttrs{}, {values[a], values[b]})}));
  }
  both.check(programs);
}

/// Code with loops, drawn from a seed: loops of random bodies, some of them in loops, over several values, with values
/// that are held at random. The same seed gives the same code for any `trips`.
class Drawn {
public:
  Drawn(Both &both, uint64_t seed, int64_t trips) : both(both), state(seed * 2 + 1), trips(trips) {
    for (int i = 0; i < 3; ++i)
      values.push_back(both.leaf(numbers({3, 3})));
    for (int i = 0; i < 2; ++i)
      fixed.push_back(both.leaf(numbers({3, 3})));
  }
  std::vector<Handle> run() {
    for (int part = 0; part < 3; ++part) {
      block(state, 1 + pick(4));
      const uint64_t body = next(), length = 1 + pick(6), inner = pick(3);
      for (int64_t t = 0; t < trips + part; ++t) {
        uint64_t own = body;
        block(own, length);
        if (inner == 0)
          for (int64_t u = 0; u < 5; ++u) {
            uint64_t same = body + 1;
            block(same, 2);
          }
      }
    }
    held.insert(held.end(), values.begin(), values.end());
    return held;
  }

private:
  Both &both;
  uint64_t state;
  const int64_t trips;
  std::vector<Handle> values, fixed, held;

  static uint64_t draw(uint64_t &from) { return (from = from * 6364136223846793005u + 1442695040888963407u) >> 33; }
  uint64_t next() { return draw(state); }
  uint64_t pick(uint64_t n) { return next() % n; }

  /// Some ops: each replaces one of the values.
  void block(uint64_t &from, uint64_t length) {
    for (uint64_t i = 0; i < length; ++i) {
      auto operand = [&]() -> Handle {
        const uint64_t which = draw(from) % 8;
        if (which < 5)
          return values[which % values.size()];
        return which < 7 ? fixed[which % fixed.size()] : both.leaf(numbers({3, 3}));
      };
      Handle a = operand(), b = operand(), result;
      switch (draw(from) % 5) {
      case 0:
        result = both.op(TanhAttrs{}, {both.op(MatmulAttrs{}, {a, b})});
        break;
      case 1:
        result = both.op(AddAttrs{}, {both.op(SigmoidAttrs{}, {a}), b});
        break;
      case 2:
        result = both.op(MinAttrs{}, {a, both.op(ReduceSumAttrs{{0}, true}, {b})});
        result = both.op(TanhAttrs{}, {result});
        break;
      case 3:
        result = both.op(shaped({3, 3}), {both.op(part({0, 0}, {3, 3}), {both.op(SinAttrs{}, {a})})});
        break;
      default:
        result = both.op(CosAttrs{}, {both.op(SubAttrs{}, {a, b})});
      }
      values[draw(from) % values.size()] = result;
      if (draw(from) % 16 == 0)
        held.push_back(result);
    }
  }
};

TEST(Loops, DrawnLoopsGiveTheValuesOfTheReference) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Programs programs;
    std::vector<int64_t> compiles;
    for (int64_t trips : {7, 9, 12, 16, 17}) {
      Both both;
      auto held = Drawn(both, seed, trips).run();
      both.check(programs);
      compiles.push_back(programs.counts().compiles);
    }
    // Once
    EXPECT_EQ(compiles.back(), compiles[2]);
  }
}

TEST(Loops, AnErrorNamesTheLineOfItsTrip) {
  Programs programs;
  trace::Log log;
  Handle x = log.leaf(*DenseTensor::zeros(DType::I32, {2, 2}));
  auto op = [&](const auto &attrs, std::vector<Handle> operands, uint32_t line) {
    std::vector<trace::Node *> nodes;
    for (const Handle &each : operands)
      nodes.push_back(each.get());
    return *log.record(attrs, nodes, Site("loop.cpp", line));
  };
  Handle y = x;
  for (uint32_t t = 0; t < 8; ++t) {
    DenseTensor divisor = *DenseTensor::zeros(DType::I32, {2, 2});
    std::fill_n(divisor.as<int32_t>(), 4, t == 5 ? 0 : 1);
    y = op(DivAttrs{}, {op(ReduceSumAttrs{{0}, true}, {y}, 1), log.leaf(divisor)}, 10 + t);
  }
  programs.run(log.cut());
  const trace::Stored &stored = y->stored()->get();
  ASSERT_TRUE(stored.error);
  EXPECT_EQ(stored.error->where, "loop.cpp:15");
}

} // namespace
} // namespace pliant::api
