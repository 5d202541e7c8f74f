// SPDX-License-Identifier: Apache-2.0
// Loop nests of groups without a contraction. Dimensions whose strides nest are merged into one loop; lanes run along
// the last one. A reduction runs in phases over its row; sums keep 64 logical lanes and one fixed tree.
#include "codegen/loop_kernel.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

using Kind = Instance::Kind;
constexpr int64_t logicalLanes = 64;

class LoopKernel {
public:
  explicit LoopKernel(GroupEmitter &g) : g(g), e(g.e), plan(g.plan) {}

  Result<Expr> emit(Value begin, Value end) {
    chooseLanes();
    mergeDimensions();
    varies = g.varying(laneDim);
    chooseKept();
    std::vector<Expr> undecided = g.undecided(laneDim);
    if (undecided.empty()) {
      units(begin, end);
    } else {
      // Operands whose last axis is 1 or equal: one version for "all equal", one for the rest.
      Value all;
      for (const Expr &c : undecided) {
        Value one = e.equal(g.parameters.value(c), e.idx(1));
        all = all ? e.both(all, one) : one;
      }
      g.versions = 2;
      e.when(
          all,
          [&] {
            g.assumeOne = true;
            units(begin, end);
            g.assumeOne = false;
          },
          [&] { units(begin, end); });
    }
    return count;
  }

private:
  GroupEmitter &g;
  Emitter &e;
  const Schedule &plan;
  struct Run { // merged dimensions [first, last]; `last` carries the index
    int first, last;
    Expr extent;
  };
  std::vector<Run> outer;  // parallel runs, without the lanes' run
  std::vector<Run> folded; // reduced runs, without the lanes' run
  Run lane{-1, -1, 1};
  int laneDim = -1;
  bool lanesReduced = false;
  std::vector<bool> varies;
  Expr count = 1;

  int dims() const { return static_cast<int>(plan.domain.size()); }

  void chooseLanes() {
    // Lanes run along the dimension in which the outputs, or for rows the reduced operand, are contiguous.
    auto contiguous = [&](const Affine &a, int d) {
      return !a.coefficients.empty() && a.coefficients[d].isConstant(1);
    };
    int best = -1, bestScore = -1;
    for (int d = 0; d < dims(); ++d) {
      if (plan.domain[d].isConstant(1))
        continue;
      int score = 0;
      for (const Instance &i : plan.instances)
        if (i.kind == Kind::Load)
          score += contiguous(i.linear, d) ? 2 : 0;
      for (const Schedule::Store &s : plan.stores)
        score += contiguous(s.linear, d) ? 3 : 0;
      if (score >= bestScore)
        best = d, bestScore = score;
    }
    laneDim = best;
    lanesReduced = laneDim >= plan.parallel;
  }

