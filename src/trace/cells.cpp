// SPDX-License-Identifier: Apache-2.0
#include "trace/cells.h"
#include "trace/roll.h"
#include <algorithm>
#include <map>
#include <numeric>

namespace pliant::trace {
namespace {

constexpr size_t fewestInstances = 4; ///< from which a cell is known
constexpr size_t lookAhead = 64;      ///< ops between two that belong together
constexpr size_t mostCells = 512;     ///< that are remembered

} // namespace

class Cells::Finder {
public:
  Finder(Cells &all, const std::shared_ptr<const Structure> &structure)
      : all(all), division(structure), list(division.list), claimed(list.size()), views(list.size()) {}

  std::optional<Plan> run(std::span<const int64_t> integers) {
    findViews(integers);
    size_t known = claimKnown();
    const size_t before = all.cells.size();
    if (before < mostCells)
      discover();
    if (instances.empty())
      return std::nullopt;
    divide();
    findLevels();
    // New cells are worth it when they run together, known ones since they are compiled; and loops of the host when
    // they are more.
    size_t ops = 0;
    for (const Division::Range &range : division.ranges)
      if (range.group != Division::nobody || range.how != Body::How::Program)
        ops += range.last - range.first;
    const bool together = instances.size() >= 2 * waves, compiled = known == instances.size() && 2 * ops >= list.size();
    const bool allTogether = together && ops == list.size(); // no loop can have more
    const size_t rolled = !allTogether && (together || compiled) ? rolledOps(list) : 0;
    if (!(together && ops >= rolled) && !(compiled && ops > rolled)) {
      all.cells.resize(before);
      return std::nullopt;
    }
    return make();
  }

private:
  struct Instance {
    size_t first;
    Cell *cell;
  };
  Cells &all;
  Division division;
  const OpList &list;
  std::vector<bool> claimed; ///< ops that are in a cell, or views
  std::vector<bool> views;   ///< ops that are slices of what exists, at places of their own: rows of a table
  std::vector<Instance> instances;
  std::vector<Cell *> cellOf;          ///< by group
  std::vector<uint32_t> level, waveOf; ///< of the ranges
  size_t waves = 0;

  void claim(size_t first, Cell *cell) {
    std::fill_n(claimed.begin() + static_cast<ptrdiff_t>(first), cell->hashes.size(), true);
    instances.push_back({first, cell});
  }
  bool isFree(size_t first, size_t count) const {
    return first + count <= list.size() &&
           std::none_of(claimed.begin() + static_cast<ptrdiff_t>(first),
                        claimed.begin() + static_cast<ptrdiff_t>(first + count), [](bool each) { return each; });
  }

  void findViews(std::span<const int64_t> integers) {
    std::map<std::pair<uint64_t, uint32_t>, std::vector<size_t>> slices; // by op and leaf
    for (size_t i = 0; i < list.size(); ++i)
      if (list.header(i).op == OpId::Slice && list.operand(i, 0) & leafBit && !division.held[list.ops[i].value])
        slices[{list.ops[i].hash, list.operand(i, 0)}].push_back(i);
    auto numbers = [&](size_t op) {
      return integers.subspan(list.ops[op].integer, list.ops[op + 1].integer - list.ops[op].integer);
    };
    for (const auto &[key, places] : slices) {
      const Attrs attrs = decode(OpId::Slice, list.attributes(places[0]).data(), [] { return Expr(0); }).first;
      const auto &steps = std::get<SliceAttrs>(attrs).steps;
      const auto first = numbers(places[0]);
      const bool differ = std::any_of(places.begin(), places.end(), [&](size_t place) {
        return !std::equal(first.begin(), first.end(), numbers(place).begin());
      });
      if (differ && std::all_of(steps.begin(), steps.end(), [](int64_t step) { return step == 1; }))
        for (size_t place : places)
          claimed[place] = views[place] = true;
    }
  }

  size_t claimKnown() {
    std::unordered_multimap<uint64_t, Cell *> byFirst;
    for (const auto &cell : all.cells)
      byFirst.emplace(cell->hashes.front(), cell.get());
    std::vector<uint32_t> leaves;
    for (size_t i = 0; i < list.size(); ++i) {
      Cell *longest = nullptr;
      for (auto [at, end] = byFirst.equal_range(list.ops[i].hash); at != end; ++at) {
        Cell *cell = at->second;
        const size_t length = cell->hashes.size();
        if (longest && longest->hashes.size() >= length)
          continue;
        if (isFree(i, length) && hashesAre(i, cell->hashes) && matches(list, i, *cell->code, leaves))
          longest = cell;
      }
      if (longest) {
        claim(i, longest);
        i += longest->hashes.size() - 1;
      }
    }
    return instances.size();
  }
  bool hashesAre(size_t first, const std::vector<uint64_t> &hashes) const {
    for (size_t k = 0; k < hashes.size(); ++k)
      if (list.ops[first + k].hash != hashes[k])
        return false;
    return true;
  }

