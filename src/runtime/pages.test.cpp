// SPDX-License-Identifier: Apache-2.0
#include "runtime/pages.h"
#include "runtime/memory.h"
#include <cstdint>
#include <gtest/gtest.h>

using namespace pliant;

TEST(Pages, MapsZeroedAndAligned) {
  size_t before = liveMemory();
  for (size_t bytes : {size_t(0), size_t(1), size_t(5000), Pages::hugePage - 1, Pages::hugePage, Pages::hugePage + 1}) {
    auto pages = Pages::map(bytes, "a test");
    ASSERT_TRUE(pages);
    EXPECT_GE(pages->size(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pages->data()) % (bytes >= Pages::hugePage ? Pages::hugePage : 4096), 0u);
    EXPECT_EQ(pages->data()[0], std::byte(0));
    pages->data()[pages->size() - 1] = std::byte(1);
  }
  EXPECT_EQ(liveMemory(), before);
}

TEST(Pages, MovesAndFails) {
  auto pages = Pages::map(100, "a test");
  ASSERT_TRUE(pages);
  Pages other = std::move(*pages);
  EXPECT_EQ(pages->data(), nullptr);
  other = Pages();
  EXPECT_FALSE(Pages::map(SIZE_MAX, "a test"));
  EXPECT_FALSE(Pages::map(size_t(1) << 60, "a test"));
}
