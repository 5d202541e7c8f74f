// SPDX-License-Identifier: Apache-2.0
// Where the arena's buffers lie for the sizes that were seen lately: a shape that comes again is looked up.
#pragma once
#include "plan/program.h"

namespace pliant {

class Placements {
public:
  struct Placement {
    uint64_t hash = 0;
    int64_t number = 0;                  ///< another one for every placement that was ever made, from 1
    int64_t total = 0;                   ///< bytes of the arena
    std::vector<int64_t> sizes, offsets; ///< by arena item
  };
  /// The placement of these sizes: that of the last call again when they are equal, one that is kept, or a new one.
  const Placement &of(std::span<const ArenaItem> items, std::span<const int64_t> sizes);

private:
  static constexpr size_t most = 64; ///< then the oldest makes room
  std::vector<std::unique_ptr<Placement>> kept;
  size_t last = 0, oldest = 0;
  int64_t made = 0;
};

} // namespace pliant
