// SPDX-License-Identifier: Apache-2.0
// Records and evaluates by reference at the same time.
#pragma once
#include "api/programs.h"
#include "trace/log.h"
#include <cmath>
#include <gtest/gtest.h>
#include <source_location>

namespace pliant::api {

using trace::Handle;

inline DenseTensor numbers(std::vector<int64_t> dims) {
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
  template <class A> Handle op(const A &attrs, const std::vector<Handle> &operands) {
    std::vector<trace::Node *> nodes;
    std::vector<DenseTensor> inputs;
    for (const Handle &each : operands) {
      nodes.push_back(each.get());
      inputs.push_back(wanted[each.get()]);
    }
    auto handle = log.record(attrs, nodes, std::source_location::current());
    auto expected = evaluate(trace::opOf<A>, attrs, inputs);
    EXPECT_TRUE(handle && expected);
    if (!handle || !expected)
      return {};
    wanted[handle->get()] = expected->front();
    return std::move(*handle);
  }
  /// Runs all that is pending and compares what is held. When it is `prepared` before, the run makes no program.
  void check(Programs &programs, bool prepared = false) {
    trace::Segment segment = log.cut();
    const Status status = prepared ? programs.prepare(segment) : ok();
    EXPECT_TRUE(status) << status.error().text();
    const int64_t made = programs.counts().compiles;
    programs.run(segment);
    if (prepared)
      EXPECT_EQ(programs.counts().compiles, made);
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

} // namespace pliant::api
