// SPDX-License-Identifier: Apache-2.0
#include "runtime/biased_mutex.h"
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace pliant {
namespace {

TEST(BiasedMutex, OneAtATime) {
  // An owner and two others count in variables of no protection but the mutex.
  constexpr int64_t byOwner = 2000000, byOthers = 2000;
  BiasedMutex mutex;
  int64_t first = 0, second = 0;
  auto count = [&] {
    EXPECT_EQ(first, second);
    ++first;
    std::atomic_signal_fence(std::memory_order_seq_cst); // two stores that the compiler keeps apart
    ++second;
  };
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i)
    others.emplace_back([&] {
      for (int64_t k = 0; k < byOthers; ++k) {
        const BiasedMutex::Held held(mutex, false);
        count();
      }
    });
  for (int64_t k = 0; k < byOwner; ++k) {
    const BiasedMutex::Own held(mutex);
    count();
  }
  for (std::thread &each : others)
    each.join();
  EXPECT_EQ(first, byOwner + 2 * byOthers);
  EXPECT_EQ(second, first);
}

} // namespace
} // namespace pliant
