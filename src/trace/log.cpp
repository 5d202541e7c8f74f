// SPDX-License-Identifier: Apache-2.0
#include "trace/log.h"
#include <new>

namespace pliant::trace {
namespace {

void letGo(Chunk *chunk) {
  if (chunk->held.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete chunk;
}

/// The first word of an op.
uint64_t header(OpId op, size_t operands, size_t attrWords) {
  return static_cast<uint64_t>(op) | static_cast<uint64_t>(operands) << 16 | static_cast<uint64_t>(attrWords) << 40;
}

} // namespace

std::string str(Site site) { return std::string(site.file) + ":" + std::to_string(site.line); }

void retain(Node *node) { node->handles.fetch_add(1, std::memory_order_relaxed); }

void release(Node *node) {
  if (node->handles.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  delete node->slot.exchange(nullptr);
  if (node->rank > Node::inlineRank)
    delete[] std::exchange(node->many, nullptr), node->rank = 0;
  letGo(node->chunk);
}

static std::atomic<uint64_t> logs{0};

Log::Log() : own(++logs) {}

Log::~Log() {
  for (const Handle &result : cut().results)
    result->stored()->set(internalError("trace", "the log of a value was given up before the value was computed"));
  if (chunk)
    letGo(chunk);
}

Node *Log::make() {
  if (!chunk || chunk->used == Chunk::nodes) {
    Chunk *next = new Chunk(own);
    if (chunk)
      letGo(chunk);
    chunk = next;
  }
  Node *node = new (chunk->memory + sizeof(Node) * chunk->used++) Node;
  node->chunk = chunk;
  node->handles.store(1, std::memory_order_relaxed);
  chunk->held.fetch_add(1, std::memory_order_relaxed);
  return node;
}

static void setType(Node *node, DType dtype, std::span<const int64_t> dims) {
  node->dtype = dtype;
  node->rank = static_cast<uint8_t>(dims.size());
  int64_t *to = node->few.data();
  if (dims.size() > Node::inlineRank)
    to = node->many = new int64_t[dims.size()];
  std::copy(dims.begin(), dims.end(), to);
}

Handle Log::leaf(DenseTensor value) {
  Node *node = make();
  setType(node, value.dtype(), value.dims());
  auto stored = std::make_unique<Stored>();
  stored->set(std::move(value));
  node->slot.store(stored.release(), std::memory_order_release);
  return Handle(node);
}

/// A value of this segment by its number; a leaf by its own, with its type behind the op's words when it is new.
uint32_t Log::operandWord(Node *node) {
  constexpr uint32_t leafBit = 1u << 31;
  if (!node->stored())
    return node->index;
  if (node->leafSegment != segment || node->chunk->log != own) {
    // Where another log's leaf stands in this segment is not kept in the node: it would be another thread's.
    if (node->chunk->log != own) {
      for (size_t i = 0; i < leaves.size(); ++i)
        if (leaves[i].get() == node)
          return leafBit | static_cast<uint32_t>(i);
    } else {
      node->leafSegment = segment;
      node->leaf = static_cast<uint32_t>(leaves.size());
    }
    retain(node);
    leaves.emplace_back(node);
    return leafBit | static_cast<uint32_t>(leaves.size() - 1);
  }
  return leafBit | node->leaf;
}

Status Log::record(OpId op, std::span<Node *const> operands, Site site, std::span<Handle> results) {
  auto types = shapes.of(op, attrWords, attrIntegers, operands);
  if (!types)
    return types.takeError().at(str(site));
  if (types->size() != results.size())
    return internalError(info(op).name, "recorded as an op with " + std::to_string(results.size()) + " results, has " +
                                            std::to_string(types->size()));
  const size_t known = leaves.size();
  words.push_back(header(op, operands.size(), attrWords.size()));
  for (size_t i = 0; i < operands.size(); i += 2) {
    uint64_t pair = operandWord(operands[i]);
    if (i + 1 < operands.size())
      pair |= static_cast<uint64_t>(operandWord(operands[i + 1])) << 32;
    words.push_back(pair);
  }
  for (size_t i = known; i < leaves.size(); ++i)
    words.push_back(static_cast<uint64_t>(leaves[i]->dtype) << 8 | leaves[i]->rank);
  words.insert(words.end(), attrWords.begin(), attrWords.end());
  integers.insert(integers.end(), attrIntegers.begin(), attrIntegers.end());
  sites.push_back(site);
  for (size_t i = 0; i < results.size(); ++i) {
    const Shapes::Type &type = (*types)[i];
    Node *node = make();
    setType(node, type.dtype, {type.dims, type.rank});
    node->segment = segment;
    node->index = static_cast<uint32_t>(values.size());
    if (chunks.empty() || chunks.back() != chunk) {
      chunk->held.fetch_add(1, std::memory_order_relaxed); // the segment reads nodes that users have given up
      chunks.push_back(chunk);
    }
    values.push_back(node);
    results[i] = Handle(node);
  }
  return ok();
}

Segment Log::cut() {
  Segment out;
  for (Node *node : values)
    if (uint32_t handles = node->handles.load(std::memory_order_acquire)) {
      // A share of our own, unless the last one goes at this moment.
      while (handles && !node->handles.compare_exchange_weak(handles, handles + 1)) {
      }
      if (!handles)
        continue;
      node->slot.store(new Stored, std::memory_order_release);
      out.results.emplace_back(node);
      out.resultIndices.push_back(node->index);
    }
  out.values = static_cast<uint32_t>(values.size());
  out.words.swap(words);
  out.integers.swap(integers);
  out.leaves.swap(leaves);
  out.sites.swap(sites);
  values.clear();
  for (Chunk *each : std::exchange(chunks, {}))
    letGo(each);
  ++segment;
  return out;
}

} // namespace pliant::trace
