// SPDX-License-Identifier: Apache-2.0
// Loop nests of groups without a contraction. Dimensions whose strides nest are merged into one loop; lanes run along
// the last one. A reduction runs in phases over its row; sums keep 64 logical lanes and one fixed tree.
#include "codegen/loop_kernel.h"
#include "codegen/loop_nest.h"

using namespace mlir;

namespace pliant::codegen {

using Kind = Instance::Kind;

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

Result<Expr> LoopNest::emit(Value begin, Value end) {
  chooseLanes();
  mergeDimensions();
  chooseTurned();
  choosePanel();
  varies = g.varying(laneDim);
  chooseKept();
  chooseStreams();
  findSoftmax();
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
  fenceStreams(); // whoever waits for this kernel sees what it wrote
  return count;
}

void LoopNest::chooseLanes() {
  // Lanes run along the dimension in which most that is read and stored is contiguous, of those that a sum leaves.
  auto contiguous = [&](const Affine &a, int d) { return !a.coefficients.empty() && a.coefficients[d].isConstant(1); };
  int best = -1, bestScore = -1, end = dims();
  if (plan.ordered && plan.lastAxis >= plan.parallel)
    best = plan.lastAxis, end = 0;
  else if (plan.ordered && plan.lastAxis >= 0)
    end = plan.parallel;
  for (int d = 0; d < end; ++d) {
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

void LoopNest::mergeDimensions() {
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
    const bool fixed = plan.ordered && d >= plan.parallel;
    if (!fixed && !runs.empty() && plan.domain[d].isConstant(1) &&
        (d >= plan.parallel) == (runs.back().last >= plan.parallel) && d != laneDim)
      continue;
    if (!runs.empty() && (d >= plan.parallel) == (runs.back().last >= plan.parallel) && d != laneDim &&
        (fixed ? plan.joined[d] : nests(d, runs.back().extent, runs.back().last))) {
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

void LoopNest::chooseKept() {
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

Site LoopNest::fresh() const {
  Site site;
  site.iv.resize(plan.domain.size());
  site.values.resize(plan.instances.size());
  return site;
}

void LoopNest::placeOuter(Site &site, Value number) {
  for (size_t r = outer.size(); r-- > 0;) {
    Value extent = g.parameters.value(outer[r].extent);
    site.iv[outer[r].last] = r == 0 ? number : e.rem(number, extent);
    if (r)
      number = e.div(number, extent);
  }
}

void LoopNest::units(Value begin, Value end) {
  if (!turnedLoads.empty())
    return turnedUnits(begin, end);
  if (splitsLanes) {
    Site site = fresh();
    Value lo = e.mul(begin, e.idx(logicalLanes));
    Value hi = e.min(e.mul(end, e.idx(logicalLanes)), g.parameters.value(lane.extent));
    lanesLoop(site, lo, hi);
    return;
  }
  e.loop(begin, end, e.idx(1), [&](Value unit) {
    Site site = fresh();
    placeOuter(site, unit);
    if (laneDim >= 0 && !lanesReduced)
      lanesLoop(site, e.idx(0), g.parameters.value(lane.extent));
    else
      row({&site, 1});
  });
}

void LoopNest::alongLanes(Value lo, Value hi, int wide, llvm::function_ref<void(Value, int, Value)> body) {
  Value from = lo;
  for (int vectors : {wide, 1}) {
    if (vectors == 1 && wide == 1 && from != lo)
      break;
    Value step = e.idx(vectors * g.lanes);
    Value stop = e.add(from, e.mul(e.div(e.max(e.sub(hi, from), e.idx(0)), step), step));
    e.loop(from, stop, step, [&](Value at) { body(at, vectors, {}); });
    from = stop;
  }
  e.when(e.less(from, hi), [&] { body(from, 1, e.maskFor(e.sub(hi, from))); });
}

/// Lanes over the parallel dimension.
void LoopNest::lanesLoop(Site base, Value lo, Value hi) {
  if (lane.extent.constant().value_or(0) > 0)
    return lanesOf(base, lo, hi);
  e.when(e.less(lo, hi), [&] { lanesOf(base, lo, hi); }); // without a lane nobody asks for what they share
}

void LoopNest::lanesOf(Site &base, Value lo, Value hi) {
  g.emit(base, uniform(), varies); // what no lane changes is computed once, outside
  if (!panelFolds.empty())
    return panelLoop(base, lo, hi);
  int wide = weight() <= 40 ? 4 : 1;
  if (plan.hasReduced())
    wide = weight() <= 20 ? 4 : 2;
  auto body = [&](Value at, int vectors, Value mask) {
    std::vector<Site> sites(vectors, base);
    for (int i = 0; i < vectors; ++i) {
      sites[i].iv[lane.last] = e.add(at, e.idx(i * g.lanes));
      sites[i].laneDim = laneDim;
      sites[i].mask = mask;
      sites[i].number = i;
    }
    row(sites);
  };
  if (wide == 1 || plan.hasReduced())
    return alongLanes(lo, hi, wide, body);
  // Where a bound is NaN, all goes through the loop of single vectors.
  Value whole = boundsAreNumbers(base, g.numbers);
  Value most = whole ? e.select(whole, hi, lo) : hi;
  lo = streamLanes(base, lo, most, body);
  const int64_t step = wide * g.lanes;
  Value stop = e.add(lo, e.mul(e.div(e.max(e.sub(most, lo), e.idx(0)), e.idx(step)), e.idx(step)));
  e.loop(lo, stop, e.idx(step), [&](Value at) { body(at, wide, {}); });
  g.numbers.clear();
  alongLanes(stop, hi, 1, body);
}

Value LoopNest::boundsAreNumbers(const Site &base, std::vector<bool> &numbers) {
  Value all;
  for (const Instance &i : plan.instances) {
    const OpId op = i.kind == Kind::Point ? g.group.node(i.value).op : OpId::Add;
    if ((op != OpId::Min && op != OpId::Max) || !isFloat(g.group.type(i.value).dtype))
      continue;
    const int bound = i.operands[1];
    Value scalar = base.values[bound];
    if (!scalar || isa<VectorType>(scalar.getType()))
      continue;
    numbers.resize(plan.instances.size());
    if (numbers[bound])
      continue;
    numbers[bound] = true;
    Value is = e.b.create<arith::CmpFOp>(e.loc, arith::CmpFPredicate::ORD, scalar, scalar);
    all = all ? e.both(all, is) : is;
  }
  return all;
}

int64_t LoopNest::weight() const {
  int64_t sum = 0;
  for (const Instance &i : plan.instances)
    sum += i.kind == Kind::Point ? pointCost(g.group.node(i.value).op) : 1;
  return sum;
}

/// What is the same at every step of the lanes' loop and along the run across it. The parts of an aligned split are one
/// number per vector, but another one at each step.
std::vector<int> LoopNest::uniform() const {
  std::vector<int> list;
  std::vector<bool> moves(plan.instances.size());
  for (size_t i = 0; i < plan.instances.size(); ++i) {
    const Instance &instance = plan.instances[i];
    bool m = varies[i] || g.alignedSplit(static_cast<int>(i), laneDim);
    auto look = [&](const Affine &a) {
      for (const Affine::Term &term : a.terms)
        m = m || moves[term.instance];
      m = m || (across.last >= 0 && !a.coefficients.empty() && !a.coefficients[across.last].isConstant(0));
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

Result<Expr> emitLoops(GroupEmitter &g, Value begin, Value end) { return LoopNest(g).emit(begin, end); }

} // namespace pliant::codegen
