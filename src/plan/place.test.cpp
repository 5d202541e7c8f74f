// SPDX-License-Identifier: Apache-2.0
// Placement of the arena: what lives together never overlaps, and the arena is near the largest live set.
#include "plan/program.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace pliant {
namespace {

TEST(PlaceArena, NothingNeedsNothing) { EXPECT_EQ(placeArena({}, nullptr, nullptr), 0); }

TEST(PlaceArena, RandomLives) {
  std::mt19937 random(7);
  double worst = 1;
  for (int round = 0; round < 300; ++round) {
    const int count = 1 + static_cast<int>(random() % 60);
    std::vector<ArenaItem> items;
    std::vector<int64_t> sizes, offsets(count, -1);
    std::map<int, int64_t> change;
    for (int i = 0; i < count; ++i) {
      const int first = static_cast<int>(random() % 50);
      items.push_back({i, 0, first, first + static_cast<int>(random() % 6)});
      sizes.push_back(static_cast<int64_t>(random() % 5 == 0 ? 0 : random() % 100000));
      change[first] += (sizes.back() + 63) / 64 * 64;
      change[items.back().last + 1] -= (sizes.back() + 63) / 64 * 64;
    }
    const int64_t total = placeArena(items, sizes.data(), offsets.data());
    int64_t live = 0, most = 0;
    for (auto [time, bytes] : change)
      most = std::max(most, live += bytes);
    ASSERT_GE(total, most);
    for (int i = 0; i < count; ++i) {
      ASSERT_GE(offsets[i], 0);
      ASSERT_EQ(offsets[i] % 64, 0);
      ASSERT_LE(offsets[i] + sizes[i], total);
      for (int j = 0; j < i; ++j) {
        const bool together = items[i].first <= items[j].last && items[j].first <= items[i].last;
        const bool apart = offsets[i] + sizes[i] <= offsets[j] || offsets[j] + sizes[j] <= offsets[i];
        ASSERT_TRUE(!together || apart) << "items " << i << " and " << j << " in round " << round;
      }
    }
    if (most > 0)
      worst = std::max(worst, static_cast<double>(total) / static_cast<double>(most));
  }
  EXPECT_LE(worst, 1.3); // the project's bound on real programs
}

Step step(Step::Kind kind, std::vector<int> inputs, std::vector<int> outputs) {
  Step made{kind};
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  return made;
}

TEST(FindLives, WhatALoopReadsLivesThroughAllTrips) {
  Program program;
  auto buffer = [&](Expr extent) {
    program.buffers.push_back({{DType::F32, {extent}}, Buffer::Storage::Arena, -1});
    return static_cast<int>(program.buffers.size()) - 1;
  };
  const Expr n = Expr::symbol("N"), carried = Expr::symbol("c"), read = Expr::symbol("r");
  program.inputs.push_back({"x", {DType::F32, {n}}, std::nullopt});
  const int outer = buffer(n), first = buffer(n), second = buffer(n), grows = buffer(carried), bound = buffer(read);
  program.steps.push_back(step(Step::Kind::Launch, {}, {outer}));
  Step assign = step(Step::Kind::Assign, {}, {});
  assign.symbols = {"c"};
  program.steps.push_back(assign);
  Step loop = step(Step::Kind::Loop, {}, {});
  loop.symbols = {"i"};
  loop.body.push_back(step(Step::Kind::Launch, {outer}, {first}));
  loop.body.push_back(step(Step::Kind::Launch, {first}, {second}));
  loop.body.push_back(step(Step::Kind::Launch, {second}, {grows}));
  Step bind = step(Step::Kind::Bind, {grows}, {});
  bind.symbols = {"r"};
  loop.body.push_back(bind);
  loop.body.push_back(step(Step::Kind::Launch, {}, {bound}));
  program.steps.push_back(loop);
  findLives(program);
  ASSERT_EQ(program.regions, 2);
  std::map<int, ArenaItem> entry, trip;
  for (const ArenaItem &item : program.arena)
    entry.emplace(item.buffer, item);
  for (const ArenaItem &item : program.steps.back().arena)
    trip.emplace(item.buffer, item);
  // Known at entry: placed once for all trips; known when a trip begins: in the loop's own arena; later: counted.
  EXPECT_EQ(entry.size(), 3u);
  EXPECT_EQ(trip.size(), 1u);
  EXPECT_TRUE(trip.contains(grows));
  EXPECT_EQ(program.buffers[bound].storage, Buffer::Storage::Dynamic);
  EXPECT_GT(entry.at(outer).last, entry.at(second).last) << "the next trip reads it again";
  EXPECT_LE(entry.at(first).last, entry.at(second).last) << "a trip's own temporaries share memory";
}

TEST(FindLives, AReadThroughAnAliasIsAReadOfItsMemory) {
  Program program;
  auto buffer = [&](Buffer::Storage storage, int index) {
    program.buffers.push_back({{DType::F32, {Expr(16)}}, storage, index});
    return static_cast<int>(program.buffers.size()) - 1;
  };
  const int memory = buffer(Buffer::Storage::Arena, -1), view = buffer(Buffer::Storage::Alias, memory);
  const int again = buffer(Buffer::Storage::Alias, view), other = buffer(Buffer::Storage::Arena, -1);
  program.steps.push_back(step(Step::Kind::Launch, {}, {memory}));
  program.steps.push_back(step(Step::Kind::Launch, {}, {other}));
  program.steps.push_back(step(Step::Kind::Launch, {again, other}, {}));
  findLives(program);
  ASSERT_EQ(program.arena.size(), 2u);
  for (const ArenaItem &item : program.arena)
    EXPECT_EQ(item.last, 3) << "buffer " << item.buffer;
}

} // namespace
} // namespace pliant
