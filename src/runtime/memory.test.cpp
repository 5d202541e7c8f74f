// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory.h"
#include <gtest/gtest.h>

using namespace pliant;

TEST(Memory, ParsesByteCounts) {
  EXPECT_EQ(*parseByteCount("0"), 0u);
  EXPECT_EQ(*parseByteCount("4096"), 4096u);
  EXPECT_EQ(*parseByteCount("3K"), 3072u);
  EXPECT_EQ(*parseByteCount("2G"), size_t(2) << 30);
  for (const char *bad : {"", "G", "4GB", "-1", " 4", "1e9", "9999999999T", "99999999999999999999"})
    EXPECT_FALSE(parseByteCount(bad)) << bad;
}

TEST(Memory, WritesByteCounts) {
  EXPECT_EQ(byteCountText(17), "17 bytes");
  EXPECT_EQ(byteCountText(1536), "1.5 KiB");
  EXPECT_EQ(byteCountText(size_t(3) << 30), "3.0 GiB");
}

TEST(Memory, LimitIsKeptAndAccountBalances) {
  size_t before = liveMemory();
  setMemoryLimit(before + 1000);
  ASSERT_TRUE(chargeMemory(600, "a test"));
  Status second = chargeMemory(600, "a test");
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("a test needs 600 bytes"), std::string::npos) << second.error().message;
  EXPECT_EQ(liveMemory(), before + 600);
  EXPECT_FALSE(chargeMemory(SIZE_MAX, "everything"));
  EXPECT_GE(peakMemory(), before + 600);
  releaseMemory(600);
  setMemoryLimit(0);
  EXPECT_EQ(liveMemory(), before);
}
