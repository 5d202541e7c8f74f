// SPDX-License-Identifier: Apache-2.0
// Why a recorded segment needs a program of its own, in a sentence for `explain()`.
#pragma once
#include "trace/symbolic.h"

namespace pliant::api {

/// The known structures among which the nearest is looked for.
using Structures = std::vector<const trace::Structure *>;

/// No program has the structure: where it first differs from the nearest one.
std::string differsFrom(const Structures &known, const trace::Instance &instance);
/// A program has the structure, but one of its conditions on extents does not hold.
std::string doesNotHold(const std::vector<trace::Guard> &guards, const trace::Instance &instance);

} // namespace pliant::api