  void mergeDimensions() {
    std::vector<const Affine *> affines;
    for (const Instance &i : plan.instances) {
      if (!i.linear.coefficients.empty())
        affines.push_back(&i.linear);
      for (const auto &bound : i.predicate)
        affines.push_back(&bound.index);
      for (const auto &choice : i.choices)
        for (const auto &bound : choice)
          affines.push_back(&bound.index);
    }
    for (const Schedule::Store &s : plan.stores)
      affines.push_back(&s.linear);
    auto nests = [&](int outerDim, const Expr &innerExtent, int innerDim) {
      for (const Affine *a : affines)
        if (!(a->coefficients[outerDim] == a->coefficients[innerDim] * innerExtent))
          return false;
      return true;
    };
    std::vector<Run> runs;
    for (int d = dims(); d-- > 0;) {
      if (!runs.empty() && plan.domain[d].isConstant(1) &&
          (d >= plan.parallel) == (runs.back().last >= plan.parallel) && d != laneDim)
        continue;
      if (!runs.empty() && (d >= plan.parallel) == (runs.back().last >= plan.parallel) && d != laneDim &&
          nests(d, runs.back().extent, runs.back().last)) {
        runs.back().first = d;
        runs.back().extent = runs.back().extent * plan.domain[d];
        continue;
      }
      runs.push_back({d, d, plan.domain[d]});
    }
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      if (run->last == laneDim)
        lane = *run;
      else
        (run->last >= plan.parallel ? folded : outer).push_back(*run);
    }
    for (const Run &run : outer)
      count = count * run.extent;
    splitsLanes = outer.empty() && laneDim >= 0 && !lanesReduced;
    if (splitsLanes)
      count = ceilDiv(lane.extent, logicalLanes); // one long loop is split by blocks of lanes
  }
  bool splitsLanes = false;

  /// A costly value of the row that two phases need (exp in a softmax) is kept in the row of an output that is written
  /// later anyway, instead of being computed twice.
  int kept = -1, keptPhase = -1;
  const Schedule::Store *keptIn = nullptr;
  void chooseKept() {
    if (!lanesReduced)
      return;
    for (size_t i = 0; i < plan.instances.size() && !keptIn; ++i) {
      const Instance &c = plan.instances[i];
      if (!c.reduced || c.kind != Kind::Point || pointCost(g.group.node(c.value).op) < 10)
        continue;
      DType type = g.group.type(c.value).dtype;
      auto needs = [&](int root) {
        std::vector<int> needed = below({root}, true);
        return std::find(needed.begin(), needed.end(), static_cast<int>(i)) != needed.end();
      };
      bool folds = false;
      int lastPhase = 0; // afterwards the output's own value may take the place
      for (const Instance &fold : plan.instances)
        if (fold.kind == Kind::Reduce && needs(fold.operands[0])) {
          folds |= fold.after == c.after + 1;
          lastPhase = std::max(lastPhase, fold.after - 1);
        }
      for (const Schedule::Store &store : plan.stores)
        if (needs(store.instance))
          lastPhase = std::max(lastPhase, store.phase);
      for (const Schedule::Store &store : plan.stores) {
        if (!folds || store.phase <= c.after || store.phase < lastPhase ||
            !store.linear.coefficients[laneDim].isConstant(1) ||
            g.group.type(g.group.outputs[store.output].value).dtype != type || !isFloat(type) || byteSize(type) < 4)
          continue;
        if (!needs(store.instance))
          continue;
        kept = static_cast<int>(i), keptPhase = c.after, keptIn = &store;
        break;
      }
    }
  }

  Site fresh() {
    Site site;
    site.iv.resize(plan.domain.size());
    site.values.resize(plan.instances.size());
    return site;
  }

  // ---- the nest

  void units(Value begin, Value end) {
    if (splitsLanes) {
      Site site = fresh();
      Value lo = e.mul(begin, e.idx(logicalLanes));
      Value hi = e.min(e.mul(end, e.idx(logicalLanes)), g.parameters.value(lane.extent));
      lanesLoop(site, lo, hi);
      return;
    }
    e.loop(begin, end, e.idx(1), [&](Value unit) {
      Site site = fresh();
      Value rest = unit;
      for (size_t r = outer.size(); r-- > 0;) {
        Value extent = g.parameters.value(outer[r].extent);
        site.iv[outer[r].last] = r == 0 ? rest : e.rem(rest, extent);
        if (r)
          rest = e.div(rest, extent);
      }
      if (laneDim >= 0 && !lanesReduced)
        lanesLoop(site, e.idx(0), g.parameters.value(lane.extent));
      else
        row({&site, 1});
    });
  }

  /// Lanes over the parallel dimension: four vectors, one vector, one masked.
  void lanesLoop(Site &base, Value lo, Value hi) {
    g.emit(base, uniform(), varies); // what no lane changes is computed once, outside
    const int64_t w = g.lanes;
    int wide = weight() <= 40 ? 4 : 1;
    if (plan.hasReduced())
      wide = weight() <= 20 ? 4 : 2;
    auto body = [&](Value at, int vectors, Value mask) {
      std::vector<Site> sites(vectors, base);
      for (int i = 0; i < vectors; ++i) {
        sites[i].iv[lane.last] = e.add(at, e.idx(i * w));
        sites[i].laneDim = laneDim;
        sites[i].mask = mask;
      }
      row(sites);
    };
    Value from = lo;
    auto steps = [&](int64_t step, int vectors) {
      Value stop = e.add(from, e.mul(e.div(e.max(e.sub(hi, from), e.idx(0)), e.idx(step)), e.idx(step)));
      e.loop(from, stop, e.idx(step), [&](Value at) { body(at, vectors, {}); });
      from = stop;
    };
    if (wide > 1)
      steps(wide * w, wide);
    steps(w, 1);
    e.when(e.less(from, hi), [&] { body(from, 1, e.maskFor(e.sub(hi, from))); });
  }

  int64_t weight() const {
    int64_t sum = 0;
    for (const Instance &i : plan.instances)
      sum += i.kind == Kind::Point ? pointCost(g.group.node(i.value).op) : 1;
    return sum;
  }
  /// What is the same at every step of the lanes' loop. The parts of an aligned split are one number per vector, but
  /// another one at each step.
  std::vector<int> uniform() const {
    std::vector<int> list;
    std::vector<bool> moves(plan.instances.size());
    for (size_t i = 0; i < plan.instances.size(); ++i) {
      const Instance &instance = plan.instances[i];
      bool m = varies[i] || g.alignedSplit(static_cast<int>(i), laneDim);
      auto look = [&](const Affine &a) {
        for (const Affine::Term &term : a.terms)
          m = m || moves[term.instance];
      };
      for (int operand : instance.operands)
        m = m || moves[operand];
      look(instance.linear);
      for (const auto &bound : instance.predicate)
        look(bound.index);
      for (const auto &choice : instance.choices)
        for (const auto &bound : choice)
          look(bound.index);
      moves[i] = m;
    }
    for (size_t i = 0; i < plan.instances.size(); ++i)
      if (!moves[i] && !plan.instances[i].reduced && plan.instances[i].after == 0)
        list.push_back(static_cast<int>(i));
    return list;
  }

  /// What must be emitted inside a row loop for the given roots: the reduced instances below them.
  std::vector<int> below(const std::vector<int> &roots, bool reduced) const {
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
  void row(llvm::MutableArrayRef<Site> sites) {
    for (int phase = 0; phase <= plan.phases; ++phase) {
      std::vector<int> ready, folds, roots;
      std::vector<const Schedule::Store *> rowStores;
      for (size_t i = 0; i < plan.instances.size(); ++i) {
        const Instance &instance = plan.instances[i];
        if (instance.kind == Kind::Reduce && instance.after == phase + 1) {
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

  bool storesAlongFold(const Schedule::Store &store) const {
    for (int d = plan.parallel; d < dims(); ++d)
      if (!store.linear.coefficients[d].isConstant(0))
        return true;
    return false;
  }

  PointEmitter pointFor(const Site &site, int fold, bool vectors) {
    PointEmitter p = g.point(site, vectors);
    p.out = g.group.type(plan.instances[fold].value).dtype;
    p.in = {p.out};
    return p;
  }
  Combiner combinerOf(PointEmitter &p, int fold) {
    const GroupNode &node = g.group.node(plan.instances[fold].value);
    return reduceEmit(node.op)(p, node.op, node.attrs);
  }

  /// Loops over the reduced dimensions of one phase.
  void foldRow(llvm::MutableArrayRef<Site> sites, const std::vector<int> &inside, const std::vector<int> &folds,
               const std::vector<const Schedule::Store *> &stores, int phase) {
    const bool alongLanes = lanesReduced; // else each site folds element by element
    const int64_t w = g.lanes, unroll = alongLanes ? logicalLanes / w : 1;
    // Accumulators: per fold, per site, per vector of the logical lanes.
    Values accumulators;
    for (int fold : folds)
      for (Site &site : sites)
        for (int64_t u = 0; u < unroll; ++u) {
          PointEmitter p = pointFor(site, fold, alongLanes || site.laneDim >= 0);
          accumulators.push_back(combinerOf(p, fold).neutral(p));
        }
    auto slot = [&](size_t fold, size_t site, int64_t u) { return (fold * sites.size() + site) * unroll + u; };
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
    std::function<Values(size_t, Values, std::vector<Site>)> nest = [&](size_t depth, Values acc,
                                                                        std::vector<Site> at) -> Values {
      if (depth < folded.size())
        return e.loop(e.idx(0), g.parameters.value(folded[depth].extent), e.idx(1), acc,
                      [&](Value iv, ValueRange args) {
                        std::vector<Site> inner = at;
                        for (Site &site : inner)
                          site.iv[folded[depth].last] = iv;
                        return nest(depth + 1, Values(args), inner);
                      });
      if (!alongLanes) {
        for (size_t s = 0; s < at.size(); ++s)
          step(at[s], s, 0, acc);
        return acc;
      }
      return lanesOfRow(at[0], acc, folds.empty(), [&](Site &site, int64_t u, Values &a) { step(site, 0, u, a); });
    };
    std::vector<Site> start(sites.begin(), sites.end());
    Values sums = nest(0, accumulators, start);
    for (size_t f = 0; f < folds.size(); ++f)
      for (size_t s = 0; s < sites.size(); ++s) {
        Value total = alongLanes ? tree(sites[s], folds[f], llvm::ArrayRef(sums).slice(slot(f, s, 0), unroll))
                                 : sums[slot(f, s, 0)];
        PointEmitter p = pointFor(sites[s], folds[f], isa<VectorType>(total.getType()));
        sites[s].values[folds[f]] = p.rounded(total, p.out); // partial sums stay wide
      }
  }

  /// Lanes along the reduced dimension: blocks of 64 logical lanes, then the rest with masks into the same lanes.
  Values lanesOfRow(const Site &base, Values acc, bool storesOnly,
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
      int64_t vectors = weight() <= 30 ? 4 : 1;
      Value from = e.idx(0);
      for (int64_t step_ : {vectors, int64_t(1)}) {
        if (step_ == 1 && vectors == 1 && !e.isConstant(from, 0))
          break;
        Value size = e.idx(step_ * w);
        Value stop = e.add(from, e.mul(e.div(e.sub(n, from), size), size));
        e.loop(from, stop, size, [&](Value at) {
          for (int64_t u = 0; u < step_; ++u) {
            Site site = siteAt(e.add(at, e.idx(u * w)), {});
            step(site, 0, acc);
          }
        });
        from = stop;
      }
      e.when(e.less(from, n), [&] {
        Site site = siteAt(from, e.maskFor(e.sub(n, from)));
        step(site, 0, acc);
      });
      return acc;
    }
    const int64_t unroll = logicalLanes / w;
    Value block = e.idx(logicalLanes), stop = e.mul(e.div(n, block), block);
    acc = e.loop(e.idx(0), stop, block, acc, [&](Value at, ValueRange args) {
      Values inner(args);
      for (int64_t u = 0; u < unroll; ++u) {
        Site site = siteAt(e.add(at, e.idx(u * w)), {});
        step(site, u, inner);
      }
      return inner;
    });
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
    return acc;
  }

  /// The fixed tree over 64 logical lanes: lane i with lane i + 32, then 16, 8, 4, 2, 1.
  Value tree(const Site &site, int fold, llvm::ArrayRef<Value> vectors) {
    Values level(vectors.begin(), vectors.end());
    PointEmitter p = pointFor(site, fold, true);
    Combiner c = combinerOf(p, fold);
    while (level.size() > 1) {
      Values half;
      for (size_t i = 0; i < level.size() / 2; ++i)
        half.push_back(c.combine(p, level[i], level[i + level.size() / 2]));
      level = half;
    }
    Value last = level[0];
    for (int64_t width = g.lanes / 2; width >= 1; width /= 2) {
      SmallVector<int64_t> low, high;
      for (int64_t i = 0; i < width; ++i) {
        low.push_back(i);
        high.push_back(i + width);
      }
      Value a = e.b.create<vector::ShuffleOp>(e.loc, last, last, low);
      Value b = e.b.create<vector::ShuffleOp>(e.loc, last, last, high);
      p.lanes = width;
      last = c.combine(p, a, b);
    }
    return e.b.create<vector::ExtractOp>(e.loc, last, 0);
  }
};

} // namespace

int64_t pointCost(OpId op) {
  switch (op) {
  case OpId::Exp:
  case OpId::Sigmoid:
  case OpId::Log:
    return 10;
  case OpId::Tanh:
  case OpId::Erf:
  case OpId::Sin:
  case OpId::Cos:
  case OpId::Pow:
    return 25;
  default:
    return 1;
  }
}

Result<Expr> emitLoops(GroupEmitter &g, Value begin, Value end) { return LoopKernel(g).emit(begin, end); }

} // namespace pliant::codegen
