// SPDX-License-Identifier: Apache-2.0
// Rows of a loop nest: phases of folds and stores, in 64 logical lanes and one fixed tree.
#include "codegen/loop_nest.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace pliant::codegen {

using Kind = Instance::Kind;

/// Bytes by which the lines that a row's last phase writes are fetched ahead. Processors wait for each such line in
/// turn, where they have not been told.
constexpr int64_t rowAhead = 512;

/// What must be emitted inside a row loop for the given roots: the reduced instances below them.
std::vector<int> LoopNest::below(const std::vector<int> &roots, bool reduced) const {
  std::vector<bool> need(plan.instances.size());
  for (int root : roots)
    need[root] = true;
  std::vector<int> list;
  for (size_t i = plan.instances.size(); i-- > 0;) {
    const Instance &instance = plan.instances[i];
    if (!need[i] || instance.reduced != reduced || instance.kind == Kind::Reduce)
      continue;
    list.push_back(static_cast<int>(i));
    auto want = [&](const Affine &a) {
      for (const Affine::Term &t : a.terms)
        need[t.instance] = true;
    };
    for (int operand : instance.operands)
      need[operand] = true;
    want(instance.linear);
    for (const auto &bound : instance.predicate)
      want(bound.index);
    for (const auto &choice : instance.choices)
      for (const auto &bound : choice)
        want(bound.index);
  }
  std::reverse(list.begin(), list.end());
  return list;
}

/// One row (or, with lanes over a parallel dimension, a few vectors of rows side by side): all phases in order.
void LoopNest::row(llvm::MutableArrayRef<Site> sites) {
  for (int phase = 0; phase <= plan.phases; ++phase) {
    std::vector<int> ready, folds, roots;
    std::vector<const Schedule::Store *> rowStores;
    for (size_t i = 0; i < plan.instances.size(); ++i) {
      const Instance &instance = plan.instances[i];
      if (instance.kind == Kind::Reduce && instance.after == phase + 1 && !sites[0].values[i]) {
        folds.push_back(static_cast<int>(i));
        roots.push_back(instance.operands[0]);
      } else if (instance.kind != Kind::Reduce && !instance.reduced && instance.after <= phase) {
        ready.push_back(static_cast<int>(i));
      }
    }
    for (Site &site : sites)
      g.emit(site, ready, varies);
    for (const Schedule::Store &store : plan.stores) {
      if (store.phase != phase)
        continue;
      if (plan.instances[store.instance].reduced || storesAlongFold(store)) {
        rowStores.push_back(&store);
        roots.push_back(store.instance);
      } else {
        for (Site &site : sites)
          g.store(site, store, varies);
      }
    }
    if (folds.empty() && rowStores.empty())
      continue;
    std::vector<int> inside = below(roots, true);
    for (const Schedule::Store *store : rowStores)
      for (const Affine::Term &t : store->linear.terms)
        if (plan.instances[t.instance].reduced && std::find(inside.begin(), inside.end(), t.instance) == inside.end())
          inside.push_back(t.instance);
    std::sort(inside.begin(), inside.end());
    foldRow(sites, inside, folds, rowStores, phase);
  }
}

bool LoopNest::storesAlongFold(const Schedule::Store &store) const {
  for (int d = plan.parallel; d < dims(); ++d)
    if (!store.linear.coefficients[d].isConstant(0))
      return true;
  return false;
}

PointEmitter LoopNest::pointFor(const Site &site, int fold, bool vectors) {
  PointEmitter p = g.point(site, vectors);
  p.out = g.group.type(plan.instances[fold].value).dtype;
  p.in = {p.out};
  p.secondIsNumber = numberFolds[fold];
  return p;
}

Combiner LoopNest::combinerOf(PointEmitter &p, int fold) {
  const GroupNode &node = g.group.node(plan.instances[fold].value);
  return reduceEmit(node.op)(p, node.op, node.attrs);
}

/// Whether combining is rounded for some of the folds; what is exact needs no blocks.
bool LoopNest::rounds(const std::vector<int> &folds) const {
  return llvm::any_of(folds, [&](int fold) {
    const GroupNode &node = g.group.node(plan.instances[fold].value);
    return isFloat(node.type.dtype) && (node.op == OpId::ReduceSum || node.op == OpId::ReduceProd);
  });
}

std::vector<int64_t> LoopNest::blocksOf(size_t depth, const std::vector<int> &folds, int64_t size) const {
  std::vector<int64_t> sizes;
  auto extent = folded[depth].extent.constant();
  if (rounds(folds))
    for (int64_t each : {64 * size, size})
      if (!extent || *extent > each || (depth > 0 && each == size))
        sizes.push_back(each);
  return sizes;
}

