// SPDX-License-Identifier: Apache-2.0
// Records ops in the order in which a thread calls them, with no more work than it takes to check them: the shape rule
// on numbers, one node, a few words of structure. What is recorded between two cuts is a segment; the words of a
// segment are the key of its program.
#pragma once
#include "support/result.h"
#include "trace/encode.h"
#include "trace/node.h"
#include "trace/shapes.h"
#include <mutex>

namespace pliant::trace {

/// Memory of nodes. Counted by the nodes that users hold and by the log while it records into it.
struct Chunk {
  static constexpr size_t nodes = 512;
  explicit Chunk(uint64_t log) : log(log) {}
  const uint64_t log; ///< its number
  std::atomic<uint32_t> held{1};
  uint32_t used = 0;
  alignas(Node) std::byte memory[nodes * sizeof(Node)];
};

std::string str(Site site); ///< "model.cpp:12"

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

/// What a cut hands over: structure, leaves, and who waits for which value.
struct Segment {
  Words words;
  Integers integers;
  std::vector<Handle> leaves;
  std::vector<Handle> results;         ///< values that users still hold
  std::vector<uint32_t> resultIndices; ///< which values they are, ascending; behind the words in the key
  std::vector<Site> sites;             ///< of the ops, in order
  uint32_t values = 0;
};

class Log {
public:
  Log();
  ~Log();
  Log(const Log &) = delete;
  Log &operator=(const Log &) = delete;

  /// A value that exists.
  Handle leaf(DenseTensor value);
  /// Checks and records an op with as many results as there are handles to fill. An error is the user's, at `site`;
  /// nothing was recorded then. Operands of other logs must exist already.
  template <class A>
  Status record(const A &attrs, std::span<Node *const> operands, Site site, std::span<Handle> results) {
    attrWords.clear();
    attrIntegers.clear();
    encode(attrs, attrWords, attrIntegers);
    return record(opOf<A>, operands, site, results);
  }
  /// The same for an op with one result.
  template <class A> Result<Handle> record(const A &attrs, std::span<Node *const> operands, Site site) {
    Handle result;
    PLIANT_CHECK(record(attrs, operands, site, {&result, 1}));
    return result;
  }
  /// Ends the segment: all that was recorded and is not yet evaluated. Nothing is pending afterwards: the results are
  /// `stored`, not yet ready, and whoever takes the segment sets them.
  Segment cut();
  size_t pending() const { return values.size(); }
  uint64_t number() const { return own; } ///< no other log of the process ever has it

private:
  const uint64_t own;
  uint32_t segment = 1;
  Chunk *chunk = nullptr;
  std::vector<Chunk *> chunks; ///< of the segment
  Words words, attrWords;
  Integers integers, attrIntegers;
  std::vector<Handle> leaves;
  std::vector<Node *> values;
  std::vector<Site> sites;
  Shapes shapes;

  Status record(OpId op, std::span<Node *const> operands, Site site, std::span<Handle> results);
  Node *make();
  uint32_t operandWord(Node *node);
};

} // namespace pliant::trace
