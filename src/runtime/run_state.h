// SPDX-License-Identifier: Apache-2.0
// What generated code sees of a run: plain C layout. The code generator reaches fields by the offsets below; changing
// anything here changes runStateVersion, which is part of every image's key.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pliant {

constexpr uint32_t runStateVersion = 2;

/// The first error of a run. A kernel that finds one stores it if code is still 0, clamps and goes on; the flow tests
/// code before anything leaves the run.
struct RunError {
  int64_t code;  ///< RunErrorCode; 0 = none
  int64_t step;  ///< index of the step in the plan, which knows op and source
  int64_t value; ///< the offending value (an index, a divisor, an extent)
  int64_t bound; ///< what it was held against
};

enum RunErrorCode : int64_t {
  RunErrorNone = 0,
  RunErrorIndex = 1,    ///< value is not in [-bound, bound)
  RunErrorDivision = 2, ///< integer division by zero
  RunErrorExtent = 3,   ///< an extent does not equal (or pass) bound
  RunErrorOverflow = 4, ///< extent arithmetic left 64 bits
  RunErrorMemory = 5,   ///< a helper had no memory for value bytes
  RunErrorHost = 6      ///< a helper failed; the host keeps the Error
};

struct RunState;

/// A kernel over the units [begin, end) of its work.
using KernelFunction = void (*)(const void *const *buffers, const int64_t *symbols, int64_t begin, int64_t end,
                                RunState *state);

/// Calls from generated code back into the runtime. Each returns 0, or 1 after it has filled RunState::error.
struct RunHelpers {
  /// Gives the buffers of an arena (0: the program's, then those of loops) memory for these sizes (in the plan's order)
  /// and sets their entries in buffers.
  int32_t (*placeArena)(RunState *state, int64_t region, const int64_t *sizes, int64_t count);
  /// Makes buffers[buffer] memory for the extents dims[0..rank) (the host knows the element type).
  int32_t (*allocateOutput)(RunState *state, int64_t buffer, const int64_t *dims, int64_t rank);
  /// Runs a step that the host knows: an op without a kernel by its reference evaluator, what is done to counted
  /// memory and lists.
  int32_t (*fallback)(RunState *state, int64_t step);
  /// Runs a kernel on all units, split among threads. `count` is the number of buffers; the last of them is scratch, of
  /// which each thread has `scratchBytes`, one after the other. Returns 0: what kernels find is in RunState::error.
  int32_t (*launch)(RunState *state, KernelFunction kernel, const void *const *buffers, int64_t count,
                    const int64_t *symbols, int64_t units, int64_t scratchBytes);
};

struct RunState {
  void **buffers;            ///< inputs, weights, outputs, by plan index
  int64_t *symbols;          ///< values of the symbolic extents
  void *arena;               ///< the block behind the program's arena; generated code never looks
  const RunHelpers *helpers; ///< never null
  RunError error;
  void *host;          ///< the host's own; generated code never looks
  int64_t step;        ///< the step that runs, for RunError
  int64_t *extents;    ///< those of the outputs, one output after the other: written when all steps are done
  int64_t threads;     ///< that a launch may use: each has scratch of its own
  int64_t serialBelow; ///< a launch of less work (nanoseconds, roughly) is a direct call
};

namespace run_state {
constexpr size_t buffers = 0, symbols = 8, arena = 16, helpers = 24, error = 32, host = 64, step = 72;
constexpr size_t extents = 80, threads = 88, serialBelow = 96, size = 104;
constexpr size_t errorCode = error, errorStep = error + 8, errorValue = error + 16, errorBound = error + 24;
constexpr size_t placeArena = 0, allocateOutput = 8, fallback = 16, launch = 24; ///< in RunHelpers
} // namespace run_state

static_assert(sizeof(void *) == 8 && sizeof(RunState) == run_state::size);
static_assert(offsetof(RunState, buffers) == run_state::buffers && offsetof(RunState, symbols) == run_state::symbols);
static_assert(offsetof(RunState, arena) == run_state::arena && offsetof(RunState, helpers) == run_state::helpers);
static_assert(offsetof(RunState, error) == run_state::error && offsetof(RunState, host) == run_state::host);
static_assert(offsetof(RunState, step) == run_state::step && offsetof(RunState, extents) == run_state::extents);
static_assert(offsetof(RunState, threads) == run_state::threads &&
              offsetof(RunState, serialBelow) == run_state::serialBelow);
static_assert(offsetof(RunError, step) == 8 && offsetof(RunError, value) == 16 && offsetof(RunError, bound) == 24);
static_assert(offsetof(RunHelpers, allocateOutput) == run_state::allocateOutput &&
              offsetof(RunHelpers, fallback) == run_state::fallback &&
              offsetof(RunHelpers, launch) == run_state::launch);

} // namespace pliant
