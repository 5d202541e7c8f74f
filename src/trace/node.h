// SPDX-License-Identifier: Apache-2.0
// One recorded value: what a tensor of the user points to. Nodes lie in chunks in recording order; a chunk goes when
// nobody holds a node of it any more, so that neither building nor dropping a long chain recurses.
#pragma once
#include "pliant/site.h"
#include "runtime/dense_tensor.h"
#include <array>
#include <atomic>

namespace pliant::trace {

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

struct Chunk;

struct Node {
  static constexpr int inlineRank = 4;

  std::atomic<uint32_t> handles{0}; ///< held by users; a node with none is no result of its segment
  uint16_t place = 0;               ///< in its chunk
  DType dtype{};
  uint8_t rank = 0;
  uint32_t index = 0; ///< the operand word of whoever reads it in `segment`: which value it is, or leaf
  /// The one of its log that computes it, or, of a value that exists, that read it last. Others only compare it with
  /// segments of their own: no two logs have a number in common.
  std::atomic<uint64_t> segment{0};
  std::atomic<Stored *> slot{nullptr};
  union {
    std::array<int64_t, inlineRank> few;
    int64_t *many;
    std::array<std::byte, 8> number; ///< of a scalar
  };

  Node() : few{} {}
  /// Whether the value is neither there nor on its way: its log has yet to hand it over.
  bool pending() const { return !slot.load(std::memory_order_acquire); }
  /// None while the value is pending.
  Stored *stored() const {
    Stored *value = slot.load(std::memory_order_acquire);
    return value == scalarSlot() ? storeScalar() : value;
  }
  /// A number that lies in the node itself, as long as nobody has asked for it as a tensor.
  bool isScalar() const { return slot.load(std::memory_order_acquire) == scalarSlot(); }
  static Stored *scalarSlot() { return reinterpret_cast<Stored *>(uintptr_t(1)); }
  std::span<const int64_t> dims() const { return {rank <= inlineRank ? few.data() : many, rank}; }
  inline Chunk *chunk() const;
  /// For its last holder.
  Stored *takeValue() {
    Stored *value = slot.load(std::memory_order_relaxed);
    if (value)
      slot.store(nullptr, std::memory_order_relaxed);
    return value;
  }
  static void destroy(Stored *value) {
    if (value && value != scalarSlot())
      delete value;
  }

private:
  Stored *storeScalar() const;
};

/// Memory of nodes. Counted by the nodes that users hold and by the log while it records into it or a segment reads it.
struct Chunk {
  static constexpr size_t nodes = 512;
  alignas(64) std::byte memory[nodes * sizeof(Node)];
  const uint64_t log;                               ///< its number
  std::atomic<uint32_t> held{nodes + 1};            ///< counts nodes that are yet to be made
  uint32_t used = 0;                                ///< nodes made
  std::vector<std::unique_ptr<int64_t[]>> longDims; ///< of nodes of rank above Node::inlineRank

  explicit Chunk(uint64_t log) : log(log) {}
  Node *at(size_t place) { return reinterpret_cast<Node *>(memory) + place; }
};

inline Chunk *Node::chunk() const {
  return reinterpret_cast<Chunk *>(reinterpret_cast<std::byte *>(const_cast<Node *>(this) - place));
}

/// A user gives a node up, or shares it.
void retain(Node *node);
void release(Node *node);

/// A share of a node.
class Handle {
public:
  Handle() = default;
  explicit Handle(Node *node) : node(node) {} ///< takes the share that `node` was made with
  Handle(const Handle &other) : node(other.node) {
    if (node)
      retain(node);
  }
  Handle(Handle &&other) noexcept : node(std::exchange(other.node, nullptr)) {}
  Handle &operator=(Handle other) noexcept {
    std::swap(node, other.node);
    return *this;
  }
  ~Handle() {
    if (node)
      release(node);
  }
  Node *get() const { return node; }
  Node *take() { return std::exchange(node, nullptr); } ///< the share too
  Node *operator->() const { return node; }
  explicit operator bool() const { return node; }

private:
  Node *node = nullptr;
};

} // namespace pliant::trace
