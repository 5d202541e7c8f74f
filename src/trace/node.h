// SPDX-License-Identifier: Apache-2.0
// One recorded value: what a tensor of the user points to. Nodes lie in chunks in recording order; a chunk goes when
// nobody holds a node of it any more, so that neither building nor dropping a long chain recurses.
#pragma once
#include "pliant/site.h"
#include "runtime/dense_tensor.h"
#include <array>
#include <atomic>

namespace pliant::trace {

struct Chunk;

/// A value that the user gave, or that a run computes or is going to compute. Written once, before `ready`.
struct Stored {
  std::atomic<bool> ready{false};
  DenseTensor tensor;
  std::unique_ptr<Error> error; ///< why there is no tensor

  void set(Result<DenseTensor> value) {
    if (value)
      tensor = std::move(*value);
    else
      error = std::make_unique<Error>(value.takeError());
    ready.store(true, std::memory_order_release);
    ready.notify_all();
  }
  /// Waits for the value.
  const Stored &get() const {
    ready.wait(false, std::memory_order_acquire);
    return *this;
  }
};

struct Node {
  static constexpr int inlineRank = 4;

  std::atomic<uint32_t> handles{0}; ///< held by users; a node with none is no result of its segment
  DType dtype{};
  uint8_t rank = 0;
  uint32_t segment = 0;               ///< of its log
  uint32_t index = 0;                 ///< among the segment's values
  uint32_t leafSegment = 0, leaf = 0; ///< where it was last read as a leaf, and which one it is there
  Chunk *chunk = nullptr;
  std::atomic<Stored *> slot{nullptr};
  union {
    std::array<int64_t, inlineRank> few;
    int64_t *many;
  };

  Node() : few{} {}
  /// None while the value is pending in its log.
  Stored *stored() const { return slot.load(std::memory_order_acquire); }
  std::span<const int64_t> dims() const { return {rank <= inlineRank ? few.data() : many, rank}; }
};

} // namespace pliant::trace
