// SPDX-License-Identifier: Apache-2.0
// Growth of the arena.
#include "runtime/arena.h"
#include <algorithm>

namespace pliant {

Result<void *> Arena::reserve(size_t bytes) {
  if (pages.data() && bytes <= pages.size())
    return static_cast<void *>(pages.data());
  // Half as much again, so that slowly rising sizes remap rarely. The old block goes first: both are never held.
  size_t grown = std::max(bytes, pages.size() + pages.size() / 2);
  trim();
  auto larger = Pages::map(grown, "the arena");
  if (!larger && grown > bytes)
    larger = Pages::map(bytes, "the arena");
  if (!larger)
    return larger.takeError();
  pages = std::move(*larger);
  return static_cast<void *>(pages.data());
}

} // namespace pliant
