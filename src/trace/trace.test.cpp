// SPDX-License-Identifier: Apache-2.0
#include "trace/log.h"
#include "trace/symbolic.h"
#include <gtest/gtest.h>

namespace pliant::trace {
namespace {

DenseTensor tensor(std::vector<int64_t> dims, DType dtype = DType::F32) {
  return *DenseTensor::zeros(dtype, std::move(dims));
}
constexpr auto here = std::source_location::current();

struct Recorder {
  Log log;
  Handle leaf(std::vector<int64_t> dims, DType dtype = DType::F32) { return log.leaf(tensor(std::move(dims), dtype)); }
  template <class A> Result<Handle> tried(const A &attrs, std::initializer_list<Handle> operands) {
    std::vector<Node *> nodes;
    for (const Handle &each : operands)
      nodes.push_back(each.get());
    return log.record(attrs, nodes, here);
  }
  template <class A> Handle op(const A &attrs, std::initializer_list<Handle> operands) {
    auto result = tried(attrs, operands);
    EXPECT_TRUE(result) << result.error().text();
    return result ? std::move(*result) : Handle();
  }
};

std::vector<int64_t> dims(const Handle &handle) { return {handle->dims().begin(), handle->dims().end()}; }

TEST(Log, TypesOnNumbers) {
  Recorder r;
  Handle x = r.leaf({2, 3}), bias = r.leaf({3}), w = r.leaf({3, 5});
  EXPECT_EQ(dims(r.op(AddAttrs{}, {x, bias})), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(dims(r.op(MatmulAttrs{}, {x, w})), (std::vector<int64_t>{2, 5}));
  EXPECT_EQ(r.op(LessAttrs{}, {x, bias})->dtype, DType::Bool);
  EXPECT_EQ(dims(r.op(AddAttrs{}, {r.leaf({0, 1}), r.leaf({1, 3})})), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(r.log.pending(), 4u);
}

TEST(Log, ProductsByArithmeticAreThoseOfTheRule) {
  struct Case {
    std::vector<int64_t> a, b, product; // none: an error
  };
  const std::vector<Case> cases{
      {{2, 3}, {3, 5}, {2, 5}},
      {{0, 3}, {3, 1}, {0, 1}},
      {{4, 2, 3}, {3, 5}, {4, 2, 5}},
      {{2, 3}, {4, 3, 5}, {4, 2, 5}},
      {{1, 2, 3}, {4, 3, 5}, {4, 2, 5}},
      {{7, 1, 2, 3}, {4, 3, 1}, {7, 4, 2, 1}},
      {{0, 2, 3}, {1, 3, 5}, {0, 2, 5}},
      {{2, 0}, {0, 5}, {2, 5}},
      {{2, 3}, {1, 5}, {}},
      {{2, 1}, {3, 5}, {}},
      {{4, 2, 3}, {5, 3, 5}, {}},
      {{3}, {3, 5}, {}},
      {{2, 3}, {3}, {}},
  };
  Recorder r;
  EXPECT_EQ(r.op(MatmulAttrs{}, {r.leaf({1, 1}), r.leaf({1, 1})})->dtype, DType::F32); // the fast way knows the op
  for (const Case &each : cases) {
    Recorder fresh;
    for (Recorder *recorder : {&fresh, &r}) {
      auto made = recorder->tried(MatmulAttrs{}, {recorder->leaf(each.a), recorder->leaf(each.b)});
      ASSERT_EQ(bool(made), !each.product.empty());
      if (made)
        EXPECT_EQ(dims(*made), each.product);
      else
        EXPECT_NE(made.error().text().find("[matmul]"), std::string::npos) << made.error().text();
    }
  }
}

TEST(Log, SlicesByArithmeticAreThoseOfTheRule) {
  constexpr int64_t far = int64_t(1) << 46;
  Recorder r;
  auto agree = [&](int64_t extent, int64_t start, int64_t step, int64_t size) {
    const SliceAttrs attrs{{Expr(1), Expr(start)}, {1, step}, {Expr(2), Expr(size)}};
    Facts facts;
    const TensorType operand{DType::F16, {Expr(3), Expr(extent)}};
    const auto right = inferTypes(OpId::Slice, attrs, {&operand, 1}, facts);
    const auto made = r.tried(attrs, {r.leaf({3, extent}, DType::F16)});
    const std::string what = std::to_string(start) + ":" + std::to_string(step) + ":" + std::to_string(size);
    ASSERT_EQ(bool(made), bool(right)) << extent << " " << what;
    if (!made)
      EXPECT_NE(made.error().text().find(right.error().message), std::string::npos) << made.error().text();
    else
      EXPECT_EQ(dims(*made), (std::vector<int64_t>{2, size})) << extent << " " << what;
  };
  for (int64_t extent = 0; extent < 5; ++extent)
    for (int64_t start = -1; start <= extent; ++start)
      for (int64_t step : {-3, -2, -1, 0, 1, 2, 3})
        for (int64_t size = -1; size <= extent + 1; ++size)
          agree(extent, start, step, size);
  for (int64_t step : {INT64_MIN, -far, far, INT64_MAX})
    for (int64_t size : {int64_t(0), int64_t(1), int64_t(2), far})
      agree(5, 4, step, size);
  EXPECT_EQ(dims(r.op(SliceAttrs{}, {r.leaf({})})), std::vector<int64_t>());
}

TEST(Log, EveryCastHasItsOwnType) {
  Recorder r;
  constexpr auto last = static_cast<uint8_t>(DType::Bool);
  for (int round = 0; round < 2; ++round) // the second one by the fast way
    for (uint8_t from = 0; from <= last; ++from)
      for (uint8_t to = 0; to <= last; ++to)
        EXPECT_EQ(r.op(CastAttrs{DType(to)}, {r.leaf({2}, DType(from))})->dtype, DType(to));
}

TEST(Log, AnErrorIsTheRulesAndRecordsNothing) {
  Recorder r;
  Handle x = r.leaf({2, 3}), y = r.leaf({2, 4});
  r.op(AddAttrs{}, {x, x}); // the fast way knows the op
  auto bad = r.tried(AddAttrs{}, {x, y});
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().text().find("(2, 3)"), std::string::npos) << bad.error().text();
  EXPECT_NE(bad.error().text().find("(2, 4)"), std::string::npos);
  EXPECT_NE(bad.error().where.find("trace.test.cpp:"), std::string::npos);
  EXPECT_EQ(r.log.pending(), 1u);
}

TEST(Log, StructureDoesNotKnowExtentsOrPositions) {
  auto words = [](int64_t batch, int64_t start) {
    Recorder r;
    Handle x = r.leaf({batch, 8}), y = r.op(MulAttrs{}, {x, r.leaf({8})});
    Handle z = r.op(SliceAttrs{{Expr(start)}, {1}, {Expr(3)}}, {r.op(ReshapeAttrs{{Expr(batch * 8)}}, {y})});
    return r.log.cut().structure->words();
  };
  EXPECT_EQ(words(2, 0), words(5, 1));
}

TEST(Log, OnlyHeldValuesAreResults) {
  Recorder r;
  Handle x = r.leaf({4}), y = r.op(AddAttrs{}, {x, x});
  Handle z = r.op(AddAttrs{}, {y, x});
  y = Handle();
  Segment segment = r.log.cut();
  EXPECT_EQ(segment.structure->results, (std::vector<uint32_t>{1}));
  EXPECT_EQ(segment.structure->code->values.size(), 2u);
  EXPECT_EQ(r.log.pending(), 0u);
}

TEST(Log, AMillionOpsAreDroppedWithoutRecursion) {
  Recorder r;
  Handle x = r.leaf({2}), one = r.leaf({2});
  for (int i = 0; i < 1000000; ++i)
    x = r.op(AddAttrs{}, {x, one});
  EXPECT_EQ(r.log.cut().structure->code->values.size(), 1000000u);
}

TEST(Replay, AnEqualSegmentIsTheSameStructure) {
  Recorder r;
  std::shared_ptr<const Structure> first;
  for (int64_t batch : {3, 3, 5, 5}) {
    const uint64_t before = r.log.replayed();
    Handle x = r.leaf({batch, 8}), w = r.leaf({8, 4}), y = r.op(MatmulAttrs{}, {x, w});
    Handle z = r.op(SliceAttrs{{Expr(batch - 1), Expr(0)}, {1, 1}, {Expr(1), Expr(4)}}, {r.op(TanhAttrs{}, {y})});
    EXPECT_EQ(dims(y), (std::vector<int64_t>{batch, 4}));
    EXPECT_EQ(dims(z), (std::vector<int64_t>{1, 4}));
    Segment segment = r.log.cut();
    EXPECT_EQ(segment.integers, (Integers{batch - 1, 0, 1, 4}));
    EXPECT_EQ(r.log.replayed() - before, first ? 3u : 0u);
    EXPECT_TRUE(!first || first == segment.structure);
    first = segment.structure;
  }
}

TEST(Replay, WhatDiffersIsRecorded) {
  // The last of each pair differs from the others in one thing; a log that replays tells it as one that has not.
  auto record = [](Recorder &r, int change) {
    Handle x = r.leaf({2, 3}), y = r.leaf({2, 3}, change == 1 ? DType::F64 : DType::F32);
    Handle a = r.op(TanhAttrs{}, {x}), b = r.op(ExpAttrs{}, {y});
    Handle c = change == 2 ? r.op(MulAttrs{}, {a, a}) : r.op(MulAttrs{}, {a, x});
    Handle d = change == 3 ? r.op(ReduceSumAttrs{{0}, true}, {c}) : r.op(ReduceSumAttrs{{1}, true}, {c});
    Handle e = change == 4 ? r.op(NegAttrs{}, {d}) : r.op(AbsAttrs{}, {d});
    if (change == 5)
      e = Handle();
    if (change == 6)
      e = r.op(AbsAttrs{}, {e});
    return r.log.cut();
  };
  for (int change = 1; change < 7; ++change) {
    Recorder r, plain;
    record(r, 0);
    record(r, 0);
    const Segment got = record(r, change), want = record(plain, change), again = record(r, 0);
    EXPECT_TRUE(*got.structure == *want.structure) << change;
    EXPECT_FALSE(*got.structure == *again.structure) << change;
    EXPECT_EQ(got.structure->code->values, want.structure->code->values) << change;
    EXPECT_EQ(got.leaves.size(), 2u);
  }
}

TEST(Replay, AnErrorLeavesTheSegmentAsItWas) {
  Recorder r;
  std::vector<std::shared_ptr<const Structure>> structures;
  for (int64_t other : {4, 4, 5}) {
    Handle x = r.leaf({2, 4}), y = r.leaf({2, other}), z = r.op(AddAttrs{}, {x, r.leaf({2, 4})});
    auto sum = r.tried(AddAttrs{}, {z, y});
    EXPECT_EQ(bool(sum), other == 4);
    Handle last = r.op(NegAttrs{}, {z});
    structures.push_back(r.log.cut().structure);
  }
  Recorder plain;
  Handle z = plain.op(AddAttrs{}, {plain.leaf({2, 4}), plain.leaf({2, 4})}), last = plain.op(NegAttrs{}, {z});
  EXPECT_EQ(structures[0], structures[1]);
  EXPECT_TRUE(*structures[2] == *plain.log.cut().structure);
}

TEST(Log, LeavesOfOtherLogsAreNumberedAsOnesOwn) {
  // The same ops on as many leaves, made by another log or by the one that records.
  auto record = [](Recorder &r, Recorder &from, bool errors) {
    std::vector<Handle> leaves, values;
    for (int i = 0; i < 3000; ++i)
      leaves.push_back(from.leaf({i % 7 + 1, 3}));
    const Handle odd = from.leaf({5, 4}), own = r.leaf({3});
    for (size_t i = 0; i < leaves.size(); ++i) {
      values.push_back(r.op(AddAttrs{}, {leaves[i], own}));
      if (errors && i % 100 == 0) // records nothing, though it has a leaf that nothing else does
        EXPECT_FALSE(r.tried(AddAttrs{}, {odd, leaves[(i + 1500) % leaves.size()]}));
      const Handle &other = leaves[i * 7 % leaves.size()];
      if (dims(other) == dims(leaves[i]))
        values.push_back(r.op(MulAttrs{}, {leaves[i], other}));
    }
    values.push_back(r.op(AddAttrs{}, {odd, odd}));
    return r.log.cut();
  };
  Recorder alone, mine, other;
  for (int round = 0; round < 2; ++round) {
    const Segment own = record(alone, alone, !round), foreign = record(mine, other, !round);
    EXPECT_EQ(own.leaves.size(), 3002u);
    EXPECT_EQ(foreign.leaves.size(), 3002u);
    EXPECT_EQ(*own.structure, *foreign.structure);
  }
  EXPECT_EQ(alone.log.replayed(), mine.log.replayed());
  EXPECT_GT(mine.log.replayed(), 3000u);
}

TEST(Replay, LeavesOfOtherLogsAreFollowed) {
  Recorder mine, other; // weights made by one thread, requests by another
  const Handle weight = other.leaf({4}), bias = other.leaf({4});
  for (int round = 0; round < 3; ++round) {
    Handle x = mine.op(AddAttrs{}, {mine.op(MulAttrs{}, {mine.leaf({4}), weight}), bias}); // leaves that are new
    for (int i = 0; i < 4; ++i) {
      const Handle &with = i % 2 ? weight : bias;
      std::array<Node *, 2> operands{x.get(), with.get()};
      Node *replayed = mine.log.replay(SubAttrs{}, operands, here);
      EXPECT_EQ(replayed != nullptr, round > 0);
      x = replayed ? Handle(replayed) : mine.op(SubAttrs{}, {x, with});
    }
    std::array<Node *, 2> unlike{x.get(), weight.get()}; // the tape has the bias here
    EXPECT_EQ(mine.log.replay(MulAttrs{}, unlike, here), nullptr);
    x = mine.op(MulAttrs{}, {x, bias});
    (void)mine.log.cut();
  }
}

TEST(Replay, LinesAreThoseOfTheRecording) {
  Recorder r;
  for (uint32_t line : {7u, 7u, 9u}) {
    Handle x = r.leaf({2});
    Node *operands[] = {x.get()};
    auto y = r.log.record(NegAttrs{}, operands, Site("a.cpp", 3));
    Node *next[] = {y->get()};
    auto z = r.log.record(NegAttrs{}, next, Site("a.cpp", line));
    Segment segment = r.log.cut();
    EXPECT_EQ(str((*segment.sites)[0]), "a.cpp:3");
    EXPECT_EQ(str((*segment.sites)[1]), "a.cpp:" + std::to_string(line));
  }
  EXPECT_EQ(r.log.replayed(), 4u);
}

TEST(Replay, SegmentsThatTakeTurnsAreAllFollowed) {
  Recorder r;
  for (int turn = 0; turn < 6; ++turn)
    for (int length : {2, 5, 3}) {
      Handle x = r.leaf({2});
      for (int i = 0; i < length; ++i)
        x = r.op(NegAttrs{}, {x});
      r.log.cut();
    }
  // The first round is new; where one begins like the one before it is found at its end.
  EXPECT_GE(r.log.replayed(), 4u * 10u);
}

TEST(Log, LongSegmentsAndWhatTheyAloneKeepAliveAreDueToBeCut) {
  Recorder r;
  Handle x = r.leaf({2});
  for (size_t i = 0; i < CutBudget::usualOps; ++i) {
    EXPECT_EQ(r.log.due(), Log::Cut::Asked);
    x = r.op(NegAttrs{}, {x});
  }
  EXPECT_EQ(r.log.due(), Log::Cut::Ops);
  r.log.cut(Log::Cut::Ops);
  // Leaves that are never written or read: only their extents count.
  auto large = [&] { return r.log.leaf(DenseTensor::borrow(DType::F32, {CutBudget::usualBytes / 16}, nullptr)); };
  std::vector<Handle> weights;
  for (int i = 0; i < 8; ++i) {
    weights.push_back(large());
    r.op(NegAttrs{}, {weights.back()});
  }
  EXPECT_EQ(r.log.due(), Log::Cut::Asked) << "the user holds them";
  int inputs = 0;
  for (; inputs < 8 && r.log.due() == Log::Cut::Asked; ++inputs)
    r.op(NegAttrs{}, {large()});
  EXPECT_EQ(inputs, 4);
  r.log.cut(Log::Cut::Bytes);
  EXPECT_EQ(r.log.due(), Log::Cut::Asked);
  EXPECT_EQ(r.log.cuts(Log::Cut::Ops), 1u);
  EXPECT_EQ(r.log.cuts(Log::Cut::Bytes), 1u);
  EXPECT_EQ(r.log.cuts(Log::Cut::Asked), 0u);
}

TEST(Log, ScalarsLieInTheirNodes) {
  Recorder r;
  const float half = 0.5f, same = 0.5f;
  Handle x = r.leaf({3}), a = r.log.scalar(DType::F32, &half), b = r.log.scalar(DType::F32, &same);
  Handle y = r.op(AddAttrs{}, {r.op(MulAttrs{}, {x, a}), b});
  Segment segment = r.log.cut();
  EXPECT_EQ(segment.leaves.size(), 3u); // never merged because they are equal
  EXPECT_TRUE(a->isScalar());
  EXPECT_EQ(a->stored()->get().tensor.as<float>()[0], 0.5f);
  EXPECT_FALSE(a->isScalar());
}

TEST(Log, ValuesOfHighRankKeepTheirExtents) {
  Recorder r;
  for (int turn = 0; turn < 3; ++turn) {
    Handle x = r.leaf({2, 1, 3, 1, 1, 2}), y = r.op(AddAttrs{}, {x, r.leaf({5, 4, 1})});
    Handle z = r.op(NegAttrs{}, {y});
    y = Handle();
    EXPECT_EQ(dims(z), (std::vector<int64_t>{2, 1, 3, 5, 4, 2}));
    r.log.cut();
  }
  EXPECT_EQ(r.log.replayed(), 4u);
}

TEST(Generalize, GuardsAreWhatTheRulesLeaveOpen) {
  Recorder r;
  Handle x = r.leaf({2, 3}), y = r.leaf({2, 3}), row = r.leaf({1, 3});
  Handle z = r.op(AddAttrs{}, {r.op(MulAttrs{}, {x, y}), row});
  auto trace = generalize(Instance(r.log.cut()));
  ASSERT_TRUE(trace) << trace.error().text();
  std::string text;
  for (const Guard &guard : trace->guards)
    text += guard.a.str() + "=" + guard.b.str() + " ";
  EXPECT_EQ(text, "s0=s2 s1=s3 s4=1 s1=s5 ");
  EXPECT_EQ(trace->ops.size(), 2u);
}

TEST(Generalize, WhatARuleMustKnowIsANumber) {
  Recorder r;
  Handle x = r.leaf({4, 5}), indices = r.leaf({3, 1}, DType::I64), updates = r.leaf({3, 5});
  Handle y = r.op(ScatterNdAttrs{"none"}, {x, r.op(ReshapeAttrs{{Expr(3), Expr(1)}}, {indices}), updates});
  auto trace = generalize(Instance(r.log.cut()));
  ASSERT_TRUE(trace) << trace.error().text();
  std::string fixed;
  for (const Guard &guard : trace->fixed)
    fixed += guard.a.str() + "=" + guard.b.str() + " ";
  EXPECT_EQ(fixed, "n1=1 ");
}

} // namespace
} // namespace pliant::trace
