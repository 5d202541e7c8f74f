// SPDX-License-Identifier: Apache-2.0
// Programs of recorded segments: found by their whole structure, compiled when there is none whose guards hold. A
// segment runs as a plan of pieces, which have programs of their own. While one thread compiles, others find what is
// known; those that want a program of the same structure wait for it. Programs that were used longest ago are given up
// when there are too many.
#pragma once
#include "api/backend.h"
#include "api/guards.h"
#include "executable/executable.h"
#include <deque>
#include <list>
#include <unordered_map>
#include <unordered_set>

namespace pliant::trace {
class Cells;
struct Plan;
} // namespace pliant::trace

namespace pliant::api {

class Programs : public Backend {
public:
  Programs();
  ~Programs() override;
  struct Counts {
    int64_t compiles = 0;            ///< programs made, by the compiler or from the disk cache
    int64_t hits = 0;                ///< times that one was known
    int64_t loops = 0;               ///< segments that ran as more than one piece
    int64_t waves = 0;               ///< times that several pieces ran as one
    int64_t evictions = 0;           ///< programs that were given up to make room
    int64_t programs = 0, bytes = 0; ///< those that are kept now, and of how many bytes their code and keys are
    int64_t structures = 0;          ///< that are known now
    int64_t compiling = 0;           ///< compiles in progress
  };
  /// What is kept at most. The program used last is always.
  struct Limits {
    int64_t programs = 1024, bytes = int64_t(1) << 30;
  };
  /// As many structures, and half of all, may be known that have no program and that no plan needs.
  static constexpr size_t looseStructures = 32;
  /// Those of this process.
  static Programs &all();

  std::string_view name() const override { return "native"; }
  void run(const trace::Segment &segment) override;
  /// Makes the programs that the segment's run would need and that there are not yet.
  Status prepare(const trace::Segment &segment) override;
  Counts counts();
  /// More programs made than this are errors, wherever they come from: what the disk cache has is no property of a
  /// program.
  void allow(int64_t compiles) { most = compiles; }
  int64_t allowed() const { return most; }
  void limit(Limits to);
  /// As Executable's, of all programs: those that are there and those to come.
  void setThreads(int count, int64_t serialBelow);
  /// For fork: waits for compiles, since in the child nobody would end them.
  void lock();
  void unlock() { mutex.unlock(); }

private:
  struct Known;
  struct Program {
    std::shared_ptr<Known> of; ///< stays, also when plans and the table of structures have forgotten it
    Guards guards;
    std::vector<trace::Guard> conditions;   ///< the same, for explanations
    std::shared_ptr<Executable> executable; ///< shared by the runs in progress
    int64_t ops = 0, bytes = 0;
    bool loaded = false; ///< from the disk cache
  };
  using Kept = std::list<Program>; ///< the one used last in front
  /// A structure and its programs, the one used last in front; of a whole segment also how it runs.
  struct Known : std::enable_shared_from_this<Known> {
    const Programs *owner;
    std::shared_ptr<const trace::Structure> structure;
    std::vector<Kept::iterator> programs;
    bool compiling = false; ///< by some thread
    std::shared_ptr<const trace::Plan> plan;
    std::vector<std::shared_ptr<Known>> bodies, batches; ///< of the plan; none is the segment itself

    bool inOnePiece() const; ///< it runs as a program of its own
  };
  class Run;
  class Leaves;
  Kept kept;
  Limits limits;
  std::unordered_set<uint64_t> gone; ///< structures of which a program was given up, for explanations
  std::unordered_multimap<uint64_t, std::shared_ptr<Known>> structures;
  size_t sweepAt = looseStructures;         ///< number of structures at which those are forgotten that nothing needs
  std::deque<std::shared_ptr<Known>> plans; ///< segments of several pieces: the oldest plans are forgotten
  size_t plannedOps = 0;
  std::unordered_map<uint64_t, uint64_t>
      doubtful; ///< plans with doubtful loops: for which segment they were made first
  std::unique_ptr<trace::Cells> cells;
  std::mutex mutex; ///< of all but what is atomic; not held while something is compiled or runs
  int64_t compiling = 0;
  std::atomic<uint32_t> compiled{0}; ///< changes when a compile ends; waited for, also behind a fork
  std::atomic<int64_t> most{INT64_MAX};
  int threads = 0; ///< 0: as many as there are processors
  int64_t serialBelow = Executable::usuallySerialBelow;
  Counts made;
  std::atomic<std::vector<DenseTensor> *> spare{nullptr}; ///< without their memory: those of the last run, if any

  /// `divisible`: what has failed is a leaf or an op, which others need not depend on.
  Result<std::vector<DenseTensor>> results(const trace::Segment &segment, bool &divisible);
  std::vector<Result<DenseTensor>> resultsApart(const trace::Segment &segment);
  std::shared_ptr<Known> known(const std::shared_ptr<const trace::Structure> &structure);
  std::shared_ptr<Known> planned(const trace::Segment &segment);
  void makePlan(const std::shared_ptr<Known> &segment, std::span<const int64_t> integers);
  void setPlan(Known &segment, trace::Plan plan);
  void forgetPlans();
  void sweep();
  void makeRoom();
  void waitForCompile(std::unique_lock<std::mutex> &lock);
  Result<std::shared_ptr<Executable>> find(Known &known, const trace::Instance &instance, int64_t most);
  /// The same for these operands and integers; `numbers` is memory to use again.
  Result<std::shared_ptr<Executable>> find(Known &known, std::span<const Site> sites,
                                           std::span<const DenseTensor> tensors, std::span<const int64_t> integers,
                                           std::vector<int64_t> &numbers, int64_t most);
  Result<Program> make(Known &known, const trace::Instance &instance);
  std::string why(const Known &known, const trace::Instance &instance) const;
};

} // namespace pliant::api
