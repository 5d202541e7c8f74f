// SPDX-License-Identifier: Apache-2.0
#include "runtime/block_pool.h"
#include "runtime/memory.h"
#include <cstdint>
#include <gtest/gtest.h>

using namespace pliant;

namespace {

std::shared_ptr<void> take(BlockPool &pool, size_t bytes) {
  auto block = pool.take(bytes);
  EXPECT_TRUE(block);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block->get()) % 64, 0u);
  return *block;
}

TEST(BlockPool, GivesFreeBlocksAgain) {
  BlockPool pool(8);
  auto large = take(pool, 1000);
  void *const first = large.get();
  EXPECT_NE(take(pool, 1000).get(), first); // held
  large.reset();
  EXPECT_EQ(take(pool, 1000).get(), first);
  EXPECT_EQ(take(pool, 3).get(), first); // smaller ones fit too
  EXPECT_NE(take(pool, 0).get(), nullptr);
}

TEST(BlockPool, TakesTheSmallestThatFits) {
  BlockPool pool(8);
  auto a = take(pool, 640), b = take(pool, 64), c = take(pool, 6400);
  void *const middle = a.get(), *const small = b.get();
  a.reset(), b.reset(), c.reset();
  EXPECT_EQ(take(pool, 64).get(), small);
  EXPECT_EQ(take(pool, 65).get(), middle);
}

TEST(BlockPool, GrowsInPlaceOfTheSmallest) {
  const size_t before = liveMemory();
  {
    BlockPool pool(8);
    (void)take(pool, 64);
    (void)take(pool, 128);
    EXPECT_EQ(liveMemory() - before, 128u); // the first one is gone
    (void)take(pool, size_t(3) << 20);
    EXPECT_EQ(liveMemory() - before, size_t(4) << 20); // whole huge pages
  }
  EXPECT_EQ(liveMemory(), before);
}

TEST(BlockPool, ForgetsWhatIsKept) {
  const size_t before = liveMemory();
  std::vector<std::shared_ptr<void>> kept;
  {
    BlockPool pool(2);
    for (int i = 0; i < 5; ++i)
      kept.push_back(take(pool, 64));
    EXPECT_EQ(liveMemory() - before, 5 * 64u);
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < i; ++j)
        EXPECT_NE(kept[i].get(), kept[j].get());
    kept.resize(1); // the pool still knows two of the others, not this one
    EXPECT_LE(liveMemory() - before, 3 * 64u);
  }
  EXPECT_EQ(liveMemory() - before, 64u); // outlives the pool
  kept.clear();
  EXPECT_EQ(liveMemory(), before);
}

} // namespace
