// SPDX-License-Identifier: Apache-2.0
#include "trace/log.h"
#include <algorithm>

namespace pliant::trace {

static_assert(sizeof(Node) == 64, "a million recorded ops are a million nodes: of a line of the cache each");

void retain(Node *node) { node->handles.fetch_add(1, std::memory_order_relaxed); }

void release(Node *node) {
  if (Log *log = Log::ofThread; log && log->drop(node))
    return;
  if (node->handles.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  // Nobody else has the node now: a cut takes shares only of nodes that have one.
  Node::destroy(node->takeValue());
  Chunk *chunk = node->chunk();
  if (chunk->held.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete chunk;
}

Stored *Node::storeScalar() const {
  auto value = std::make_unique<Stored>();
  auto tensor = DenseTensor::allocate(dtype, {});
  if (tensor)
    std::copy_n(number.data(), tensor->bytes(), tensor->as<std::byte>());
  value->set(std::move(tensor));
  Stored *expected = scalarSlot();
  auto &own = const_cast<std::atomic<Stored *> &>(slot);
  return own.compare_exchange_strong(expected, value.get(), std::memory_order_acq_rel) ? value.release() : expected;
}

} // namespace pliant::trace
