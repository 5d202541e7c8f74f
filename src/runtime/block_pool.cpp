// SPDX-License-Identifier: Apache-2.0
// Choice of a free block: the smallest that fits, else a new one in the place of the smallest that does not.
#include "runtime/block_pool.h"
#include "runtime/memory.h"
#include "runtime/pages.h"
#include <atomic>
#include <cstdlib>

namespace pliant {
namespace {

Result<std::shared_ptr<void>> allocate(size_t bytes) {
  if (bytes >= Pages::hugePage) {
    PLIANT_TRY(Pages pages, Pages::map(bytes, "an output"));
    auto owner = std::make_shared<Pages>(std::move(pages));
    return std::shared_ptr<void>(owner, owner->data());
  }
  PLIANT_CHECK(chargeMemory(bytes, "an output"));
  void *memory = std::aligned_alloc(64, bytes);
  if (!memory) {
    releaseMemory(bytes);
    return userError("", "out of memory: the system has no " + byteCountText(bytes) + " for an output");
  }
  return std::shared_ptr<void>(memory, [bytes](void *data) {
    std::free(data);
    releaseMemory(bytes);
  });
}

} // namespace

Result<std::shared_ptr<void>> BlockPool::take(size_t bytes) {
  Block *fits = nullptr, *small = nullptr, *held = nullptr;
  for (Block &block : blocks) {
    Block *&best = block.memory.use_count() > 1 ? held : block.bytes >= bytes ? fits : small;
    if (!best || block.bytes < best->bytes)
      best = &block;
  }
  if (fits) {
    // What the last holder did with the memory, perhaps on another thread, comes before what we do with it.
    std::atomic_thread_fence(std::memory_order_acquire);
    return fits->memory;
  }
  if (!small && blocks.size() >= most)
    small = held;
  if (small) { // gone before the new one comes: both are never needed
    *small = std::move(blocks.back());
    blocks.pop_back();
  }
  const size_t padded = bytes > SIZE_MAX - 64 ? bytes : std::max<size_t>((bytes + 63) / 64 * 64, 64);
  PLIANT_TRY(std::shared_ptr<void> memory, allocate(padded));
  blocks.push_back({memory, padded});
  return memory;
}

} // namespace pliant
