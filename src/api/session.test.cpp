// SPDX-License-Identifier: Apache-2.0
#include "api/session.h"
#include <gtest/gtest.h>
#include <thread>

namespace pliant::api {
namespace {

using trace::Handle;
constexpr auto here = std::source_location::current();

Handle filled(float value, std::vector<int64_t> dims) {
  DenseTensor out = *DenseTensor::allocate(DType::F32, std::move(dims));
  std::fill_n(out.as<float>(), out.size(), value);
  return Session::current().leaf(std::move(out));
}
template <class A>
Handle op(const A &attrs, std::initializer_list<Handle> operands,
          std::source_location site = std::source_location::current()) {
  std::vector<trace::Node *> nodes;
  for (const Handle &each : operands)
    nodes.push_back(each.get());
  auto result = Session::current().record(attrs, nodes, site);
  EXPECT_TRUE(result) << result.error().text();
  return result ? std::move(*result) : Handle();
}
float first(const Handle &handle) {
  auto value = Session::value(handle.get());
  EXPECT_TRUE(value) << value.error().text();
  return value ? value->as<float>()[0] : 0;
}

TEST(Session, AReadRunsWhatIsPendingOnce) {
  Handle x = filled(2, {3, 4}), shared = op(MulAttrs{}, {x, x});
  EXPECT_EQ(first(op(AddAttrs{}, {shared, x})), 6);
  // The prefix has a value now: further reads start from it.
  const int64_t compiles = Programs::all().counts().compiles;
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(first(op(SubAttrs{}, {shared, x})), 2);
  EXPECT_EQ(Programs::all().counts().compiles, compiles + 1);
  EXPECT_EQ(first(shared), 4);
}

TEST(Session, ABarrierRunsInTheBackgroundAndKeepsTheOrder) {
  Handle x = filled(1, {1000}), y = x;
  for (int step = 0; step < 20; ++step) {
    y = op(AddAttrs{}, {y, x});
    Session::current().barrier();
  }
  EXPECT_EQ(first(y), 21);
}

TEST(Session, AnErrorComesWhereTheValueIsAskedForWithItsLine) {
  DenseTensor a = *DenseTensor::zeros(DType::I32, {3}), b = *DenseTensor::zeros(DType::I32, {3});
  Handle x = Session::current().leaf(a), zero = Session::current().leaf(b);
  const unsigned line = std::source_location::current().line() + 1;
  Handle bad = op(DivAttrs{}, {x, zero});
  Session::current().barrier();
  Handle later = op(AddAttrs{}, {bad, x});
  for (const Handle &each : {bad, later}) {
    auto value = Session::value(each.get());
    ASSERT_FALSE(value);
    EXPECT_NE(value.error().text().find("session.test.cpp:" + std::to_string(line)), std::string::npos)
        << value.error().text();
  }
  EXPECT_EQ(first(op(AddAttrs{}, {filled(1, {2}), filled(2, {2})})), 3);
}

TEST(Session, AnyThreadMayAskAndRecord) {
  Handle x = filled(3, {8}), y = op(MulAttrs{}, {x, x});
  Handle z;
  std::thread other([&] {
    EXPECT_EQ(first(y), 9);
    z = op(AddAttrs{}, {y, x}); // never asked for by its own thread
  });
  other.join();
  EXPECT_EQ(first(z), 12);
  EXPECT_EQ(first(op(AddAttrs{}, {z, y})), 21);
  Session::wait();
}

TEST(Session, OthersAskWhileAThreadRecords) {
  // What one thread is recording is cut off by others at any place, also while it gives values up.
  constexpr int rounds = 400, ops = 40;
  std::mutex mutex;
  Handle shared;
  std::atomic<bool> done{false};
  std::thread recorder([&] {
    const Handle one = filled(1, {3});
    for (int i = 0; i < rounds; ++i) {
      Handle y = one;
      for (int k = 1; k < ops; ++k)
        y = op(AddAttrs{}, {y, one});
      {
        std::lock_guard lock(mutex);
        shared = y;
      }
      for (int k = 0; k < ops; ++k)
        y = op(AddAttrs{}, {y, one});
      if (i % 7 == 0)
        EXPECT_EQ(first(y), 2 * ops);
    }
    done = true;
  });
  std::vector<std::thread> askers;
  std::atomic<int> asked{0};
  for (int i = 0; i < 2; ++i)
    askers.emplace_back([&] {
      while (!done || !asked) {
        Handle seen;
        {
          std::lock_guard lock(mutex);
          seen = shared;
        }
        if (!seen)
          continue;
        EXPECT_EQ(first(op(MulAttrs{}, {seen, seen})), ops * ops);
        ++asked;
      }
    });
  recorder.join();
  for (std::thread &each : askers)
    each.join();
}

} // namespace
} // namespace pliant::api
