// SPDX-License-Identifier: Apache-2.0
#include "trace/roll.h"
#include "ops/op.h"
#include "trace/repeats.h"
#include <algorithm>
#include <map>
#include <numeric>

namespace pliant::trace {
namespace {

constexpr size_t unrolledOps = 64; ///< trips of few cheap ops are run together, up to so many ops
constexpr uint32_t nobody = Division::nobody;

class Roller {
public:
  Roller(const std::shared_ptr<const Structure> &structure, bool eager)
      : eager(eager), all(structure), list(all.list), loopOf(list.size(), nobody) {}

  Plan run() {
    findLoops();
    divide();
    if (shortenLoops())
      divide();
    const uint64_t shape = eager ? shapeOfAll() : 0;
    const bool one = all.ranges.size() == 1 && all.ranges[0].how == Body::How::Program;
    std::vector<uint32_t> order(all.ranges.size());
    std::iota(order.begin(), order.end(), 0u);
    Plan plan = one ? all.whole() : all.plan(order);
    plan.doubtful = doubtful;
    plan.shape = shape;
    return plan;
  }

private:
  using Range = Division::Range;
  const bool eager;
  Division all;
  const OpList &list;
  std::vector<Repeat> loops;
  std::vector<uint32_t> loopOf; ///< of the ops, while loops are found; then whether they are in one
  bool doubtful = false;

  bool madeInLoop(uint32_t operand) const { return !(operand & leafBit) && loopOf[list.makers[operand]] != nobody; }

  /// Loops of cheap ops are run as such when there are more trips than fuse, or when as many trips of other loops read
  /// what they make or make what they read: then the number of trips is everywhere anyway.
  void findLoops() {
    Repeats repeats(list);
    std::vector<Repeat> found;
    for (size_t from = 0; auto loop = repeats.next(from); from = loop->last())
      found.push_back(*loop);
    auto mark = [&](const Repeat &loop, uint32_t number) {
      std::fill(loopOf.begin() + static_cast<ptrdiff_t>(loop.first),
                loopOf.begin() + static_cast<ptrdiff_t>(loop.last()), number);
    };
    for (uint32_t i = 0; i < found.size(); ++i)
      mark(found[i], i);
    const std::vector<std::vector<uint32_t>> neighbours = neighboursOf(found.size());
    std::vector<bool> cheap(found.size()), kept(found.size());
    std::vector<uint32_t> open;
    auto keep = [&](uint32_t i) {
      if (!kept[i])
        open.push_back(i);
      kept[i] = true;
    };
    for (uint32_t i = 0; i < found.size(); ++i) {
      // As trips they would cost more than as straight code.
      cheap[i] = list.isCheap(found[i].first, found[i].first + found[i].period);
      if (eager || !cheap[i] || found[i].period * found[i].trips > fusedOps)
        keep(i);
    }
    while (!open.empty()) {
      const uint32_t i = open.back();
      open.pop_back();
      for (uint32_t other : neighbours[i])
        keep(other);
    }
    for (uint32_t i = 0; i < found.size(); ++i) {
      if (!kept[i]) {
        doubtful = true;
        mark(found[i], nobody);
        continue;
      }
      const Repeat &loop = found[i];
      const bool isLong = loop.period * loop.trips > fusedOps;
      const size_t together = cheap[i] && isLong ? unrolledOps / loop.period : 1;
      const auto wide = together > 1 && neighbours[i].empty()
                            ? repeats.verified(loop.first, loop.period * together, loop.trips / together)
                            : std::nullopt;
      if (!wide || wide->first != loop.first || wide->trips != loop.trips / together) {
        loops.push_back(loop);
        continue;
      }
      loops.push_back(*wide);
      loops.back().unit = loop.period;
      if (const size_t rest = loop.trips % together)
        loops.push_back({wide->last(), loop.period, rest, loop.model, loop.period});
    }
  }

  /// Loops whose trips read ever other values that the other's trips made.
  std::vector<std::vector<uint32_t>> neighboursOf(size_t count) const {
    std::vector<std::vector<uint32_t>> neighbours(count);
    struct Reads {
      uint32_t last, different;
    };
    std::map<std::pair<uint32_t, uint32_t>, Reads> reads; // by reader and maker
    for (size_t i = 0; i < list.size(); ++i)
      for (uint32_t k = 0, n = loopOf[i] == nobody ? 0 : list.header(i).operands; k < n; ++k)
        if (const uint32_t operand = list.operand(i, k); madeInLoop(operand))
          if (const uint32_t maker = loopOf[list.makers[operand]]; maker != loopOf[i]) {
            Reads &seen = reads.try_emplace({loopOf[i], maker}, Reads{nobody, 0}).first->second;
            seen.different += std::exchange(seen.last, operand) != operand;
          }
    for (const auto &[pair, seen] : reads)
      if (seen.different >= fewestTrips - 1) {
        neighbours[pair.first].push_back(pair.second);
        neighbours[pair.second].push_back(pair.first);
      }
    return neighbours;
  }

