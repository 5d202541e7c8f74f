// SPDX-License-Identifier: Apache-2.0
// Op by op: how a segment runs of which something has failed, so that each value has an error of its own, or none.
#pragma once
#include "trace/plan.h"

namespace pliant::trace {

struct Apart {
  Plan plan;                      ///< a piece for each op that is needed; results that cannot be computed lie nowhere
  std::vector<uint32_t> failedBy; ///< of each result: the failed leaf that it depends on, or Division::nobody
};

/// `failed`: leaves that have an error in the place of a value; empty when none has.
Apart apart(const std::shared_ptr<const Structure> &structure, const std::vector<bool> &failed);

} // namespace pliant::trace
