// SPDX-License-Identifier: Apache-2.0
// States: outputs that are an input with more behind it, such as the keys and values that a decoder keeps.
#pragma once
#include "plan/program.h"

namespace pliant::plan {

/// A concat of a whole input and something else, as steps that store the parts into a buffer.
struct Append {
  int from, to; ///< buffers
  int64_t axis;
};

/// Makes states of the appends from an input to an output, and from what a loop hands to a trip to what the trip hands
/// on, if all who read one of the two can read memory with room in it: their groups get strides that a run decides. The
/// others stay dense. The memory of a state and that of its past may be the same: nothing writes where the past lies
/// but its copy, which is then left out.
void findStates(Program &program, std::span<const Append> appends);

} // namespace pliant::plan
