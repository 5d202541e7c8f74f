// SPDX-License-Identifier: Apache-2.0
// A program with its image and weights, ready to run: checks inputs, owns the arena, reports errors with names.
#pragma once
#include "plan/program.h"
#include "runtime/growing.h"
#include "runtime/image.h"
#include "runtime/pages.h"
#include "runtime/run_state.h"
#include "runtime/tensor_list.h"
#include <array>
#include <atomic>
#include <functional>
#include <set>
#include <span>

namespace pliant {

/// An input or output of any kind: a list where the program has one, otherwise a tensor.
struct RunValue {
  DenseTensor tensor;
  std::optional<TensorList> list;
};

class Executable {
public:
  /// `image` and `emptyImage` (every kernel only returns; may be empty) export `pliant_run`. Weights are packed here.
  static Result<std::unique_ptr<Executable>> load(std::shared_ptr<const Program> program, const std::string &image,
                                                  const std::string &emptyImage, std::vector<DenseTensor> weights);
  ~Executable();

  const Program &program() const { return *plan; }
  /// Runs once. Inputs in the program's order. Any thread; runs in parallel each have an arena of their own.
  Result<std::vector<DenseTensor>> run(std::span<const DenseTensor> inputs);
  /// The same into `outputs`, whose memory is given up first (so no input may lie in this vector; copies of its tensors
  /// may be inputs). Memory of results that nobody holds any more is used again: with the outputs of an earlier run, a
  /// run of a shape that was seen lately allocates nothing. After an error the outputs are not to be read.
  Status run(std::span<const DenseTensor> inputs, std::vector<DenseTensor> &outputs);
  /// The same with states (program().states), each given or not. One that is given takes the place of its input, which
  /// is not looked at, and becomes its output, which is left empty: in the same block when it has room and nobody else
  /// holds it, so that a run copies no past; otherwise in a block with room for half as much again. After an error the
  /// states are what they were. The bits are those of a run without states.
  Status run(std::span<const DenseTensor> inputs, std::span<GrowingTensor> states, std::vector<DenseTensor> &outputs);
  /// The same for a program whose last input has no elements and carries numbers, from 0 to 2^47, as its extents after
  /// the first: here they are by themselves, since no tensor has the elements that some of them would need.
  /// Inputs that `spent` marks (by position; may be shorter) are given up: a result may come to lie in the memory of
  /// one that nobody else holds (program().heirs), and then its elements are gone, also after an error.
  Status run(std::span<const DenseTensor> inputs, std::span<const int64_t> numbers, std::vector<DenseTensor> &outputs,
             std::span<const uint8_t> spent = {});
  /// Bytes of the pasts of states that runs have copied: none while there is room.
  int64_t pastCopied() const { return copiedBytes.load(std::memory_order_relaxed); }
  /// Gives back to the system what no run holds now: arenas, free blocks of results, placements; the next run takes its
  /// memory anew. Any thread, also during runs. What was not used for some time is given back anyway
  /// (executable/idle.h).
  void trim();
  /// How many threads a launch may use (the process's pool has them; ThreadPool::defaultThreads() unless set), and the
  /// nanoseconds of work below which it uses one. Any thread; runs in progress go on as they are. Results have the same
  /// bits for any number.
  void setThreads(int count, int64_t serialBelow = usuallySerialBelow);
  static constexpr int64_t usuallySerialBelow = 20000;
  /// Whether runs, on all threads, take and give zero for denormals (default: not, N5). Not during a run. The caller's
  /// own setting has no influence and comes back after each run.
  void flushDenormals(bool flush) { flushes = flush; }
  /// For programs that take or give sequences and optionals.
  Result<std::vector<RunValue>> runValues(std::span<const RunValue> inputs, std::span<GrowingTensor> states = {});
  /// Called after each launch and fallback of a program compiled with Options::observed: the step, its tensors,
  /// symbols' values.
  using ValueOf = std::function<std::optional<int64_t>(const std::string &)>;
  using Observer = std::function<Status(const Step &, std::span<const DenseTensor> inputs,
                                        std::span<const DenseTensor> outputs, const ValueOf &)>;
  void observe(Observer watcher) { observer = std::move(watcher); }
  /// Called right before and right after each launch and fallback of such a program, before anything else: for timing.
  using Mark = std::function<void(const Step &, bool begins)>;
  void mark(Mark watcher) { marker = std::move(watcher); }
  /// Called right before and right after each part of a launch that is split, on the thread that does it: parts of one
  /// launch at the same time, one call after the other for each part.
  using PartMark = std::function<void(int64_t part, bool begins)>;
  void markParts(PartMark watcher) { partMarker = std::move(watcher); }
  /// The same with kernels that only return: what the host costs. The contents of the outputs are undefined.
  Status runHostOnly(std::span<const DenseTensor> inputs, std::vector<DenseTensor> &outputs);

