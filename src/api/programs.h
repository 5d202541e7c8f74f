// SPDX-License-Identifier: Apache-2.0
// Programs of recorded segments: found by their whole structure, compiled when there is none whose guards hold. A
// segment runs as a plan of pieces, which have programs of their own.
#pragma once
#include "api/guards.h"
#include "executable/executable.h"
#include <deque>
#include <unordered_map>

namespace pliant::trace {
class Cells;
struct Plan;
} // namespace pliant::trace

namespace pliant::api {

class Programs {
public:
  Programs();
  ~Programs();
  struct Counts {
    int64_t compiles = 0, hits = 0;
    int64_t loops = 0; ///< segments that ran as more than one piece
    int64_t waves = 0; ///< times that several pieces ran as one
  };
  /// Those of this process.
  static Programs &all();

  /// Computes the values of a segment that users hold; each has its own error, or none. Waits for its leaves.
  void run(const trace::Segment &segment);
  Counts counts() const { return made; }
  /// Makes the segment's program if there is none.
  Status prepare(const trace::Segment &segment);
  /// More compiles than this are errors.
  void allow(int64_t compiles) { most = compiles; }
  int64_t allowed() const { return most; }
  /// Of programs that are made from now on.
  void setThreads(int count) { threads = count; }
  /// For fork.
  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }

private:
  struct Program {
    Guards guards;
    std::vector<trace::Guard> conditions; ///< the same, for explanations
    std::unique_ptr<Executable> executable;
  };
  /// A structure and its programs, the one used last in front; of a whole segment also how it runs.
  struct Known {
    const Programs *owner;
    std::shared_ptr<const trace::Structure> structure;
    std::vector<std::unique_ptr<Program>> programs;
    std::shared_ptr<const trace::Plan> plan;
    std::vector<std::shared_ptr<Known>> bodies, batches; ///< of the plan; none is the segment itself
  };
  class Run;
  std::unordered_multimap<uint64_t, std::shared_ptr<Known>> structures;
  std::deque<std::shared_ptr<Known>> planned; ///< segments of several pieces: the oldest plans are forgotten
  size_t plannedOps = 0;
  std::unordered_map<uint64_t, uint64_t>
      doubtful; ///< plans with doubtful loops: for which segment they were made first
  std::unique_ptr<trace::Cells> cells;
  std::mutex mutex;
  std::atomic<int64_t> most{INT64_MAX};
  std::atomic<int> threads{0}; ///< 0: as many as there are processors
  Counts made;

  /// `divisible`: what has failed is a leaf or an op, which others need not depend on.
  Result<std::vector<DenseTensor>> results(const trace::Segment &segment, bool &divisible);
  std::vector<Result<DenseTensor>> resultsApart(const trace::Segment &segment);
  std::shared_ptr<Known> known(const std::shared_ptr<const trace::Structure> &structure);
  void makePlan(const std::shared_ptr<Known> &segment, std::span<const int64_t> integers);
  void setPlan(Known &segment, trace::Plan plan);
  void forgetPlans();
  Result<Executable *> find(Known &known, const trace::Instance &instance, int64_t most);
  std::string why(const Known &known, const trace::Instance &instance) const;
};

} // namespace pliant::api
