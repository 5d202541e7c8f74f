// SPDX-License-Identifier: Apache-2.0
// Records ops in the order in which a thread calls them, with no more work than it takes to check them: the shape rule
// on numbers, one node, a few words of structure. What is recorded between two cuts is a segment; the words of a
// segment are the key of its program. While a segment repeats one from before, nothing is written but nodes.
#pragma once
#include "runtime/biased_mutex.h"
#include "support/result.h"
#include "trace/foreign.h"
#include "trace/shapes.h"
#include "trace/tape.h"

namespace pliant::trace {

/// What a segment may have before it is cut though nobody asks.
struct CutBudget {
  static constexpr uint32_t usualOps = uint32_t(1) << 14, largestOps = uint32_t(1) << 20;
  static constexpr int64_t usualBytes = int64_t(1) << 28;
  std::atomic<uint32_t> ops{usualOps};
  std::atomic<int64_t> bytes{usualBytes}; ///< of leaves that nobody else holds
};

class Log {
public:
  /// The log into which this thread records, if it has said so; `mutex` is the thread's own then. In the space that
  /// each thread has for libraries of any kind, which needs no call to find it.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local Log *ofThread;
  /// Held by whoever records, cuts or lists, where several threads do.
  BiasedMutex mutex;

  Log();
  ~Log();
  Log(const Log &) = delete;
  Log &operator=(const Log &) = delete;

  /// A value that exists.
  Handle leaf(DenseTensor value);
  /// A tensor of rank 0 with the number at `value`, which lies in the node itself: nothing else is allocated.
  Handle scalar(DType dtype, const void *value);
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
  /// The same where the op is the next one of the tape and all that is known of it is as it was: most of the time, when
  /// a step comes again. Otherwise none, and nothing was recorded: `record` looks closer.
  template <class A> Node *replay(const A &attrs, std::span<Node *const> operands, Site site) {
    if (!sameNumbers || !sameSites || ops + 1 >= budget.ops.load(std::memory_order_relaxed))
      return nullptr;
    attrWords.clear();
    attrIntegers.clear();
    encode(attrs, attrWords, attrIntegers);
    return replay(opOf<A>, operands, site);
  }
  /// Gives up the last share of a node of the newest chunk, with no atomic operation: most of what is recorded goes so.
  /// Only on the log's own thread. False when it is none of these.
  bool drop(Node *node) {
    if (node->chunk() != chunk)
      return false;
    Stored *value;
    {
      const BiasedMutex::Own own(mutex); // a cut would take a share
      if (node->handles.load(std::memory_order_acquire) != 1)
        return false;
      node->handles.store(0, std::memory_order_relaxed);
      value = node->takeValue();
    }
    ++dropped;
    Node::destroy(value); // without the mutex: it may call what the user gave with the memory
    return true;
  }
  /// Why a segment ends.
  enum class Cut : uint8_t {
    Asked, ///< a value is asked for, or a barrier
    Ops,   ///< it has so many that running them is time
    Bytes  ///< it keeps so many alive that nobody else holds
  };
  static inline constinit CutBudget budget; ///< of all logs
  /// Whether the segment should be cut though nobody asks.
  Cut due() {
    return ops >= budget.ops.load(std::memory_order_relaxed)                        ? Cut::Ops
           : leafBytes - sharedBytes < budget.bytes.load(std::memory_order_relaxed) ? Cut::Asked
                                                                                    : dueBytes();
  }
  /// Ends the segment: all that was recorded and is not yet evaluated. Nothing is pending afterwards: the results are
  /// `stored`, not yet ready, and whoever takes the segment sets them.
  Segment cut(Cut reason = Cut::Asked);
  uint64_t cuts(Cut reason) const {
    return ended[static_cast<size_t>(reason)];
  } ///< how many so far, of segments with ops
  /// What is pending, as a segment of its own that shares nothing of its results, and the extents of its values.
  struct Listing {
    Segment segment;
    std::vector<std::vector<int64_t>> dims;
  };
  Listing list();
  size_t pending() const { return values; }   ///< values recorded since the last cut
  uint64_t number() const { return own; }     ///< no other log of the process ever has it
  uint64_t replayed() const { return moved; } ///< ops that were the next ones of a tape, ever

private:
  const uint64_t own;
  uint64_t segment;
  Chunk *chunk = nullptr;
  uint32_t dropped = 0; ///< nodes of `chunk` that `drop` has given up
  /// Places of a chunk with all its values of the segment; its thread may make leaves behind them at any time.
  struct Range {
    Chunk *chunk;
    uint32_t first, behind;
  };
  std::vector<Range> ranges;
  std::vector<Handle> leaves;
  ForeignLeaves foreign; ///< of the leaves, those of other logs
  Integers integers, attrIntegers;
  Words words, attrWords; ///< `words` stay empty while a tape has them
  Sites sites;            ///< likewise
  uint32_t ops = 0, values = 0;
  uint64_t moved = 0;
  int64_t leafBytes = 0, sharedBytes = 0; ///< of the leaves; of those among them that others held when it was looked
  std::array<uint64_t, 3> ended{};
  Shapes shapes;

  Tapes tapes;
  Tape *last = nullptr;                        ///< of the segment before
  Tape *tape = nullptr;                        ///< which this segment follows so far
  bool sameNumbers = false, sameSites = false; ///< as on the tape, so far; neither without one
  struct {
    size_t word, dim, leafDim;
  } at{}, behind{}; ///< on the tape: the next op, and what follows it

  Status record(OpId op, std::span<Node *const> operands, Site site, std::span<Handle> results);
  Node *replay(OpId op, std::span<Node *const> operands, Site site);
  Node *make();
  void addValue(Node *node);
  Handle value(DType dtype, std::span<const int64_t> dims);
  uint32_t operandWord(Node *node);
  void addSite(Site site);
  void forgetLeaves(size_t known);
  bool follows(OpId op, std::span<Node *const> operands, size_t results);
  void leaveTape();
  Cut dueBytes();
  template <class F> void eachValue(F f);
  std::shared_ptr<const Structure> remember(std::vector<uint32_t> results);
  void takeNumbers(Tape &tape);
};

} // namespace pliant::trace