  /// Values of the program's symbols in the last run of this thread's context; for reports.
  Result<int64_t> evaluate(const Expr &expr, std::span<const DenseTensor> inputs) const;
  double weightsMs() const { return loadedMs; }       ///< what reading and packing the weights took
  int64_t fallbacks() const { return fallbackSteps; } ///< steps that run as references
  int64_t launches() const { return launchSteps; }

private:
  struct Context;
  friend class Idle;
  Executable() = default;
  std::shared_ptr<const Program> plan;
  Image image, emptyImage;
  using Entry = int32_t (*)(RunState *);
  Entry entry = nullptr, emptyEntry = nullptr;
  std::vector<DenseTensor> weights; // those that are read as they are
  Pages packed;                     // all panels
  double loadedMs = 0;
  std::vector<void *> table; // weights, constants and panels in place; the rest null
  SymbolSlots slots;
  std::vector<const Step *> steps;
  std::vector<const std::vector<ArenaItem> *> arenas; ///< by region
  /// How a buffer lies in memory that has room for more.
  struct Room {
    size_t axis;
    int capacity; ///< the symbol's slot
  };
  std::map<int, Room> rooms;
  std::map<int, int> stateOf, carriedOf; ///< states by the buffer that is an output, or made by a trip
  std::map<int, int> heirOf;             ///< inputs by the buffer that is an output and may take their memory
  struct StateSlots {
    int from, to; ///< slots of the symbols
  };
  std::vector<StateSlots> stateSlots;
  std::set<int> countedTrips; ///< buffers that loops collect over a number of trips known before the first
  bool takesLists = false;    ///< it works on lists, or takes or gives some
  Observer observer;
  Mark marker;
  PartMark partMarker;
  std::array<std::atomic<Context *>, 16> spare{};  ///< contexts that no run uses
  std::array<std::atomic<uint32_t>, 16> givenAt{}; ///< the turn in which each was last used
  std::atomic<bool> listed{false};                 ///< Idle looks after them
  std::atomic<int64_t> copiedBytes{0};
  int64_t fallbackSteps = 0, launchSteps = 0;
  std::atomic<int64_t> threads{1}, serialBelow{0};
  bool flushes = false;

  Status loadWeights(std::vector<DenseTensor> sources);
  struct Kept {
    bool given, left; ///< whether contexts were given back, and whether some are left
  };
  Kept giveBack(uint32_t before); ///< contexts last used in a turn up to `before`
  Context *takeContext();
  void giveContext(Context *context);
  bool hasLists() const;
  /// `lists` holds an entry per input, and afterwards one per output.
  Status runWith(Entry entry, std::span<const DenseTensor> inputs, std::vector<DenseTensor> &outputs,
                 std::span<GrowingTensor> states = {}, std::vector<TensorList> *lists = nullptr,
                 std::span<const int64_t> numbers = {}, std::span<const uint8_t> spent = {});
  Result<std::span<const DenseTensor>> takeStates(Context &context, std::span<const DenseTensor> inputs,
                                                  std::span<GrowingTensor> states) const;
  void findRooms();
  Status allocateState(Context &context, int number, std::span<const int64_t> dims);
  Status allocateCarried(Context &context, int number, std::span<const int64_t> dims);
  Status takeLists(Context &context, const std::vector<TensorList> *lists) const;
  Status giveLists(Context &context, std::vector<TensorList> &lists) const;
  Status takeOutputs(Context &context, std::vector<DenseTensor> &outputs) const;
  Status checkInputs(std::span<const DenseTensor> inputs, size_t numbers) const;
  Error describe(const Context &context, std::span<const DenseTensor> inputs) const;
  static int32_t placeArena(RunState *, int64_t region, const int64_t *sizes, int64_t count);
  static int32_t allocateOutput(RunState *, int64_t buffer, const int64_t *dims, int64_t rank);
  static int32_t fallback(RunState *, int64_t step);
  static int32_t launch(RunState *, KernelFunction, const void *const *buffers, int64_t count, const int64_t *symbols,
                        int64_t units, int64_t scratchBytes);
};

} // namespace pliant
