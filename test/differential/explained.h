// SPDX-License-Identifier: Apache-2.0
// Disagreements that docs/differential.md explains: theirs, or where the standard is silent. Each is told by the least
// model that shows it, so that nothing else hides behind it.
#pragma once
#include "shrink.h"

namespace pliant::differential {

/// The number of the row of docs/differential.md ("T3", "S1"); empty when it is unexplained.
std::string explained(const Finding &finding, const std::string &ort);

} // namespace pliant::differential
