// SPDX-License-Identifier: Apache-2.0
#include "runtime/biased_mutex.h"
#include <chrono>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace pliant {
namespace {

bool membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }

/// Every processor that runs a thread of this process is past what it had written before. A child of fork is another
/// process and may have to register again.
bool allProcessors() {
  return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ||
         (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
}

} // namespace

std::atomic<bool> BiasedMutex::ownerNeedsFence{!membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)};

void BiasedMutex::lock() {
  others.lock();
  wanted.store(true, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!ownerNeedsFence.load(std::memory_order_relaxed) && !allProcessors()) {
    // It was there when the library was loaded, and is forbidden now. From here on owners fence; what one of them is
    // just writing is visible long before this is over.
    ownerNeedsFence.store(true, std::memory_order_relaxed);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  while (inside.load(std::memory_order_acquire))
    std::this_thread::yield();
}

void BiasedMutex::unlock() {
  wanted.store(false, std::memory_order_release);
  others.unlock();
}

void BiasedMutex::waitForOthers() {
  inside.store(false, std::memory_order_release);
  const std::lock_guard lock(others);
  inside.store(true, std::memory_order_relaxed);
}

} // namespace pliant
