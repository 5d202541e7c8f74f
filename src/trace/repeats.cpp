// SPDX-License-Identifier: Apache-2.0
#include "trace/repeats.h"
#include <algorithm>
#include <unordered_map>

namespace pliant::trace {

Repeats::Repeats(const OpList &list) : list(list), again(list.size(), ~0u) {
  std::unordered_map<uint64_t, uint32_t> seen;
  seen.reserve(list.size());
  for (size_t i = list.size() < gram ? 0 : list.size() - gram + 1; i-- > 0;) {
    uint64_t hash = 0;
    for (size_t k = 0; k < gram; ++k)
      hash = detail::mixed(hash, list.ops[i + k].hash);
    auto [at, isNew] = seen.try_emplace(hash, static_cast<uint32_t>(i));
    if (!isNew)
      again[i] = std::exchange(at->second, static_cast<uint32_t>(i));
  }
}

std::optional<Repeat> Repeats::verified(size_t first, size_t period, size_t most) const {
  if (most < fewestTrips)
    return std::nullopt;
  // The second trip shows what is carried; the first may read anything in its place.
  const Stretch body = stretch(list, first + period, first + 2 * period);
  std::vector<uint32_t> leaves;
  size_t trips = 2;
  while (trips < most && matches(list, first + trips * period, *body.code, leaves))
    ++trips;
  if (trips < fewestTrips)
    return std::nullopt;
  if (matches(list, first, *body.code, leaves))
    return Repeat{first, period, trips, first + period, period};
  return trips > fewestTrips ? std::optional(Repeat{first + period, period, trips - 1, first + period, period})
                             : std::nullopt;
}

std::optional<Repeat> Repeats::next(size_t from) {
  for (size_t i = from; i < list.size(); ++i) {
    size_t candidates = 0;
    std::optional<Repeat> small;
    for (uint32_t j = again[i]; j != ~0u && j - i <= longestPeriod && candidates < mostCandidates; j = again[j]) {
      if (small && j < small->last())
        continue; // several of its trips
      ++candidates;
      const size_t period = j - i;
      size_t &until = equalUntil[period];
      if (until <= i)
        for (until = i; until + period < list.size() && list.ops[until].hash == list.ops[until + period].hash;)
          ++until;
      if (until - i < (fewestTrips - 1) * period)
        continue;
      auto found = verified(i, period, (until - i) / period + 1);
      if (found && !isSmall(*found))
        return found;
      if (!small)
        small = found;
    }
    if (small)
      return small;
  }
  return std::nullopt;
}

bool Repeats::isSmall(const Repeat &loop) const {
  return loop.period * loop.trips <= fusedOps && list.isCheap(loop.first, loop.first + loop.period);
}

} // namespace pliant::trace
