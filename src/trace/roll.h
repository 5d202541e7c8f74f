// SPDX-License-Identifier: Apache-2.0
// Re-rolling: a loop of the host leaves equal stretches of ops one after another in a segment. They are cut apart, so
// that all trips are one structure and run one program, however many there are.
#pragma once
#include "trace/plan.h"

namespace pliant::trace {

/// `eager`: rolls also what is doubtful. A segment without loops is one piece.
Plan roll(const std::shared_ptr<const Structure> &structure, bool eager);

/// How many ops are in loops that are rolled in any case.
size_t rolledOps(const OpList &list);

} // namespace pliant::trace
