// SPDX-License-Identifier: Apache-2.0
// What one run at a time needs; kept between runs, so that a run of a seen shape allocates nothing.
#pragma once
#include "executable/executable.h"
#include "executable/placements.h"
#include "runtime/arena.h"
#include "runtime/block_pool.h"
#include "runtime/run_state.h"

namespace pliant {

struct Executable::Context {
  explicit Context(Executable &owner);

  Executable *owner;
  RunState state{};
  Arena arena;
  Placements placements;
  int64_t placed = 0; ///< the placement that `table` holds
  BlockPool pool;
  std::vector<void *> table;
  std::vector<int64_t> symbols;
  std::vector<int64_t> extents;              ///< of the outputs, one after the other
  std::vector<std::shared_ptr<void>> memory; ///< by buffer, of those in `pooled`
  std::vector<int> pooled;                   ///< outputs, and buffers of data-dependent size
  std::optional<Error> failure;
};

} // namespace pliant
