// SPDX-License-Identifier: Apache-2.0
// Choice of a free block: the smallest that fits, else a new one in the place of the smallest that does not.
#include "runtime/block_pool.h"
#include "runtime/memory.h"
#include "runtime/pages.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace pliant {
namespace {

constexpr size_t alignment = 64;

/// Mappings start at equal low bits of the address. Large blocks that are walked side by side would then meet in the
/// sets of the caches and be taken for one another by what guesses from a part of the address (measured: a softmax of
/// 256 MB at two thirds of its speed), so each starts some pages and lines further on than the last.
size_t stagger(size_t bytes) {
  static std::atomic<size_t> turn{0};
  return bytes < 8 * Pages::hugePage ? 0 : turn.fetch_add(1, std::memory_order_relaxed) % 16 * (4096 + alignment);
}

/// Frees a block; lies in its pointer's count.
struct Release {
  void *data;
  size_t bytes; ///< of the heap; 0: in pages
  Pages pages;
  bool pooled = false; ///< a pool has a pointer to it

  void operator()(void *) {
    if (!bytes)
      return; // the pages go with this
    std::free(data);
    releaseMemory(bytes);
  }
};

} // namespace

bool soleHolder(const std::shared_ptr<void> &memory) {
  const long count = memory.use_count();
  // What other holders did comes before what we do; so does that a pool has forgotten the block, if it then let it go.
  std::atomic_thread_fence(std::memory_order_acquire);
  auto *release = std::get_deleter<Release>(memory);
  return release && release->data == memory.get() &&
         count == 1 + std::atomic_ref(release->pooled).load(std::memory_order_relaxed);
}

Result<std::shared_ptr<void>> newBlock(size_t bytes, std::string_view what) {
  if (bytes >= Pages::hugePage) {
    const size_t start = stagger(bytes);
    PLIANT_TRY(Pages pages, Pages::map(bytes + start, what));
    void *data = pages.data() + start;
    return std::shared_ptr<void>(data, Release{data, 0, std::move(pages)});
  }
  bytes = std::max((bytes + alignment - 1) / alignment * alignment, alignment);
  PLIANT_CHECK(chargeMemory(bytes, what));
  void *memory = std::aligned_alloc(alignment, bytes);
  if (!memory) {
    releaseMemory(bytes);
    return memoryError("", "out of memory: the system has no " + byteCountText(bytes) + " for " + std::string(what));
  }
  return std::shared_ptr<void>(memory, Release{memory, bytes, {}});
}

BlockPool::~BlockPool() {
  for (Block &block : blocks)
    forget(block);
}

/// Before the pointer goes: who then counts one holder less knows of it.
void BlockPool::forget(Block &block) {
  std::atomic_ref(std::get_deleter<Release>(block.memory)->pooled).store(false, std::memory_order_relaxed);
}

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
    forget(*small);
    *small = std::move(blocks.back());
    blocks.pop_back();
  }
  PLIANT_TRY(std::shared_ptr<void> memory, newBlock(bytes, "an output"));
  std::get_deleter<Release>(memory)->pooled = true;
  blocks.push_back({memory, bytes});
  return memory;
}

} // namespace pliant
