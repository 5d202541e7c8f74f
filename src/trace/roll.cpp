// SPDX-License-Identifier: Apache-2.0
#include "trace/roll.h"
#include "ops/op.h"
#include "trace/repeats.h"
#include <algorithm>
#include <map>

namespace pliant::trace {
namespace {

constexpr size_t groupLimit = 512;  ///< ops that fusion takes into one kernel
constexpr size_t unrolledOps = 64;  ///< trips of few cheap ops are run together, up to so many ops
constexpr size_t manyOperands = 16; ///< of a concat, from which on it is a list's
constexpr uint32_t nobody = ~0u;

class Roller {
public:
  Roller(const std::shared_ptr<const Structure> &structure, bool eager)
      : structure(structure), eager(eager), list(*structure), rangeOf(list.size()), loopOf(list.size(), nobody),
        needed(structure->code->values.size()), held(needed.size()) {}

  Plan run() {
    for (uint32_t value : structure->results)
      held[value] = true;
    findLoops();
    divide();
    findNeeds();
    if (shortenLoops()) {
      divide();
      findNeeds();
    }
    if (ranges.size() == 1 && ranges[0].how == Body::How::Program)
      return whole();
    make();
    return std::move(plan);
  }

private:
  const std::shared_ptr<const Structure> &structure;
  const bool eager;
  const OpList list;
  Plan plan;
  std::vector<Repeat> loops;

  /// Consecutive ops that become a piece.
  struct Range {
    uint32_t first, last;
    uint32_t loop = nobody; ///< of which it is a trip
    Body::How how = Body::How::Program;
  };
  std::vector<Range> ranges;
  std::vector<uint32_t> rangeOf; ///< of the ops
  std::vector<uint32_t> loopOf;  ///< of the ops, while loops are found; then whether they are in one
  std::vector<bool> needed;      ///< values that another range reads, or a user
  std::vector<bool> held;        ///< values that a user holds

  /// Ops that fuse with each other, so that what they are in costs more as trips than as straight code.
  bool isCheap(const Repeat &loop) const {
    for (size_t i = loop.first + loop.period; i < loop.first + 2 * loop.period; ++i) {
      const Pattern pattern = info(list.header(i).op).pattern;
      if (pattern != Pattern::Pointwise && pattern != Pattern::Map)
        return false;
    }
    return true;
  }
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
      cheap[i] = isCheap(found[i]);
      if (eager || !cheap[i] || found[i].period * found[i].trips > groupLimit)
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
        plan.doubtful = true;
        mark(found[i], nobody);
        continue;
      }
      const Repeat &loop = found[i];
      const bool isLong = loop.period * loop.trips > groupLimit;
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

  /// A concat over trips, or of a long list, is run by the host, however many operands it has; so is a reshape of what
  /// a trip made, when nobody would see that the memory is shared.
  Body::How howAlone(size_t op) const {
    const Header header = list.header(op);
    if (header.op != OpId::Concat || header.operands < fewestTrips)
      return Body::How::Program;
    size_t leaves = 0;
    for (uint32_t k = 0; k < header.operands; ++k) {
      const uint32_t operand = list.operand(op, k);
      leaves += (operand & leafBit) != 0;
      if (madeInLoop(operand) || leaves >= manyOperands)
        return Body::How::Concat;
    }
    return Body::How::Program;
  }
  bool reshapesOnly(const Repeat &loop) const {
    if (loop.period != 1 || list.header(loop.first).op != OpId::Reshape)
      return false;
    for (size_t i = loop.first; i < loop.last(); ++i)
      if (held[list.ops[i].value])
        return false;
    return true;
  }

  void divide() {
    ranges.clear();
    size_t next = 0; // loop
    uint32_t from = 0;
    auto straight = [&](uint32_t to) {
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
      if (const Body::How how = howAlone(i); how != Body::How::Program) {
        straight(i);
        ranges.push_back({i, i + 1, nobody, how});
        from = i + 1;
      }
      ++i;
    }
    straight(static_cast<uint32_t>(list.size()));
    for (uint32_t r = 0; r < ranges.size(); ++r)
      std::fill(rangeOf.begin() + ranges[r].first, rangeOf.begin() + ranges[r].last, r);
  }