/// Loops over the reduced dimensions of one phase.
void LoopNest::foldRow(llvm::MutableArrayRef<Site> sites, const std::vector<int> &inside, const std::vector<int> &folds,
                       const std::vector<const Schedule::Store *> &stores, int phase) {
  const bool alongLanes = lanesReduced; // else each site folds element by element
  const int64_t w = g.lanes, unroll = alongLanes ? logicalLanes / w : 1;
  // Accumulators: per fold, per site, per vector of the logical lanes.
  auto slot = [&](size_t fold, size_t site, int64_t u) { return (fold * sites.size() + site) * unroll + u; };
  auto each = [&](llvm::function_ref<Value(const PointEmitter &, const Combiner &, size_t)> make) {
    Values made;
    for (int fold : folds)
      for (Site &site : sites) {
        PointEmitter p = pointFor(site, fold, alongLanes || site.laneDim >= 0);
        const Combiner c = combinerOf(p, fold);
        for (int64_t u = 0; u < unroll; ++u)
          made.push_back(make(p, c, made.size()));
      }
    return made;
  };
  const Accumulators accumulators{
      [&] { return each([](const PointEmitter &p, const Combiner &c, size_t) { return c.neutral(p); }); },
      [&](ValueRange a, ValueRange b) {
        return each([&](const PointEmitter &p, const Combiner &c, size_t i) { return c.combine(p, a[i], b[i]); });
      }};
  const Accumulators laneBlocks = rounds(folds) ? accumulators : Accumulators();
  auto step = [&](Site &at, size_t site, int64_t u, Values &acc) {
    const bool needsKept = keptIn && std::find(inside.begin(), inside.end(), kept) != inside.end();
    at.values.resize(plan.instances.size());
    if (needsKept && phase > keptPhase)
      at.values[kept] = g.reload(at, *keptIn, true);
    g.emit(at, inside, varies);
    if (needsKept && phase == keptPhase)
      g.storeValue(at, *keptIn, at.values[kept], true);
    for (const Schedule::Store *store : stores)
      g.store(at, *store, varies);
    for (size_t f = 0; f < folds.size(); ++f) {
      PointEmitter p = pointFor(at, folds[f], at.laneDim >= 0);
      Combiner c = combinerOf(p, folds[f]);
      Value x = p.splat(at.values[plan.instances[folds[f]].operands[0]]);
      if (alongLanes && at.mask)
        x = p.select(at.mask, x, c.neutral(p));
      Value &into = acc[slot(f, site, u)];
      into = c.combine(p, into, x);
    }
  };
  // The outer reduced runs are plain loops.
  std::function<Values(size_t, Values, std::vector<Site>)> nest;
  std::function<Values(size_t, std::vector<int64_t>, Value, Value, Values, const std::vector<Site> &)> steps =
      [&](size_t depth, std::vector<int64_t> blocks, Value lo, Value hi, Values acc,
          const std::vector<Site> &at) -> Values {
    if (blocks.empty())
      return e.loop(lo, hi, e.idx(1), acc, [&](Value iv, ValueRange args) {
        std::vector<Site> inner = at;
        for (Site &site : inner)
          site.iv[folded[depth].last] = iv;
        return nest(depth + 1, Values(args), inner);
      });
    Value size = e.idx(blocks.front());
    blocks.erase(blocks.begin());
    return e.loop(lo, hi, size, acc, [&](Value first, ValueRange args) {
      Value last = e.min(e.add(first, size), hi);
      return accumulators.combine(args, steps(depth, blocks, first, last, accumulators.neutral(), at));
    });
  };
  nest = [&](size_t depth, Values acc, std::vector<Site> at) -> Values {
    if (depth < folded.size())
      return steps(depth, blocksOf(depth, folds, alongLanes ? rowBlock : columnBlock), e.idx(0),
                   g.parameters.value(folded[depth].extent), acc, at);
    if (!alongLanes) {
      for (size_t s = 0; s < at.size(); ++s)
        step(at[s], s, 0, acc);
      return acc;
    }
    return lanesOfRow(at[0], acc, phase, folds.empty(), laneBlocks,
                      [&](Site &site, int64_t u, Values &a) { step(site, 0, u, a); });
  };
  std::vector<Site> start(sites.begin(), sites.end());
  Values sums = nest(0, accumulators.neutral(), start);
  for (size_t f = 0; f < folds.size(); ++f)
    for (size_t s = 0; s < sites.size(); ++s) {
      Value total = alongLanes ? tree(sites[s], folds[f], llvm::ArrayRef(sums).slice(slot(f, s, 0), unroll))
                               : sums[slot(f, s, 0)];
      PointEmitter p = pointFor(sites[s], folds[f], isa<VectorType>(total.getType()));
      sites[s].values[folds[f]] = p.rounded(total, p.out); // partial sums stay wide
    }
}

