// SPDX-License-Identifier: Apache-2.0
// Folds over rows that lie below each other, lanes along the columns: a panel of partial results stays in the first
// cache while rows stream past it, several at a time. Walking down one column after the other would touch a new page
// with every row. Each column is still folded from its first row to its last.
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
  for (size_t f = 0; f < panelFolds.size(); ++f)
    panels.push_back(e.stack(panelColumns * widest));
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
    auto partial = [&](size_t f, const Site &site) {
      PointEmitter p = pointFor(site, panelFolds[f], true);
      Type type = p.typeOf(p.out);
      Value at = e.atType(getElementTypeOrSelf(type), panels[f], e.sub(site.iv[lane.last], first));
      return std::tuple(p, type, at, static_cast<unsigned>(byteSize(p.out)));
    };
    auto read = [&](size_t f, const Site &site) -> Value {
      auto [p, type, at, align] = partial(f, site);
      return e.b.create<LLVM::LoadOp>(e.loc, type, at, align);
    };
    auto write = [&](size_t f, const Site &site, Value value) {
      auto [p, type, at, align] = partial(f, site);
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
    columns(1, [&](Site &site) {
      for (size_t f = 0; f < panelFolds.size(); ++f) {
        PointEmitter p = pointFor(site, panelFolds[f], true);
        write(f, site, combinerOf(p, panelFolds[f]).neutral(p));
      }
    });
    // Rows [row, row + count) of the innermost folded run past the whole panel.
    auto pass = [&](const Site &outside, Value row, int64_t count) {
      columns(2, [&](Site &site) {
        for (const Run &run : folded)
          site.iv[run.last] = outside.iv[run.last];
        g.emit(site, ready, varies);
        Values sums;
        for (size_t f = 0; f < panelFolds.size(); ++f)
          sums.push_back(read(f, site));
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
          write(f, site, sums[f]);
      });
    };
    std::function<void(size_t, Site)> rows = [&](size_t depth, Site site) {
      Value extent = g.parameters.value(folded[depth].extent);
      if (depth + 1 < folded.size()) {
        e.loop(e.idx(0), extent, e.idx(1), [&](Value iv) {
          Site inner = site;
          inner.iv[folded[depth].last] = iv;
          rows(depth + 1, inner);
        });
        return;
      }
      Value block = e.idx(blocked), stop = e.mul(e.div(extent, block), block);
      e.loop(e.idx(0), stop, block, [&](Value row) { pass(site, row, blocked); });
      e.loop(stop, extent, e.idx(1), [&](Value row) { pass(site, row, 1); });
    };
    rows(0, base);
    columns(1, [&](Site &site) {
      for (size_t f = 0; f < panelFolds.size(); ++f) {
        PointEmitter p = pointFor(site, panelFolds[f], true);
        site.values[panelFolds[f]] = p.rounded(read(f, site), p.out);
      }
      row(site);
    });
  });
}

} // namespace pliant::codegen
