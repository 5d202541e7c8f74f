// SPDX-License-Identifier: Apache-2.0
// What integer inputs index: random ones must lie below the smallest extent, as true ones do.
#pragma once
#include "plan/program.h"

namespace pliant::tool {

/// One use of an input as indices.
struct IndexUse {
  Expr extent;          ///< what is indexed, over the program's symbols
  bool changed = false; ///< the input passes arithmetic first, so its values may be larger there
};

/// Per input of the program, what it indexes, followed through casts, arithmetic, selections and views.
std::vector<std::vector<IndexUse>> indexUses(const Program &program);

/// Inputs that the host reads as extents, with their bounds.
std::map<int, std::pair<int64_t, int64_t>> boundInputs(const Program &program);

} // namespace pliant::tool
