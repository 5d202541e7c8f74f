// SPDX-License-Identifier: Apache-2.0
// The host flow of a program, compiled: extents, checks, buffers and direct calls of kernels. No interpreter, lock or
// allocation stands between two launches.
#pragma once
#include "codegen/kernel.h"
#include "codegen/object.h"
#include "plan/program.h"

namespace pliant::codegen {

/// The entry `int32_t pliant_run(RunState *)`. `kernels[g]` belongs to `program.groups[g]`. Steps are numbered in
/// program order, branches included, as RunError::step and the fallback helper count them.
Result<std::string> writeFlow(const Program &program, const std::vector<Kernel> &kernels, ObjectWriter &writer,
                              bool kernelsReturn = false, bool observed = false);

} // namespace pliant::codegen