  /// Equal ops that read one leaf (a weight) in the same place are each in an instance of one cell.
  void discover() {
    std::map<std::tuple<uint64_t, uint32_t, uint32_t>, std::vector<size_t>> readers; // by op, place and operand
    for (size_t i = 0; i < list.size(); ++i)
      if (!claimed[i])
        for (uint32_t k = 0, n = list.header(i).operands; k < n; ++k)
          if (const uint32_t operand = list.operand(i, k); operand & leafBit && list.kind(operand).rank > 0)
            readers[{list.ops[i].hash, k, operand}].push_back(i);
    std::vector<const std::vector<size_t> *> anchors;
    for (const auto &[key, places] : readers)
      if (places.size() >= fewestInstances)
        anchors.push_back(&places);
    std::sort(anchors.begin(), anchors.end(), [](const auto *a, const auto *b) { return a->front() < b->front(); });
    for (const std::vector<size_t> *places : anchors) {
      std::vector<size_t> open;
      for (size_t place : *places)
        if (!claimed[place])
          open.push_back(place);
      if (open.size() >= fewestInstances)
        grow(open);
    }
  }

  // ---- growing a cell around its anchors
  /// Ops from `low` to `high`, relative to an anchor, are equal for all and read each other alike.
  bool alike(const std::vector<size_t> &anchors, ptrdiff_t low, ptrdiff_t high) const {
    const size_t model = anchors[1] + static_cast<size_t>(low), count = static_cast<size_t>(high - low);
    for (size_t a = 0; a < anchors.size(); ++a) {
      const ptrdiff_t from = static_cast<ptrdiff_t>(anchors[a]) + low;
      if (from < 0 || !isFree(static_cast<size_t>(from), count) ||
          (a && from < static_cast<ptrdiff_t>(anchors[a - 1]) + high))
        return false;
      const auto first = static_cast<size_t>(from);
      for (size_t k = 0; k < count; ++k) {
        if (list.ops[first + k].hash != list.ops[model + k].hash)
          return false;
        for (uint32_t j = 0, n = list.header(model + k).operands; j < n; ++j)
          if (inside(list.operand(model + k, j), model) != inside(list.operand(first + k, j), first))
            return false;
      }
    }
    return true;
  }
  /// The number of a value among those made from op `first` on, or -1 when it is from before or a leaf.
  int64_t inside(uint32_t operand, size_t first) const {
    const uint32_t value = list.ops[first].value;
    return operand & leafBit || operand < value ? -1 : static_cast<int64_t>(operand - value);
  }
  /// Whether an op of [from, to) reads a value that an op of [makersFrom, makersTo) makes.
  bool reads(size_t from, size_t to, size_t makersFrom, size_t makersTo) const {
    const uint32_t first = list.ops[makersFrom].value, last = list.ops[makersTo].value;
    for (size_t i = from; i < to; ++i)
      for (uint32_t k = 0, n = list.header(i).operands; k < n; ++k)
        if (const uint32_t operand = list.operand(i, k); !(operand & leafBit) && operand >= first && operand < last)
          return true;
    return false;
  }

  void grow(const std::vector<size_t> &anchors) {
    ptrdiff_t low = 0, high = 1;
    const size_t model = anchors[1];
    auto at = [&](ptrdiff_t offset) { return static_cast<size_t>(static_cast<ptrdiff_t>(model) + offset); };
    for (bool changed = true; changed;) {
      changed = false;
      for (ptrdiff_t to = high + 1; to <= high + static_cast<ptrdiff_t>(lookAhead) && alike(anchors, low, to); ++to)
        if (reads(at(to - 1), at(to), at(low), at(high))) {
          high = to;
          changed = true;
        }
      for (ptrdiff_t from = low - 1; from >= low - static_cast<ptrdiff_t>(lookAhead) && alike(anchors, from, high);
           --from)
        if (reads(at(low), at(high), at(from), at(from + 1))) {
          low = from;
          changed = true;
        }
    }
    if (list.isCheap(at(low), at(high)))
      return;
    auto cell = std::make_unique<Cell>();
    Stretch made = stretch(list, at(low), at(high));
    cell->code = std::move(made.code);
    for (ptrdiff_t k = low; k < high; ++k)
      cell->hashes.push_back(list.ops[at(k)].hash);
    std::vector<size_t> matching;
    std::vector<uint32_t> leaves, first;
    for (size_t anchor : anchors) {
      const size_t from = anchor + static_cast<size_t>(low);
      if (!isFree(from, cell->hashes.size()) || !matches(list, from, *cell->code, leaves))
        continue;
      if (matching.empty()) {
        first = leaves;
        cell->shared.assign(leaves.size(), true);
      }
      for (size_t k = 0; k < leaves.size(); ++k)
        cell->shared[k] = cell->shared[k] && leaves[k] == first[k] && leaves[k] & leafBit;
      matching.push_back(from);
    }
    if (matching.size() < fewestInstances)
      return;
    for (size_t from : matching)
      claim(from, cell.get());
    all.cells.push_back(std::move(cell));
  }

