// SPDX-License-Identifier: Apache-2.0
// Memory of the arena: lives of buffers, and their placement for concrete sizes. Sizes are formulas over the symbols
// that the host flow computes; placing them per shape wastes less than slots sized by formulas (docs/decisions/0006).
#include "plan/program.h"
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

namespace pliant {

void findLives(Program &program, bool share) {
  std::vector<std::pair<int, int>> lives(program.buffers.size(), {-1, -1});
  auto root = [&](int buffer) {
    while (program.buffers[buffer].storage == Buffer::Storage::Alias)
      buffer = program.buffers[buffer].index;
    return buffer;
  };
  int now = 0;
  auto touch = [&](int buffer, int time) {
    auto &[first, last] = lives[root(buffer)];
    first = first < 0 ? time : std::min(first, time);
    last = std::max(last, time);
  };
  std::function<void(const std::vector<Step> &)> walk = [&](const std::vector<Step> &steps) {
    for (const Step &step : steps) {
      ++now;
      for (int buffer : step.inputs)
        touch(buffer, now);
      for (int buffer : step.outputs)
        touch(buffer, now);
      if (step.scratch >= 0)
        touch(step.scratch, now);
      if (step.kind == Step::Kind::If) { // results are written at the end of either branch
        walk(step.thenSteps);
        walk(step.elseSteps);
        ++now;
        for (int buffer : step.outputs)
          touch(buffer, now);
      }
    }
  };
  walk(program.steps);
  std::set<std::string> atEntry;
  for (const Argument &input : program.inputs)
    for (const Expr &extent : input.type.shape)
      for (const std::string &symbol : extent.symbols())
        atEntry.insert(symbol);
  program.arena.clear();
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    Buffer &buffer = program.buffers[i];
    if (buffer.storage != Buffer::Storage::Arena || lives[i].first < 0)
      continue;
    Expr bytes = buffer.bytes();
    for (const std::string &symbol : bytes.symbols())
      if (!atEntry.contains(symbol))
        buffer.storage = Buffer::Storage::Dynamic;
    if (buffer.storage == Buffer::Storage::Arena)
      program.arena.push_back(
          {static_cast<int>(i), bytes, share ? lives[i].first : 0, share ? lives[i].second : now + 1});
  }
}

/// One greedy pass: each item at the lowest place that is free during its life. Stops when it is no better than
/// `limit`.
static int64_t placeInOrder(std::span<const ArenaItem> items, const int64_t *sizes, const std::vector<size_t> &order,
                            int64_t limit, std::vector<int64_t> &offsets) {
  std::vector<size_t> placed; // by offset
  int64_t total = 0;
  auto rounded = [&](size_t item) { return (sizes[item] + 63) / 64 * 64; };
  for (size_t item : order) {
    int64_t at = 0;
    for (size_t other : placed) {
      if (items[other].last < items[item].first || items[item].last < items[other].first)
        continue;
      if (offsets[other] >= at + rounded(item))
        break;
      at = std::max(at, offsets[other] + rounded(other));
    }
    offsets[item] = at;
    total = std::max(total, at + rounded(item));
    if (total >= limit)
      return limit;
    auto position = std::upper_bound(placed.begin(), placed.end(), at,
                                     [&](int64_t value, size_t other) { return value < offsets[other]; });
    placed.insert(position, item);
  }
  return total;
}

int64_t placeArena(std::span<const ArenaItem> items, const int64_t *sizes, int64_t *offsets) {
  // No order is best for all programs: largest first, longest life first, and in the order of the steps.
  using Order = bool (*)(const ArenaItem &, int64_t, const ArenaItem &, int64_t);
  const Order orders[] = {
      [](const ArenaItem &, int64_t a, const ArenaItem &, int64_t b) { return a > b; },
      [](const ArenaItem &x, int64_t a, const ArenaItem &y, int64_t b) {
        const int longer = (x.last - x.first) - (y.last - y.first);
        return longer != 0 ? longer > 0 : a > b;
      },
      [](const ArenaItem &x, int64_t a, const ArenaItem &y, int64_t b) {
        return x.first != y.first ? x.first < y.first : a > b;
      },
  };
  int64_t best = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> candidate(items.size());
  std::vector<size_t> order(items.size());
  for (Order before : orders) {
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      if (before(items[a], sizes[a], items[b], sizes[b]))
        return true;
      return !before(items[b], sizes[b], items[a], sizes[a]) && a < b;
    });
    const int64_t total = placeInOrder(items, sizes, order, best, candidate);
    if (total < best) {
      best = total;
      std::copy(candidate.begin(), candidate.end(), offsets);
    }
  }
  return items.empty() ? 0 : best;
}

} // namespace pliant
