// SPDX-License-Identifier: Apache-2.0
// Where the arena's buffers lie for the sizes that were seen lately: a shape that comes again is looked up.
#pragma once
#include "plan/program.h"

namespace pliant {

class Placements {
public:
  struct Placement {
    uint64_t hash = 0;
    int64_t number = 0;                ///< another one for every placement that was ever made, from 1
    int64_t total = 0;                 ///< bytes of the arena
    std::span<int64_t> sizes, offsets; ///< by arena item
  };
  Placements() = default;
  Placements(Placements &&) = default; // the table stays where it is
  Placements &operator=(Placements &&) = default;
  /// The placement of these sizes: that of the last call again when they are equal, one that is kept, or a new one.
  const Placement &of(std::span<const ArenaItem> items, std::span<const int64_t> sizes);

private:
  static constexpr size_t most = 64; ///< then the oldest makes room
  // One table from the start: small pieces of memory that come with new shapes and stay would lie between the large
  // ones that come and go, and the heap could give nothing back (measured: 19 MB of it free after 400 shapes of YuNet).
  std::vector<Placement> kept;
  std::unique_ptr<int64_t[]> numbers;
  size_t last = 0, oldest = 0;
  int64_t made = 0;
};

} // namespace pliant
