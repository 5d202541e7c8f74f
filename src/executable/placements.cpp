// SPDX-License-Identifier: Apache-2.0
// Look-up of placements by their sizes.
#include "executable/placements.h"
#include <algorithm>

namespace pliant {

const Placements::Placement &Placements::of(std::span<const ArenaItem> items, std::span<const int64_t> sizes) {
  auto same = [&](const Placement &p) {
    return std::equal(p.sizes.begin(), p.sizes.end(), sizes.begin(), sizes.end());
  };
  if (last < kept.size() && same(kept[last]))
    return kept[last];
  uint64_t hash = 0xcbf29ce484222325;
  for (int64_t size : sizes)
    hash = (hash ^ static_cast<uint64_t>(size)) * 0x100000001b3;
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i].hash == hash && same(kept[i])) {
      last = i;
      return kept[i];
    }
  if (kept.size() < most) {
    last = kept.size();
    if (kept.empty()) {
      kept.reserve(most);
      numbers = std::make_unique_for_overwrite<int64_t[]>(2 * most * sizes.size());
    }
    const std::span<int64_t> own(numbers.get() + 2 * last * sizes.size(), 2 * sizes.size());
    kept.push_back({.sizes = own.first(sizes.size()), .offsets = own.subspan(sizes.size())});
  } else {
    last = oldest;
    oldest = (oldest + 1) % most;
  }
  Placement &p = kept[last];
  p.hash = hash;
  p.number = ++made;
  std::copy(sizes.begin(), sizes.end(), p.sizes.begin());
  p.total = placeArena(items, sizes.data(), p.offsets.data());
  return p;
}

} // namespace pliant
