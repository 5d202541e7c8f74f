// SPDX-License-Identifier: Apache-2.0
// Checks every launch of a run against the reference evaluators, in place, on the inputs that the kernel had.
#pragma once
#include "executable/executable.h"

namespace pliant::tool {

/// For Executable::observe. The error names the first wrong group, its ops and the nodes that it comes from.
Executable::Observer verifier(const Program &program);

} // namespace pliant::tool
