// SPDX-License-Identifier: Apache-2.0
// Equal segments of steps.
#include "view/fold.h"
#include "memory.h"
#include <algorithm>
#include <set>

namespace pliant::tool::view {
namespace {

using Steps = std::vector<const Step *>;

constexpr size_t longestPeriod = 400, mostSteps = 6000;
constexpr int mostFolds = 100, fewestSaved = 3;

struct Fold {
  size_t start = 0, period = 0, count = 0;
  std::map<int, int> carried;
  std::map<int, int> same;
};

class Folder {
public:
  explicit Folder(const Program &program) : program(program), uses(bufferUses(program)) {}

  std::vector<Item> items(const Steps &steps, std::map<int, int> &same) {
    std::vector<Item> out;
    if (--budget < 0) {
      for (const Step *step : steps)
        out.push_back({step});
      return out;
    }
    Steps list = steps;
    Fold best = find(list);
    if (!best.count) {
      for (const Step *step : list)
        out.push_back({step});
      return out;
    }
    const auto first = list.begin() + static_cast<std::ptrdiff_t>(best.start);
    same.insert(best.same.begin(), best.same.end());
    out = items({list.begin(), first}, same); // the depth is bounded by `budget`
    Item segment;
    segment.count = static_cast<int>(best.count);
    segment.carried = best.carried;
    segment.body = items({first, first + static_cast<std::ptrdiff_t>(best.period)}, same);
    out.push_back(std::move(segment));
    std::vector<Item> rest = items({first + static_cast<std::ptrdiff_t>(best.period * best.count), list.end()}, same);
    std::move(rest.begin(), rest.end(), std::back_inserter(out));
    return out;
  }

private:
  const Program &program;
  std::vector<BufferUse> uses;
  int budget = mostFolds;

  std::string key(const Step &step) const {
    std::string out = std::to_string(static_cast<int>(step.kind)) + " " + std::to_string(step.group) + " " +
                      std::to_string(static_cast<int>(step.op)) + pliant::str(step.attrs);
    for (const Expr &e : step.values)
      out += " " + e.str();
    for (const std::string &symbol : step.symbols)
      out += " " + symbol;
    for (int buffer : step.inputs)
      out += " " + program.buffers[buffer].type.str();
    out += " ->";
    for (int buffer : step.outputs)
      out += " " + program.buffers[buffer].type.str();
    return out;
  }

  /// The segment that `steps` starts with `count` times can be drawn once; or nothing.
  std::optional<Fold> check(const Steps &steps, size_t start, size_t period, size_t count) const {
    struct Maker {
      size_t segment, step, output;
    };
    std::map<int, Maker> makers;
    std::map<const Step *, size_t> segmentOf;
    for (size_t k = 0; k < count; ++k)
      for (size_t r = 0; r < period; ++r) {
        const Step *step = steps[start + k * period + r];
        segmentOf[step] = k;
        for (size_t j = 0; j < step->outputs.size(); ++j)
          makers.emplace(baseBuffer(program, step->outputs[j]), Maker{k, r, j});
      }
    auto made = [&](size_t k, size_t r, size_t j) {
      return baseBuffer(program, steps[start + k * period + r]->outputs[j]);
    };
    Fold found{start, period, count, {}, {}};
    for (size_t r = 0; r < period; ++r)
      for (size_t i = 0; i < steps[start + r]->inputs.size(); ++i) {
        const int first = baseBuffer(program, steps[start + r]->inputs[i]);
        const auto firstMaker = makers.find(first);
        for (size_t k = 1; k < count; ++k) {
          const int buffer = baseBuffer(program, steps[start + k * period + r]->inputs[i]);
          const auto maker = makers.find(buffer);
          if (maker == makers.end()) {
            const Buffer &a = program.buffers[first], &b = program.buffers[buffer];
            if (buffer == first)
              continue;
            const bool own = a.storage == b.storage && a.type == b.type && firstMaker == makers.end() &&
                             (a.storage == Buffer::Storage::Weight || a.storage == Buffer::Storage::Constant ||
                              a.storage == Buffer::Storage::Input);
            if (!own)
              return std::nullopt;
            found.same.emplace(buffer, first);
            continue;
          }
          const Maker &m = maker->second;
          if (m.segment == k) {
            if (firstMaker == makers.end() || firstMaker->second.segment != 0 || firstMaker->second.step != m.step ||
                firstMaker->second.output != m.output)
              return std::nullopt;
          } else if (m.segment + 1 == k) { // carried: the first one comes from before
            if (firstMaker != makers.end())
              return std::nullopt;
            for (size_t other = 1; other < count; ++other)
              if (baseBuffer(program, steps[start + other * period + r]->inputs[i]) !=
                  made(other - 1, m.step, m.output))
                return std::nullopt;
            found.carried.emplace(first, made(0, m.step, m.output));
          } else if (buffer != first) {
            return std::nullopt;
          }
        }
      }
    for (const auto &[buffer, maker] : makers) {
      if (maker.segment)
        found.same.emplace(buffer, made(0, maker.step, maker.output));
      if (maker.segment + 1 == count)
        continue;
      for (const Step *reader : uses[buffer].readers) {
        auto segment = segmentOf.find(reader);
        if (segment == segmentOf.end() || segment->second < maker.segment || segment->second > maker.segment + 1)
          return std::nullopt;
      }
    }
    return found;
  }

