// SPDX-License-Identifier: Apache-2.0
// Folds over rows that lie below each other, lanes along the columns: a panel of partial results stays in the first
// cache while rows stream past it, several at a time. Walking down one column after the other would touch a new page
// with every row. Each column is folded from its first row to its last, long ones in blocks with a panel each.
#include "codegen/loop_nest.h"

using namespace mlir;

namespace pliant::codegen {

using Kind = Instance::Kind;

constexpr int64_t panelBytes = 16384, panelRows = 8;

void LoopNest::choosePanel() {
  if (!plan.hasReduced() || lanesReduced || laneDim < 0 || plan.phases != 1 || folded.empty() || weight() > 20)
    return;
  if (auto rows = folded.back().extent.constant(); rows && *rows < panelRows)
    return;
  for (const Schedule::Store &store : plan.stores)
    if (plan.instances[store.instance].reduced || storesAlongFold(store))
      return;
  int64_t widest = 0;
  for (size_t i = 0; i < plan.instances.size(); ++i) {
    if (plan.instances[i].kind != Kind::Reduce)
      continue;
    Type type = computeType(e.b.getContext(), g.group.type(plan.instances[i].value).dtype);
    if (type.isInteger(1))
      return panelFolds.clear(); // vectors of them have no memory layout of their own
    widest = std::max<int64_t>(widest, type.getIntOrFloatBitWidth() / 8);
    panelFolds.push_back(static_cast<int>(i));
  }
  panelColumns = panelBytes / widest / static_cast<int64_t>(panelFolds.size()) / logicalLanes * logicalLanes;
  if (panelColumns == 0)
    return panelFolds.clear();
  size_t levels = 1;
  for (size_t depth = 0; depth < folded.size(); ++depth)
    levels += blocksOf(depth, panelFolds, columnBlock).size();
  panels.resize(levels);
  for (Values &level : panels)
    for (size_t f = 0; f < panelFolds.size(); ++f)
      level.push_back(e.stack(panelColumns * widest));
}

void LoopNest::panelLoop(const Site &base, Value lo, Value hi) {
  std::vector<int> roots, ready;
  for (int fold : panelFolds)
    roots.push_back(plan.instances[fold].operands[0]);
  for (size_t i = 0; i < plan.instances.size(); ++i)
    if (!plan.instances[i].reduced && plan.instances[i].after == 0 && plan.instances[i].kind != Kind::Reduce)
      ready.push_back(static_cast<int>(i));
  const std::vector<int> inside = below(roots, true);
  const int64_t blocked = weight() <= 8 ? panelRows : panelRows / 2;

  e.loop(lo, hi, e.idx(panelColumns), [&](Value first) {
    Value last = e.min(e.add(first, e.idx(panelColumns)), hi);
    auto partial = [&](size_t level, size_t f, const Site &site) {
      PointEmitter p = pointFor(site, panelFolds[f], true);
      Type type = p.typeOf(p.out);
      Value at = e.atType(getElementTypeOrSelf(type), panels[level][f], e.sub(site.iv[lane.last], first));
      return std::tuple(p, type, at, static_cast<unsigned>(byteSize(p.out)));
    };
    auto read = [&](size_t level, size_t f, const Site &site) -> Value {
      auto [p, type, at, align] = partial(level, f, site);
      return e.b.create<LLVM::LoadOp>(e.loc, type, at, align);
    };
    auto write = [&](size_t level, size_t f, const Site &site, Value value) {
      auto [p, type, at, align] = partial(level, f, site);
      e.b.create<LLVM::StoreOp>(e.loc, value, at, align);
    };
    auto columns = [&](int wide, llvm::function_ref<void(Site &)> body) {
      alongLanes(first, last, wide, [&](Value at, int vectors, Value mask) {
        for (int v = 0; v < vectors; ++v) {
          Site site = base;
          site.iv[lane.last] = e.add(at, e.idx(v * g.lanes));
          site.laneDim = laneDim;
          site.mask = mask;
          body(site);
        }
      });
    };
    auto clear = [&](size_t level) {
      columns(1, [&](Site &site) {
        for (size_t f = 0; f < panelFolds.size(); ++f) {
          PointEmitter p = pointFor(site, panelFolds[f], true);
          write(level, f, site, combinerOf(p, panelFolds[f]).neutral(p));
        }
      });
    };
    auto addBlock = [&](size_t level) { // what the level above has folded
      columns(1, [&](Site &site) {
        for (size_t f = 0; f < panelFolds.size(); ++f) {
          PointEmitter p = pointFor(site, panelFolds[f], true);
          Value sum = combinerOf(p, panelFolds[f]).combine(p, read(level, f, site), read(level + 1, f, site));
          write(level, f, site, sum);
        }
      });
    };
    // Rows [row, row + count) of the innermost folded run past the whole panel.
    auto pass = [&](const Site &outside, size_t level, Value row, int64_t count) {
      columns(2, [&](Site &site) {
        for (const Run &run : folded)
          site.iv[run.last] = outside.iv[run.last];
        g.emit(site, ready, varies);
        Values sums;
        for (size_t f = 0; f < panelFolds.size(); ++f)
          sums.push_back(read(level, f, site));
        for (int64_t r = 0; r < count; ++r) {
          Site at = site;
          at.iv[folded.back().last] = e.add(row, e.idx(r));
          g.emit(at, inside, varies);
          for (size_t f = 0; f < panelFolds.size(); ++f) {
            PointEmitter p = pointFor(at, panelFolds[f], true);
            sums[f] = combinerOf(p, panelFolds[f]).combine(p, sums[f], p.splat(at.values[roots[f]]));
          }
        }
        for (size_t f = 0; f < panelFolds.size(); ++f)
          write(level, f, site, sums[f]);
      });
    };
    auto all = [&](size_t depth) { return g.parameters.value(folded[depth].extent); };
    std::function<void(size_t, std::vector<int64_t>, Value, Value, Site, size_t)> rows =
        [&](size_t depth, std::vector<int64_t> blocks, Value lo, Value hi, Site site, size_t level) {
          if (!blocks.empty()) {
            Value size = e.idx(blocks.front());
            blocks.erase(blocks.begin());
            e.loop(lo, hi, size, [&](Value at) {
              clear(level + 1);
              rows(depth, blocks, at, e.min(e.add(at, size), hi), site, level + 1);
              addBlock(level);
            });
            return;
          }
          if (depth + 1 < folded.size()) {
            e.loop(lo, hi, e.idx(1), [&](Value iv) {
              Site inner = site;
              inner.iv[folded[depth].last] = iv;
              rows(depth + 1, blocksOf(depth + 1, panelFolds, columnBlock), e.idx(0), all(depth + 1), inner, level);
            });
            return;
          }
          Value block = e.idx(blocked), stop = e.add(lo, e.mul(e.div(e.sub(hi, lo), block), block));
          e.loop(lo, stop, block, [&](Value row) { pass(site, level, row, blocked); });
          e.loop(stop, hi, e.idx(1), [&](Value row) { pass(site, level, row, 1); });
        };
    clear(0);
    rows(0, blocksOf(0, panelFolds, columnBlock), e.idx(0), all(0), base, 0);
    columns(1, [&](Site &site) {
      for (size_t f = 0; f < panelFolds.size(); ++f) {
        PointEmitter p = pointFor(site, panelFolds[f], true);
        site.values[panelFolds[f]] = p.rounded(read(0, f, site), p.out);
      }
      row(site);
    });
  });
}

} // namespace pliant::codegen
