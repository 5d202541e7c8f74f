// SPDX-License-Identifier: Apache-2.0
// Why values are in memory and how much of it lives at once: what `explain` and `bench` report.
#pragma once
#include "shapes.h"

namespace pliant::tool {

/// What the arena takes for given extents, and the most bytes that live at once (kernels' scratch included).
struct ArenaUse {
  int64_t arenaBytes = 0, liveBytes = 0;
};
/// Nothing when an extent is read at run time only.
std::optional<ArenaUse> arenaUse(const Program &program, const SymbolValues &values);

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