  /// Steps of a kind of their own (masks, say, that the first layer makes for all) move up behind what they read, so
  /// that they interrupt no segment.
  void moveUp(Steps &list, std::vector<int> &ids) const {
    std::map<int, int> occurrences;
    for (int id : ids)
      ++occurrences[id];
    std::map<int, size_t> made; // where a buffer was written last
    std::vector<std::pair<size_t, size_t>> order;
    for (size_t i = 0; i < list.size(); ++i) {
      size_t after = 0;
      for (const std::vector<int> *buffers : {&list[i]->inputs, &list[i]->outputs})
        for (int buffer : *buffers)
          if (auto at = made.find(baseBuffer(program, buffer)); at != made.end())
            after = std::max(after, at->second);
      const bool moves = ids[i] >= 0 && (occurrences[ids[i]] == 1 || onlyOutputs(*list[i]));
      order.emplace_back(moves ? after : i + 1, i);
      for (int buffer : list[i]->outputs)
        made[baseBuffer(program, buffer)] = moves ? after : i + 1;
    }
    std::sort(order.begin(), order.end(), [](const auto &a, const auto &b) { return a < b; });
    Steps moved;
    std::vector<int> movedIds;
    for (auto [position, i] : order) {
      moved.push_back(list[i]);
      movedIds.push_back(ids[i]);
    }
    list = std::move(moved);
    ids = std::move(movedIds);
  }

  bool onlyOutputs(const Step &step) const {
    return !step.outputs.empty() && std::all_of(step.outputs.begin(), step.outputs.end(), [&](int buffer) {
      return uses[baseBuffer(program, buffer)].readers.empty();
    });
  }

  Fold find(Steps &list) const {
    const size_t n = list.size();
    if (n < 2 || n > mostSteps)
      return {};
    std::map<std::string, int> numbers;
    std::vector<int> ids;
    for (const Step *step : list) {
      const bool nested = !step->thenSteps.empty() || !step->elseSteps.empty() || !step->body.empty();
      ids.push_back(nested ? -1 - static_cast<int>(ids.size())
                           : numbers.emplace(key(*step), static_cast<int>(numbers.size())).first->second);
    }
    moveUp(list, ids);
    Fold best;
    size_t mostSaved = fewestSaved - 1;
    for (size_t period = 1; period <= std::min(n / 2, longestPeriod); ++period)
      for (size_t i = 0; i + period < n;) {
        size_t run = 0; // of steps that equal those a period later
        while (i + run + period < n && ids[i + run] == ids[i + run + period])
          ++run;
        const size_t count = run / period + 1;
        if (count > (period == 1 ? 2 : 1) && period * (count - 1) > mostSaved) {
          std::optional<Fold> here; // of all places to cut, where the fewest values cross
          for (size_t shift = 0; shift <= run % period; ++shift) {
            auto candidate = check(list, i + shift, period, count);
            if (candidate && (!here || candidate->carried.size() < here->carried.size()))
              here = std::move(candidate);
          }
          if (here) {
            mostSaved = period * (count - 1);
            best = std::move(*here);
          }
        }
        i += run + 1;
      }
    return best;
  }
};

} // namespace

Folded fold(const Program &program, const std::vector<const Step *> &steps) {
  Folded out;
  out.items = Folder(program).items(steps, out.same);
  return out;
}

} // namespace pliant::tool::view
