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

} // namespace
} // namespace pliant
