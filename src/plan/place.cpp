// SPDX-License-Identifier: Apache-2.0
// Memory of the arena: lives of buffers, and their placement for concrete sizes. Sizes are formulas over the symbols
// that the host flow computes; placing them per shape wastes less than slots sized by formulas (docs/decisions/0006).
#include "plan/program.h"
#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace pliant {

namespace {

/// Walks the steps in order with a clock. What a loop reads from outside lives until the loop ends, since the next trip
/// reads it again.
class Lives {
public:
  Lives(Program &program, bool share) : program(program), share(share), lives(program.buffers.size()) {
    for (const Argument &input : program.inputs)
      for (const Expr &extent : input.type.shape)
        for (const std::string &symbol : extent.symbols())
          known.insert(symbol);
    for (const State &state : program.states)
      known.insert(state.from);
    regions.push_back({&program.arena, known});
    program.arena.clear();
  }

  void run() {
    walk(program.steps, 0);
    for (size_t i = 0; i < program.buffers.size(); ++i) {
      Buffer &buffer = program.buffers[i];
      const Life &life = lives[i];
      if (buffer.storage != Buffer::Storage::Arena || life.first < 0)
        continue;
      const Expr bytes = buffer.bytes();
      // The outermost place where the size is known: placed once for all trips inside.
      size_t region = life.region;
      bool placed = fits(bytes, region);
      for (size_t outer = region; outer != 0;) {
        outer = regions[outer].outer;
        if (fits(bytes, outer)) {
          region = outer;
          placed = true;
        }
      }
      if (!placed) {
        buffer.storage = Buffer::Storage::Dynamic;
        continue;
      }
      regions[region].items->push_back(
          {static_cast<int>(i), bytes, share ? life.first : 0, share ? life.last : now + 1});
    }
    program.regions = static_cast<int>(regions.size());
  }

private:
  struct Life {
    int first = -1, last = -1;
    size_t region = 0; // where it is first written
  };
  struct Region {
    std::vector<ArenaItem> *items;
    std::set<std::string> known; // symbols that have their values when it is placed
    size_t outer = 0;
  };
  Program &program;
  bool share;
  std::vector<Life> lives;
  std::vector<Region> regions;
  std::set<std::string> known;
  int now = 0;

  bool fits(const Expr &bytes, size_t region) const {
    for (const std::string &symbol : bytes.symbols())
      if (!regions[region].known.contains(symbol))
        return false;
    return true;
  }
  int root(int buffer) const {
    while (program.buffers[buffer].storage == Buffer::Storage::Alias)
      buffer = program.buffers[buffer].index;
    return buffer;
  }
  void touch(int buffer, size_t region, std::vector<int> &touched) {
    Life &life = lives[root(buffer)];
    if (life.first < 0)
      life = {now, now, region};
    life.last = std::max(life.last, now);
    touched.push_back(root(buffer));
  }

  /// Returns the buffers that the steps touch.
  std::vector<int> walk(std::vector<Step> &steps, size_t region) {
    std::vector<int> touched;
    auto append = [&](const std::vector<int> &more) { touched.insert(touched.end(), more.begin(), more.end()); };
    for (Step &step : steps) {
      ++now;
      for (int buffer : step.inputs)
        touch(buffer, region, touched);
      for (int buffer : step.outputs)
        touch(buffer, region, touched);
      if (step.scratch >= 0)
        touch(step.scratch, region, touched);
      if (step.kind == Step::Kind::If) { // results are written at the end of either branch
        auto outside = known;
        append(walk(step.thenSteps, region));
        auto assigned = std::exchange(known, outside);
        append(walk(step.elseSteps, region));
        std::erase_if(known, [&](const std::string &symbol) { return !assigned.contains(symbol); });
        ++now;
        for (int buffer : step.outputs)
          touch(buffer, region, touched);
      }
      if (step.kind == Step::Kind::Loop)
        append(loop(step, region));
      if (step.kind != Step::Kind::Launch && step.kind != Step::Kind::Loop)
        known.insert(step.symbols.begin(), step.symbols.end());
    }
    return touched;
  }

  std::vector<int> loop(Step &step, size_t region) {
    const int begin = now;
    auto outside = known;
    known.insert(step.symbols.begin(), step.symbols.end());
    step.arena.clear();
    step.region = static_cast<int>(regions.size());
    regions.push_back({&step.arena, known, region});
    std::vector<int> touched = walk(step.body, regions.size() - 1);
    if (step.condition >= 0)
      touch(step.condition, regions.size() - 1, touched);
    ++now;
    known = std::move(outside);
    known.insert(step.symbols.begin(), step.symbols.end());
    for (int buffer : touched)
      if (lives[buffer].first <= begin)
        lives[buffer].last = now;
    return touched;
  }
};

} // namespace

void findLives(Program &program, bool share) { Lives(program, share).run(); }

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