  bool reshapesOnly(const Repeat &loop) const {
    if (loop.period != 1 || list.header(loop.first).op != OpId::Reshape)
      return false;
    for (size_t i = loop.first; i < loop.last(); ++i)
      if (all.held[list.ops[i].value])
        return false;
    return true;
  }

  void divide() {
    std::vector<Range> &ranges = all.ranges;
    ranges.clear();
    all.codes.clear();
    for (const Repeat &loop : loops)
      all.codes.push_back(stretch(list, loop.model, loop.model + loop.period).code);
    size_t next = 0; // loop
    uint32_t from = 0;
    auto straight = [&](uint32_t to) {
      bool onlyFills = !loops.empty();
      for (uint32_t i = from; i < to; ++i)
        onlyFills &= all.fills(i);
      for (; onlyFills && from < to; ++from)
        ranges.push_back({from, from + 1, nobody, Body::How::Fill});
      if (to > from)
        ranges.push_back({from, to});
      from = to;
    };
    for (uint32_t i = 0; i < list.size();) {
      if (next < loops.size() && i == loops[next].first) {
        straight(i);
        const Repeat &loop = loops[next];
        const Body::How how = reshapesOnly(loop) ? Body::How::Reshape : Body::How::Program;
        for (size_t t = 0; t < loop.trips; ++t, from += loop.period)
          ranges.push_back({from, static_cast<uint32_t>(from + loop.period), static_cast<uint32_t>(next), how});
        i = from;
        ++next;
        continue;
      }
      if (all.joins(i, [&](uint32_t operand) { return madeInLoop(operand); })) {
        straight(i);
        ranges.push_back({i, i + 1, nobody, Body::How::Concat});
        from = i + 1;
      }
      ++i;
    }
    straight(static_cast<uint32_t>(list.size()));
    all.findNeeds();
  }

  /// Needed values of some trips, relative to the first of each.
  std::vector<bool> needs(const Repeat &loop, size_t from, size_t to) const {
    std::vector<bool> any(list.ops[loop.first + loop.period].value - list.ops[loop.first].value);
    for (size_t t = from; t < to; ++t)
      for (size_t i = 0, first = list.ops[loop.first + t * loop.period].value; i < any.size(); ++i)
        any[i] = any[i] || all.needed[first + i];
    return any;
  }

  /// The first and the last trip join the code around when more of them is needed than of those between, so that these
  /// need not give it too: variables of the last trip live on in many programs.
  bool shortenLoops() {
    bool changed = false;
    for (Repeat &loop : loops) {
      if (loop.trips < fewestTrips)
        continue;
      const std::vector<bool> inner = needs(loop, 1, loop.trips - 1);
      auto needsMore = [&](size_t trip) {
        const std::vector<bool> own = needs(loop, trip, trip + 1);
        for (size_t i = 0; i < own.size(); ++i)
          if (own[i] && !inner[i])
            return true;
        return false;
      };
      const bool last = needsMore(loop.trips - 1), first = needsMore(0);
      loop.trips -= size_t(first) + size_t(last);
      loop.first += first ? loop.period : 0;
      changed |= first || last;
    }
    return changed;
  }

  /// Of what is run in which order. Loops by what the host repeats: not by bundles, nor by what is left over of them.
  uint64_t shapeOfAll() const {
    uint64_t shape = 0;
    auto add = [&](size_t first, size_t last) {
      shape = detail::mixed(shape, hashOf(stretch(list, first, last).code->words));
    };
    for (size_t r = 0; r < all.ranges.size(); ++r) {
      const Range &range = all.ranges[r];
      if (range.how != Body::How::Program) {
        shape = detail::mixed(shape, static_cast<uint64_t>(range.how));
        continue;
      }
      if (range.group == nobody) {
        add(range.first, range.last);
        continue;
      }
      if (r && all.ranges[r - 1].group == range.group)
        continue;
      const Repeat &loop = loops[range.group];
      const bool isRest = range.group && loops[range.group - 1].unit != loops[range.group - 1].period &&
                          loops[range.group - 1].last() == loop.first;
      if (!isRest)
        add(loop.model, loop.model + loop.unit);
    }
    return shape;
  }
};

} // namespace

size_t rolledOps(const OpList &list) {
  Repeats repeats(list);
  size_t ops = 0;
  for (size_t from = 0; auto loop = repeats.next(from); from = loop->last())
    if (!list.isCheap(loop->first, loop->first + loop->period))
      ops += loop->period * loop->trips;
  return ops;
}

Plan roll(const std::shared_ptr<const Structure> &structure, bool eager) { return Roller(structure, eager).run(); }

} // namespace pliant::trace