  void findNeeds() {
    needed = held;
    for (size_t i = 0; i < list.size(); ++i)
      for (uint32_t k = 0, n = list.header(i).operands; k < n; ++k)
        if (const uint32_t operand = list.operand(i, k);
            !(operand & leafBit) && rangeOf[list.makers[operand]] != rangeOf[i])
          needed[operand] = true;
  }

  /// Needed values of some trips, relative to the first of each.
  std::vector<bool> needs(const Repeat &loop, size_t from, size_t to) const {
    std::vector<bool> any(list.ops[loop.first + loop.period].value - list.ops[loop.first].value);
    for (size_t t = from; t < to; ++t)
      for (size_t i = 0, first = list.ops[loop.first + t * loop.period].value; i < any.size(); ++i)
        any[i] = any[i] || needed[first + i];
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

  Plan whole() {
    const auto values = static_cast<uint32_t>(structure->results.size());
    plan.bodies = {
        {Body::How::Program, structure, static_cast<uint32_t>(list.leaves.size()), list.ops.back().integer, values}};
    plan.pieces = {{0, 0, 0, 0, 0, 0}};
    for (uint32_t i = 0; i < list.leaves.size(); ++i)
      plan.sources.push_back(leafBit | i);
    for (uint32_t i = 0; i < values; ++i) {
      plan.targets.push_back(i);
      plan.outputs.push_back(i);
    }
    plan.slots = values;
    plan.shape = structure->hash;
    return std::move(plan);
  }

  // ---- from ranges to pieces
  std::vector<uint32_t> slotOf, lastUse;
  std::vector<std::vector<uint32_t>> reads; ///< operands that a range reads from outside, in its body's order
  std::vector<uint32_t> free;

  uint32_t addBody(const Range &range, std::vector<uint32_t> &leaves) {
    Body body{range.how};
    body.integers = list.ops[range.last].integer - list.ops[range.first].integer;
    const uint32_t firstValue = list.ops[range.first].value, values = list.ops[range.last].value - firstValue;
    if (range.how == Body::How::Program) {
      std::vector<uint32_t> results;
      const std::vector<bool> any = range.loop == nobody
                                        ? needs({range.first, range.last - range.first, 1, range.first, 0}, 0, 1)
                                        : needs(loops[range.loop], 0, loops[range.loop].trips);
      for (uint32_t i = 0; i < values; ++i)
        if (any[i])
          results.push_back(i);
      const size_t model = range.loop == nobody ? range.first : loops[range.loop].model;
      Stretch made = stretch(list, model, model + (range.last - range.first));
      leaves = std::move(made.leaves);
      if (model != range.first)
        matches(list, range.first, *made.code, leaves);
      body.leaves = static_cast<uint32_t>(leaves.size());
      body.results = static_cast<uint32_t>(results.size());
      body.structure = std::make_shared<const Structure>(std::move(made.code), std::move(results));
    } else {
      readAll(range, leaves);
      if (range.how == Body::How::Concat) {
        const Attrs attrs = decode(OpId::Concat, list.attributes(range.first).data(), [] { return Expr(0); }).first;
        body.axis = std::get<ConcatAttrs>(attrs).axis;
      }
      body.leaves = static_cast<uint32_t>(leaves.size());
      body.results = 1;
    }
    plan.bodies.push_back(std::move(body));
    return static_cast<uint32_t>(plan.bodies.size() - 1);
  }
  void readAll(const Range &range, std::vector<uint32_t> &leaves) const {
    leaves.clear();
    for (uint32_t k = 0, n = list.header(range.first).operands; k < n; ++k)
      leaves.push_back(list.operand(range.first, k));
  }

  void make() {
    std::vector<uint32_t> bodyOf(ranges.size());
    reads.resize(ranges.size());
    for (size_t r = 0; r < ranges.size(); ++r) {
      const Range &range = ranges[r];
      const bool again = range.loop != nobody && r > 0 && ranges[r - 1].loop == range.loop;
      if (!again) {
        bodyOf[r] = addBody(range, reads[r]);
        const Body &body = plan.bodies.back();
        plan.shape = detail::mixed(plan.shape, body.structure ? body.structure->hash : static_cast<uint64_t>(body.how));
        continue;
      }
      bodyOf[r] = bodyOf[r - 1];
      if (range.how == Body::How::Program)
        matches(list, range.first, *plan.bodies[bodyOf[r]].structure->code, reads[r]);
      else
        readAll(range, reads[r]);
    }
    // What is run: backwards, what a held value needs.
    std::vector<bool> live(ranges.size());
    lastUse.assign(needed.size(), nobody);
    for (size_t r = ranges.size(); r-- > 0;) {
      for (uint32_t v = list.ops[ranges[r].first].value; v < list.ops[ranges[r].last].value && !live[r]; ++v)
        live[r] = held[v] || lastUse[v] != nobody;
      if (live[r])
        for (uint32_t operand : reads[r])
          if (!(operand & leafBit) && lastUse[operand] == nobody)
            lastUse[operand] = static_cast<uint32_t>(r);
    }
    slotOf.assign(needed.size(), Plan::nowhere);
    for (size_t r = 0; r < ranges.size(); ++r)
      if (live[r])
        addPiece(static_cast<uint32_t>(r), bodyOf[r]);
    for (uint32_t value : structure->results)
      plan.outputs.push_back(slotOf[value]);
  }

  /// Loops by what the host repeats: not by bundles, nor by what is left over of them.
  void mixShape(const Range &range) {
    if (range.loop == nobody) {
      const Body &body = plan.bodies.back();
      plan.shape = detail::mixed(plan.shape, body.structure ? body.structure->hash : static_cast<uint64_t>(body.how));
    } else if (const Repeat &loop = loops[range.loop]; range.loop == 0 ||
                                                       loops[range.loop - 1].unit == loops[range.loop - 1].period ||
                                                       loops[range.loop - 1].last() != loop.first) {
      plan.shape = detail::mixed(plan.shape, hashOf(stretch(list, loop.model, loop.model + loop.unit).code->words));
    }
  }

  void addPiece(uint32_t r, uint32_t number) {
    const Range &range = ranges[r];
    const Body &body = plan.bodies[number];
    auto at = [](const auto &vector) { return static_cast<uint32_t>(vector.size()); };
    plan.pieces.push_back(
        {number, range.first, list.ops[range.first].integer, at(plan.sources), at(plan.targets), at(plan.spent)});
    for (uint32_t operand : reads[r])
      plan.sources.push_back(operand & leafBit ? operand : slotOf[operand]);
    // Slots are taken before those that are spent here are free: a piece reads while it writes.
    for (uint32_t i = 0; i < body.results; ++i) {
      const uint32_t value = list.ops[range.first].value + (body.structure ? body.structure->results[i] : i);
      uint32_t slot = Plan::nowhere;
      if (held[value] || lastUse[value] != nobody) {
        if (free.empty())
          free.push_back(plan.slots++);
        slot = slotOf[value] = free.back();
        free.pop_back();
      }
      plan.targets.push_back(slot);
    }
    for (uint32_t operand : reads[r])
      if (!(operand & leafBit) && lastUse[operand] == r && !held[operand]) {
        lastUse[operand] = nobody; // several leaves may be one value
        plan.spent.push_back(slotOf[operand]);
        free.push_back(slotOf[operand]);
      }
  }
};

} // namespace

Plan roll(const std::shared_ptr<const Structure> &structure, bool eager) { return Roller(structure, eager).run(); }

} // namespace pliant::trace
