// SPDX-License-Identifier: Apache-2.0
#include "runtime/arena.h"
#include "runtime/memory.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace pliant;

TEST(Arena, GrowsReusesAndTrims) {
  size_t before = liveMemory();
  Arena arena;
  EXPECT_EQ(arena.capacity(), 0u);
  auto first = arena.reserve(0);
  ASSERT_TRUE(first);
  EXPECT_NE(*first, nullptr);
  for (size_t bytes : {100, 10000, 5000, 3000000, 10000000, 64}) {
    auto block = arena.reserve(bytes);
    ASSERT_TRUE(block);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*block) % 64, 0u);
    EXPECT_GE(arena.capacity(), bytes);
    std::memset(*block, 0xab, bytes);
  }
  void *block = *arena.reserve(1000);
  EXPECT_EQ(*arena.reserve(10000000), block);
  arena.trim();
  EXPECT_EQ(arena.capacity(), 0u);
  EXPECT_EQ(liveMemory(), before);
}

TEST(Arena, GrowthIsGeometricUnlessMemoryIsShort) {
  Arena arena;
  ASSERT_TRUE(arena.reserve(size_t(8) << 20));
  ASSERT_TRUE(arena.reserve((size_t(8) << 20) + 1));
  EXPECT_EQ(arena.capacity(), size_t(12) << 20);
  setMemoryLimit(liveMemory() + (size_t(2) << 20));
  EXPECT_TRUE(arena.reserve(size_t(13) << 20)) << "the exact size fits, half as much again does not";
  EXPECT_EQ(arena.capacity(), size_t(14) << 20);
  EXPECT_FALSE(arena.reserve(size_t(20) << 20));
  setMemoryLimit(0);
  EXPECT_EQ(arena.capacity(), 0u);
  EXPECT_TRUE(arena.reserve(1));
  EXPECT_FALSE(arena.reserve(SIZE_MAX));
}
