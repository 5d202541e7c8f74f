// SPDX-License-Identifier: Apache-2.0
// Programs of recorded segments: found by their whole structure, compiled when there is none whose guards hold. A
// segment runs as a plan of pieces, which have programs of their own.
#pragma once
#include "api/guards.h"
#include "executable/executable.h"
#include "trace/roll.h"
#include <unordered_map>

namespace pliant::api {

class Programs {
public:
  struct Counts {
    int64_t compiles = 0, hits = 0;
    int64_t loops = 0; ///< segments that ran as more than one piece
  };
  /// Those of this process.
  static Programs &all();

  /// Computes the values of a segment that users hold: all of them, or an error for all. Waits for its leaves.
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
    std::unique_ptr<const trace::Plan> plan;
    std::vector<Known *> bodies; ///< of the plan
  };
  class Run;
  std::unordered_multimap<uint64_t, std::shared_ptr<Known>> structures; // none is ever taken out
  std::unordered_map<uint64_t, uint64_t>
      doubtful; ///< plans with doubtful loops: for which segment they were made first
  std::mutex mutex;
  std::atomic<int64_t> most{INT64_MAX};
  std::atomic<int> threads{0}; ///< 0: as many as there are processors
  Counts made;

  Result<std::vector<DenseTensor>> results(const trace::Segment &segment);
  Known &known(const std::shared_ptr<const trace::Structure> &structure);
  void makePlan(Known &segment);
  Result<Executable *> find(Known &known, const trace::Instance &instance);
  std::string why(const Known &known, const trace::Instance &instance) const;
};

} // namespace pliant::api
