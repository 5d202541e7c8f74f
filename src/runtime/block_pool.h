// SPDX-License-Identifier: Apache-2.0
// Memory that outlives a run (outputs, values of data-dependent size), recycled: a block that nobody holds any more
// serves the next request that fits into it.
#pragma once
#include "support/result.h"
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace pliant {

/// At least bytes of fresh memory, 64-byte aligned, in huge pages when large; `what` names it in an error. Counted
/// until all copies of the pointer are gone.
Result<std::shared_ptr<void>> newBlock(size_t bytes, std::string_view what);
/// Whether `memory` is a block from its first byte on and the only pointer to it, but for that of a pool: who has it
/// may then write to it. Any thread.
bool soleHolder(const std::shared_ptr<void> &memory);

/// Not for several threads at once; blocks may be given up on any thread.
class BlockPool {
public:
  /// Blocks that are held are forgotten beyond `most` in the pool, and freed when they are given up.
  explicit BlockPool(size_t most) : most(most) {}
  BlockPool(const BlockPool &) = delete;
  BlockPool &operator=(const BlockPool &) = delete;
  ~BlockPool();
  /// At least bytes (never null, also for 0), 64-byte aligned, contents unspecified. The block is free again when all
  /// copies of the pointer are gone; those that are held outlive the pool.
  Result<std::shared_ptr<void>> take(size_t bytes);

private:
  struct Block {
    std::shared_ptr<void> memory;
    size_t bytes;
  };
  size_t most;
  std::vector<Block> blocks;

  void forget(Block &block);
};

} // namespace pliant
