// SPDX-License-Identifier: Apache-2.0
// In which order a sum that rounds adds: its operand's shape alone decides (docs/semantics.md, N2).
#pragma once
#include "group/schedule.h"

namespace pliant {

/// Sets `ordered`, `lastAxis` and `joined` of a schedule whose instances are sorted. `anchor` is the shape that the
/// loops span, `dimensionOf` the dimension of each of its axes. An error where what is fused with a sum would give it
/// another order, or one that is slow to read in.
Status orderSum(const Group &group, const Extents &anchor, const std::vector<int> &dimensionOf, Schedule &schedule);

} // namespace pliant
