// SPDX-License-Identifier: Apache-2.0
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
    return r.log.cut().words;
  };
  EXPECT_EQ(words(2, 0), words(5, 1));
}

TEST(Log, OnlyHeldValuesAreResults) {
  Recorder r;
  Handle x = r.leaf({4}), y = r.op(AddAttrs{}, {x, x});
  Handle z = r.op(AddAttrs{}, {y, x});
  y = Handle();
  Segment segment = r.log.cut();
  EXPECT_EQ(segment.resultIndices, (std::vector<uint32_t>{1}));
  EXPECT_EQ(segment.values, 2u);
  EXPECT_EQ(r.log.pending(), 0u);
}

TEST(Log, AMillionOpsAreDroppedWithoutRecursion) {
  Recorder r;
  Handle x = r.leaf({2}), one = r.leaf({2});
  for (int i = 0; i < 1000000; ++i)
    x = r.op(AddAttrs{}, {x, one});
  EXPECT_EQ(r.log.cut().values, 1000000u);
}

TEST(Generalize, GuardsAreWhatTheRulesLeaveOpen) {
  Recorder r;
  Handle x = r.leaf({2, 3}), y = r.leaf({2, 3}), row = r.leaf({1, 3});
  Handle z = r.op(AddAttrs{}, {r.op(MulAttrs{}, {x, y}), row});
  auto trace = generalize(r.log.cut());
  ASSERT_TRUE(trace) << trace.error().text();
  std::string text;
  for (const Guard &guard : trace->guards)
    text += guard.a.str() + "=" + guard.b.str() + " ";
  EXPECT_EQ(text, "s0=s2 s1=s3 s4=1 s1=s5 ");
  EXPECT_EQ(trace->ops.size(), 2u);
}

} // namespace
} // namespace pliant::trace
