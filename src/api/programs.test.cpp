// SPDX-License-Identifier: Apache-2.0
// Recorded segments run as compiled programs: the values are those of the reference evaluators, one compile for all
// extents and positions.
#include "api/programs.h"
#include <cmath>
#include <gtest/gtest.h>

namespace pliant::api {
namespace {

using trace::Handle;
constexpr auto here = std::source_location::current();

DenseTensor numbers(std::vector<int64_t> dims) {
  DenseTensor out = *DenseTensor::allocate(DType::F32, std::move(dims));
  for (int64_t i = 0; i < out.size(); ++i)
    out.as<float>()[i] = static_cast<float>((i * 37 + 11) % 101) / 50 - 1;
  return out;
}

/// Records in a log, and evaluates the same by reference.
struct Both {
  trace::Log log;
  std::unordered_map<trace::Node *, DenseTensor> wanted;
  std::vector<Handle> kept;

  Handle leaf(DenseTensor value) {
    Handle handle = log.leaf(value);
    wanted[handle.get()] = std::move(value);
    kept.push_back(handle);
    return handle;
  }
  template <class A> Handle op(const A &attrs, std::initializer_list<Handle> operands) {
    std::vector<trace::Node *> nodes;
    std::vector<DenseTensor> inputs;
    for (const Handle &each : operands) {
      nodes.push_back(each.get());
      inputs.push_back(wanted[each.get()]);
    }
    auto handle = log.record(attrs, nodes, here);
    auto expected = evaluate(trace::opOf<A>, attrs, inputs);
    EXPECT_TRUE(handle && expected);
    if (!handle || !expected)
      return {};
    wanted[handle->get()] = expected->front();
    return std::move(*handle);
  }
  /// Runs all that is pending and compares what is held.
  void check(Programs &programs) {
    trace::Segment segment = log.cut();
    programs.run(segment);
    for (const Handle &result : segment.results) {
      const trace::Stored &stored = result->stored()->get();
      ASSERT_FALSE(stored.error) << stored.error->text();
      const DenseTensor &got = stored.tensor, &want = wanted[result.get()];
      ASSERT_EQ(got.dims(), want.dims());
      for (int64_t k = 0; k < got.size() && got.dtype() == DType::F32; ++k)
        ASSERT_NEAR(got.as<float>()[k], want.as<float>()[k], 1e-5 * std::abs(want.as<float>()[k]) + 1e-6);
    }
  }
};

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