/// Lanes along the reduced dimension: blocks of 64 logical lanes, then the rest with masks into the same lanes.
Values LoopNest::lanesOfRow(const Site &base, Values acc, int phase, bool storesOnly, const Accumulators &blocks,
                            llvm::function_ref<void(Site &, int64_t, Values &)> step) {
  const int64_t w = g.lanes;
  Value n = g.parameters.value(lane.extent);
  auto siteAt = [&](Value at, Value mask) {
    Site site = base;
    site.iv[lane.last] = at;
    site.laneDim = laneDim;
    site.mask = mask;
    return site;
  };
  if (storesOnly) { // no sums: the order is free, so the code is kept short
    auto body = [&](Value at, int vectors, Value mask) {
      for (int u = 0; u < vectors; ++u) {
        Site site = siteAt(e.add(at, e.idx(u * w)), mask);
        site.number = u;
        step(site, 0, acc);
      }
    };
    Value from = phase == plan.phases ? streamLanes(base, e.idx(0), n, body) : e.idx(0);
    g.writeAhead = keptIn ? 0 : rowAhead; // what was kept there has its lines at hand
    alongLanes(from, n, weight() <= 30 ? 4 : 1, body);
    g.writeAhead = 0;
    return acc;
  }
  const int64_t unroll = logicalLanes / w;
  Value block = e.idx(logicalLanes), stop = e.mul(e.div(n, block), block);
  auto whole = [&](Value lo, Value hi, ValueRange from) {
    return e.loop(lo, hi, block, from, [&](Value at, ValueRange args) {
      Values inner(args);
      for (int64_t u = 0; u < unroll; ++u) {
        Site site = siteAt(e.add(at, e.idx(u * w)), {});
        site.number = static_cast<int>(u);
        step(site, u, inner);
      }
      return inner;
    });
  };
  g.writeAhead = keptIn && phase == keptPhase ? rowAhead : 0;
  auto extent = lane.extent.constant();
  if (!blocks.combine || (extent && *extent <= laneBlock && folded.empty())) {
    acc = whole(e.idx(0), stop, acc);
  } else {
    Value size = e.idx(laneBlock);
    acc = e.loop(e.idx(0), stop, size, acc, [&](Value first, ValueRange args) {
      return blocks.combine(args, whole(first, e.min(e.add(first, size), stop), blocks.neutral()));
    });
  }
  for (int64_t u = 0; u < unroll; ++u) {
    Value at = e.add(stop, e.idx(u * w));
    acc = e.choose(
        e.less(at, n),
        [&] {
          Values inner = acc;
          Site site = siteAt(at, e.maskFor(e.sub(n, at)));
          step(site, u, inner);
          return inner;
        },
        [&] { return acc; });
  }
  g.writeAhead = 0;
  return acc;
}

/// The fixed tree over 64 logical lanes: lane i with lane i + 32, then 16, 8, 4, 2, 1.
Value LoopNest::tree(const Site &site, int fold, llvm::ArrayRef<Value> vectors) {
  Values level(vectors.begin(), vectors.end());
  PointEmitter p = pointFor(site, fold, true);
  Combiner c = combinerOf(p, fold);
  while (level.size() > 1) {
    Values half;
    for (size_t i = 0; i < level.size() / 2; ++i)
      half.push_back(c.combine(p, level[i], level[i + level.size() / 2]));
    level = half;
  }
  // The last vectors stay as wide as a register of four: narrower ones have no instructions of their own. What the
  // lanes from `width` on hold does not matter.
  Value last = level[0];
  for (int64_t width = g.lanes / 2; width >= 1; width /= 2) {
    const int64_t kept = std::max<int64_t>(width, std::min<int64_t>(g.lanes, 4));
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < kept; ++i) {
      low.push_back(i);
      high.push_back(i % width + width);
    }
    Value a = e.b.create<vector::ShuffleOp>(e.loc, last, last, low);
    Value b = e.b.create<vector::ShuffleOp>(e.loc, last, last, high);
    p.lanes = kept;
    last = c.combine(p, a, b);
  }
  return e.b.create<vector::ExtractOp>(e.loc, last, 0);
}

} // namespace pliant::codegen
