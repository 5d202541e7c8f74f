// SPDX-License-Identifier: Apache-2.0
// Transposes inside a loop nest: what lies along another run than the lanes' is read along that run, in squares of as
// many rows as lanes, and turned in registers; the rest of the group then sees it like any other operand. Squares go in
// tiles, so that few streams and pages are in use at a time.
#include "codegen/loop_nest.h"
#include "codegen/turn.h"

using namespace mlir;

namespace pliant::codegen {

using Kind = Instance::Kind;

constexpr int64_t tileSide = 64; // elements

void LoopNest::chooseTurned() {
  if (plan.hasReduced() || laneDim < 0 || (g.lanes != 4 && g.lanes != 8 && g.lanes != 16))
    return;
  int best = -1;
  for (size_t r = 0; r < outer.size(); ++r) {
    std::vector<int> loads;
    for (size_t i = 0; i < plan.instances.size(); ++i) {
      const Instance &load = plan.instances[i];
      if (load.kind != Kind::Load || !load.linear.terms.empty() || !load.predicate.empty())
        continue;
      const Expr &along = load.linear.coefficients[laneDim];
      const bool strided = !along.isConstant(0) && !along.isConstant(1) && !along.str().starts_with("min(");
      if (strided && load.linear.coefficients[outer[r].last].isConstant(1))
        loads.push_back(static_cast<int>(i));
    }
    if (loads.size() > turnedLoads.size())
      turnedLoads = loads, best = static_cast<int>(r);
  }
  if (best < 0)
    return;
  for (size_t k = 0; k < turnedLoads.size(); ++k) // here, because inside of a loop being built it would grow each time
    squares.push_back(e.stack(g.lanes * g.lanes * 8));
  across = outer[best];
  outer.erase(outer.begin() + best);
  splitsLanes = false;
  count = ceilDiv(across.extent, tileSide) * ceilDiv(lane.extent, tileSide);
  for (const Run &run : outer)
    count = count * run.extent;
}

void LoopNest::turnedUnits(Value begin, Value end) {
  Value height = g.parameters.value(lane.extent), width = g.parameters.value(across.extent);
  Value side = e.idx(tileSide), tilesDown = e.ceilDiv(height, side), tiles = e.mul(e.ceilDiv(width, side), tilesDown);
  e.loop(begin, end, e.idx(1), [&](Value unit) {
    Site base = fresh();
    placeOuter(base, e.div(unit, tiles));
    Value tile = e.rem(unit, tiles);
    auto range = [&](Value number, Value extent) {
      Value lo = e.mul(number, side);
      return std::pair(lo, e.min(e.add(lo, side), extent));
    };
    auto [l0, l1] = range(e.rem(tile, tilesDown), height);
    auto [t0, t1] = range(e.div(tile, tilesDown), width);
    g.emit(base, uniform(), varies);
    Value lanes = e.idx(g.lanes);
    e.loop(t0, t1, lanes, [&, l0 = l0, l1 = l1, t1 = t1](Value t) {
      e.loop(l0, l1, lanes, [&](Value l) {
        Value w = e.sub(t1, t), h = e.sub(l1, l);
        auto part = [&] { partOfSquare(base, t, l, e.min(w, lanes), e.min(h, lanes)); };
        if (weight() > 8 || turnedLoads.size() > 1) // code of a square each would be long
          part();
        else
          e.when(e.both(e.lessEqual(lanes, w), e.lessEqual(lanes, h)), [&] { wholeSquare(base, t, l); }, part);
      });
    });
  });
}

/// Lanes along the nest's dimension from `over` on, at index `along` of the other run.
Site LoopNest::squareSite(const Site &base, Value along, Value over, Value mask) const {
  Site site = base;
  site.iv[across.last] = along;
  site.iv[lane.last] = over;
  site.laneDim = laneDim;
  site.mask = mask;
  return site;
}

void LoopNest::wholeSquare(const Site &base, Value t, Value l) {
  std::vector<Values> columns;
  for (int load : turnedLoads) {
    Values rows;
    for (int64_t i = 0; i < g.lanes; ++i) {
      Site site = squareSite(base, t, e.add(l, e.idx(i)), {});
      site.laneDim = across.last;
      rows.push_back(g.loadStored(site, load));
    }
    columns.push_back(turned(e, rows));
  }
  for (int64_t j = 0; j < g.lanes; ++j) {
    Site site = squareSite(base, e.add(t, e.idx(j)), l, {});
    for (size_t k = 0; k < turnedLoads.size(); ++k)
      site.values[turnedLoads[k]] = g.fromStored(site, turnedLoads[k], columns[k][static_cast<size_t>(j)]);
    row(site);
  }
}

/// `height` rows of `width` elements, through the stack: nothing outside of them is read or written.
void LoopNest::partOfSquare(const Site &base, Value t, Value l, Value width, Value height) {
  auto at = [&](size_t k, Value i) { return e.atType(g.storedType(turnedLoads[k]), squares[k], i); };
  for (size_t k = 0; k < turnedLoads.size(); ++k) {
    const int load = turnedLoads[k];
    e.loop(e.idx(0), height, e.idx(1), [&](Value i) {
      Site site = squareSite(base, t, e.add(l, i), e.maskFor(width));
      site.laneDim = across.last;
      e.b.create<LLVM::StoreOp>(e.loc, g.loadStored(site, load), at(k, i), 1);
    });
    Values rows;
    for (int64_t i = 0; i < g.lanes; ++i) // those beyond `height` hold anything and come out in lanes that are masked
      rows.push_back(e.b.create<LLVM::LoadOp>(e.loc, g.storedType(load), at(k, e.idx(i)), 1));
    rows = turned(e, rows);
    for (int64_t j = 0; j < g.lanes; ++j)
      e.b.create<LLVM::StoreOp>(e.loc, rows[static_cast<size_t>(j)], at(k, e.idx(j)), 1);
  }
  e.loop(e.idx(0), width, e.idx(1), [&](Value j) {
    Site site = squareSite(base, e.add(t, j), l, e.maskFor(height));
    for (size_t k = 0; k < turnedLoads.size(); ++k) {
      const int load = turnedLoads[k];
      Value stored = e.b.create<LLVM::LoadOp>(e.loc, g.storedType(load), at(k, j), 1);
      site.values[load] = g.fromStored(site, load, stored);
    }
    row(site);
  });
}

} // namespace pliant::codegen
