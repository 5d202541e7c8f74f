// SPDX-License-Identifier: Apache-2.0
// Why values are in memory and how much of it lives at once: what `explain` and `bench` report.
#pragma once
#include "shapes.h"

namespace pliant::tool {

/// The bytes of arena buffers that live together at the worst step, of those whose extents are known before the run.
/// Scratch of kernels is not counted: it dies with its launch.
int64_t liveBytes(const Program &program, const SymbolValues &values);

/// Launches, fallbacks and other steps that read or write a buffer (an alias counts as what it stands for).
struct BufferUse {
  std::vector<const Step *> writers, readers;
};
std::vector<BufferUse> bufferUses(const Program &program);
int baseBuffer(const Program &program, int buffer);

/// "read by 2 launches: conv+relu, add"
std::string whyInMemory(const Program &program, int buffer, const BufferUse &use);
/// "launch conv+relu", "fallback top_k", "host extents"
std::string stepName(const Program &program, const Step &step);

} // namespace pliant::tool
