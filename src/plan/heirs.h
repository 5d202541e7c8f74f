// SPDX-License-Identifier: Apache-2.0
// Donation: outputs that may lie in the memory of inputs that a caller gives up.
#pragma once
#include "plan/program.h"

namespace pliant::plan {

/// Fills `program.heirs` and `mayFail`; after the states are found.
void findHeirs(Program &program);

} // namespace pliant::plan
