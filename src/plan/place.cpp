// SPDX-License-Identifier: Apache-2.0
// Memory of the arena: lives of buffers, and their placement for concrete sizes. Sizes are formulas over the symbols
// that the host flow computes; placing them per shape wastes less than slots sized by formulas (docs/decisions/0006).
#include "plan/program.h"
#include <algorithm>
#include <functional>
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

int64_t placeArena(std::span<const ArenaItem> items, const int64_t *sizes, int64_t *offsets) {
  // Largest first, each at the lowest place that is free during its life.
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b; });
  std::vector<size_t> placed; // by offset
  int64_t total = 0;
  for (size_t item : order) {
    const int64_t size = (sizes[item] + 63) / 64 * 64;
    int64_t at = 0;
    for (size_t other : placed) {
      if (items[other].last < items[item].first || items[item].last < items[other].first)
        continue;
      if (offsets[other] >= at + size)
        break;
      at = std::max(at, offsets[other] + (sizes[other] + 63) / 64 * 64);
    }
    offsets[item] = at;
    total = std::max(total, at + size);
    auto position = std::upper_bound(placed.begin(), placed.end(), at,
                                     [&](int64_t value, size_t other) { return value < offsets[other]; });
    placed.insert(position, item);
  }
  return total;
}

} // namespace pliant
