// SPDX-License-Identifier: Apache-2.0
// Sections of pliant-bench-lazy about small ops, of which there are many.
#pragma once
#include <map>
#include <string>

namespace pliant::bench {

using Figures = std::map<std::string, double>;

/// What recording, replaying and running small ops costs, and how often they run.
void cost(Figures &figures);
/// Chains of up to a million ops: recorded and read, recorded and dropped, with ops in no order that repeats.
void chains(Figures &figures);

} // namespace pliant::bench
