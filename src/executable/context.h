// SPDX-License-Identifier: Apache-2.0
// What one run at a time needs; kept between runs, so that a run of a seen shape allocates nothing.
#pragma once
#include "executable/executable.h"
#include "executable/placements.h"
#include "runtime/arena.h"
#include "runtime/block_pool.h"
#include "runtime/run_state.h"
#include <map>

namespace pliant {

/// Counted memory. Without an owner it belongs to the caller or the program and is never written.
struct Counted {
  std::shared_ptr<void> owner;
  void *data = nullptr;
  std::vector<int64_t> dims = {}; ///< where its memory is longer than it along `axis`; else empty
  size_t axis = 0;
  int64_t capacity = 0; ///< length of the memory along the axis in which it may grow
};

/// An element of a list shares its memory with whatever else holds it.
struct ListItem {
  Counted memory;
  std::vector<int64_t> dims;

  Result<DenseTensor> copy(DType dtype) const;
};
struct ListValue {
  bool present = true;
  std::vector<ListItem> items;
};

struct Executable::Context {
  /// The program's arena, and those of loops.
  struct Region {
    Arena arena;
    Placements placements;
    int64_t placed = 0; ///< the placement that `table` holds
  };
  /// What a loop has collected so far.
  struct Collected {
    std::shared_ptr<void> memory;
    size_t capacity = 0, used = 0;
    int64_t count = 0;
    std::vector<int64_t> dims; ///< of each element
  };

  explicit Context(Executable &owner);

  Executable *owner;
  RunState state{};
  std::vector<Region> regions;
  BlockPool pool;
  std::vector<void *> table;
  std::vector<int64_t> symbols;
  std::vector<int64_t> extents;                                       ///< of the outputs, one after the other
  std::vector<std::shared_ptr<void>> memory;                          ///< by buffer, of those in `pooled`
  std::vector<int> pooled;                                            ///< outputs, and buffers of data-dependent size
  std::map<int, Collected> collected;                                 ///< by the buffer that becomes the whole
  std::vector<std::shared_ptr<ListValue>> lists;                      ///< by buffer, where it is a list
  std::vector<std::pair<Counted, std::shared_ptr<ListValue>>> moving; ///< in a Share step
  /// A state of the program in this run.
  struct State {
    GrowingTensor *given = nullptr; ///< the caller's; null: its input and output are plain
    GrowingTensor larger;           ///< what takes its place where the caller's block has no room
    int64_t length = 0;             ///< of the output
  };
  std::vector<State> states;
  StringPool strings;                 ///< that steps of this run have made
  std::vector<DenseTensor> inputs;    ///< those of the caller and those that states stand for
  std::span<const DenseTensor> given; ///< what this run reads
  std::span<const uint8_t> spent;     ///< which of them its caller gives up; may be shorter
  std::optional<Error> failure;

  std::optional<int64_t> valueOf(const std::string &symbol) const;
  Result<std::vector<int64_t>> dimsOf(const Extents &shape) const;
  void setSymbol(const std::string &symbol, int64_t value);

  Status allocate(int buffer, size_t bytes);
  bool inherit(int buffer, size_t bytes);
  Status allocateElement(int buffer, std::span<const int64_t> dims);
  Counted held(int buffer, bool giveUp);
  Status become(int buffer, Counted memory);
  Status becomeDense(int buffer, const Counted &given);
  /// Nothing is held after a run but what its caller has.
  void endRun();

  /// Share, Collect, Release and List steps.
  Status perform(const Step &step);
  Status share(const Step &step);
  Status collect(const Step &step);
  Status list(const Step &step);
  Status listAt(const Step &step, const ListValue &from, int64_t position);
  Status listConcat(const Step &step, const ListValue &from);
  Status listSplit(const Step &step, ListValue &to);
};

} // namespace pliant