  // ---- ranges, and when they run
  void divide() {
    std::sort(instances.begin(), instances.end(),
              [](const Instance &a, const Instance &b) { return a.first < b.first; });
    uint32_t from = 0;
    std::map<Cell *, uint32_t> groups;
    // What joins or stacks what instances made is the host's, so that nobody's structure knows how many they are.
    auto ofCell = [&](uint32_t operand) { return !(operand & leafBit) && claimed[list.makers[operand]]; };
    auto rest = [&](uint32_t to) {
      for (uint32_t i = from; i < to; ++i) {
        const bool joins = division.joins(i, [&](uint32_t operand) { return ofCell(operand) || isStacked(operand); });
        const bool stacks =
            list.header(i).op == OpId::Reshape && ofCell(list.operand(i, 0)) && !division.held[list.ops[i].value];
        if (!joins && !stacks && !views[i])
          continue;
        if (i > from)
          division.ranges.push_back({from, i});
        division.ranges.push_back({i, i + 1, Division::nobody,
                                   joins    ? Body::How::Concat
                                   : stacks ? Body::How::Reshape
                                            : Body::How::Slice});
        from = i + 1;
      }
      if (to > from)
        division.ranges.push_back({from, to});
    };
    for (const Instance &each : instances) {
      const auto first = static_cast<uint32_t>(each.first),
                 last = first + static_cast<uint32_t>(each.cell->hashes.size());
      rest(first);
      auto [group, isNew] = groups.try_emplace(each.cell, static_cast<uint32_t>(cellOf.size()));
      if (isNew) {
        cellOf.push_back(each.cell);
        division.codes.push_back(each.cell->code);
      }
      division.ranges.push_back({first, last, group->second});
      from = last;
    }
    rest(static_cast<uint32_t>(list.size()));
    division.findNeeds();
  }

  /// Whether a value is a reshape of what an instance made.
  bool isStacked(uint32_t operand) const {
    if (operand & leafBit || list.header(list.makers[operand]).op != OpId::Reshape)
      return false;
    const uint32_t from = list.operand(list.makers[operand], 0);
    return !(from & leafBit) && claimed[list.makers[from]];
  }

  /// A range runs as soon as all that it reads is there.
  void findLevels() {
    level.resize(division.ranges.size());
    waveOf.resize(division.ranges.size());
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers;
    for (uint32_t r = 0; r < division.ranges.size(); ++r) {
      const Division::Range &range = division.ranges[r];
      for (size_t i = range.first; i < range.last; ++i)
        for (uint32_t k = 0, n = list.header(i).operands; k < n; ++k)
          if (const uint32_t operand = list.operand(i, k); !(operand & leafBit))
            if (const uint32_t maker = division.rangeOf(operand); maker != r)
              level[r] = std::max(level[r], level[maker] + 1);
      if (range.group != Division::nobody)
        waveOf[r] =
            numbers.try_emplace({level[r], range.group}, static_cast<uint32_t>(numbers.size() + 1)).first->second;
    }
    waves = numbers.size();
  }

  Plan make() {
    for (uint32_t group = 0; group < cellOf.size(); ++group)
      division.results.push_back(cellOf[group]->results);
    std::vector<uint32_t> order(division.ranges.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return std::tuple(level[a], waveOf[a], a) < std::tuple(level[b], waveOf[b], b);
    });
    Plan plan = division.plan(order, waveOf);
    for (uint32_t group = 0; group < cellOf.size(); ++group) {
      Cell &cell = *cellOf[group];
      Body &body = plan.bodies[division.bodyOfGroup[group]];
      if (!cell.single || *cell.single != *body.structure) {
        cell.single = body.structure;
        cell.results = division.results[group];
        auto batched = batch(*cell.single, cell.shared);
        cell.batched = batched ? std::make_shared<const Batched>(std::move(*batched)) : nullptr;
      }
      body.structure = cell.single;
      body.batched = cell.batched;
    }
    return plan;
  }
};

std::optional<Plan> Cells::plan(const std::shared_ptr<const Structure> &structure, std::span<const int64_t> integers) {
  if (structure->code->ops < fewestInstances)
    return std::nullopt;
  return Finder(*this, structure).run(integers);
}

} // namespace pliant::trace
