// SPDX-License-Identifier: Apache-2.0
// Panels of the second operand, copied to scratch where needed.
#include "codegen/contraction/pack_b.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

/// Copies `columnsLeft` (at most a panel) columns of a row-major matrix to rows of a panel; the rest is zero.
void packRowMajor(FactorEmitter &factors, const Tile &tile, Value from, Value ldb, Value k, Value columnsLeft,
                  Value to) {
  Emitter &e = factors.e;
  Values masks;
  for (int64_t v = 0; v < tile.vectors; ++v)
    masks.push_back(e.maskFor(e.sub(columnsLeft, e.idx(v * tile.lanes))));
  e.loop(e.idx(0), k, e.idx(1), [&](Value i) {
    Value target = e.at(to, e.mul(i, e.idx(tile.columns())));
    for (int64_t v = 0; v < tile.vectors; ++v) {
      Value source = e.atType(factors.rhsType(), from, e.add(e.mul(i, ldb), e.idx(v * tile.lanes)));
      e.store(factors.loadVector(source, masks[v], factors.factors.rhs), e.at(target, v * tile.lanes));
    }
  });
}

/// Transposes `lanes` vectors in log2(lanes) rounds of pairwise exchanges.
Values transposeSquare(Emitter &e, Values rows) {
  const int64_t lanes = e.lanes;
  for (int64_t half = 1; half < lanes; half *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t j = 0; j < lanes; ++j) {
      low.push_back(j & half ? lanes + j - half : j);
      high.push_back(j & half ? lanes + j : j + half);
    }
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & half)
        continue;
      Value x = rows[i], y = rows[i + half];
      rows[i] = e.b.create<vector::ShuffleOp>(e.loc, x, y, low);
      rows[i + half] = e.b.create<vector::ShuffleOp>(e.loc, x, y, high);
    }
  }
  return rows;
}

/// Transposes `columnsLeft` (at most a panel) rows of an N x K matrix to a panel; the other columns repeat the last
/// row. Writes k rounded up to whole vectors. Each square fetches the one a panel further on, which nothing else would
/// announce: the rows of a square are as many streams.
void packTransposed(FactorEmitter &factors, const Tile &tile, Value from, Value ldb, Value k, Value columnsLeft,
                    Value to) {
  Emitter &e = factors.e;
  auto element = [&](Value pointer, Value offset) { return e.atType(factors.rhsType(), pointer, offset); };
  Value last = e.sub(columnsLeft, e.idx(1)), ahead = e.mul(ldb, e.idx(tile.columns()));
  e.loop(e.idx(0), e.min(columnsLeft, e.idx(tile.columns())), e.idx(tile.lanes), [&](Value n) {
    Values sources;
    for (int64_t j = 0; j < tile.lanes; ++j)
      sources.push_back(element(from, e.mul(e.min(e.add(n, e.idx(j)), last), ldb)));
    e.loop(e.idx(0), k, e.idx(tile.lanes), [&](Value i) {
      Value mask = e.maskFor(e.sub(k, i));
      Values rows;
      for (Value source : sources) {
        rows.push_back(factors.loadVector(element(source, i), mask, factors.factors.rhs));
        e.prefetch(element(source, e.add(i, ahead)), 2);
      }
      Value target = e.at(to, e.add(e.mul(i, e.idx(tile.columns())), n));
      for (auto [j, row] : llvm::enumerate(transposeSquare(e, rows)))
        e.store(row, e.at(target, static_cast<int64_t>(j) * tile.columns()));
    });
  });
}

} // namespace

void emitPackTransposed(OpBuilder &builder, Location loc, const GemmSpec &spec, Value from, Value ldb, Value k, Value n,
                        Value to) {
  Emitter e(builder, loc, spec.dtype, spec.tile.lanes, spec.target.fma);
  FactorEmitter factors(e, spec.factors, false);
  Value nr = e.idx(spec.tile.columns());
  e.loop(e.idx(0), e.ceilDiv(n, nr), e.idx(1), [&](Value g) { // in order: a panel writes beyond its end
    Value first = e.mul(g, nr);
    packTransposed(factors, spec.tile, e.at(from, e.mul(first, ldb)), ldb, k, e.sub(n, first),
                   e.at(to, e.mul(first, k)));
  });
}

PanelSource panelOf(FactorEmitter &factors, const GemmSpec &spec, const GemmOperands &o, Value b, Value g,
                    Value columnsLeft, Value uses) {
  Emitter &e = factors.e;
  Value nr = e.idx(spec.tile.columns());
  if (spec.b == BKind::Packed) {
    Value stride = e.mul(nr, e.add(factors.words(o.k), e.idx(factors.headRows())));
    Value panel = factors.atPanel(b, e.mul(g, stride));
    return {factors.atPanel(panel, e.mul(nr, e.idx(factors.headRows()))), nr, stride};
  }
  const bool transposed = spec.b == BKind::Transposed;
  const Factor kind = factors.factors.kind;
  Value strideN = transposed ? o.ldb : e.idx(1);
  Value from = e.atType(factors.rhsType(), b, e.mul(e.mul(g, nr), strideN));
  if (factors.factors.group() > 1) {
    factors.packWords(from, transposed ? e.idx(1) : o.ldb, strideN, o.k, columnsLeft, spec.tile, o.scratch);
    return {factors.atPanel(o.scratch, e.mul(nr, e.idx(factors.headRows()))), nr, e.idx(0)};
  }
  if (transposed) {
    packTransposed(factors, spec.tile, from, o.ldb, o.k, columnsLeft, o.scratch);
    return {o.scratch, nr, e.idx(0)};
  }
  if (kind != Factor::Same) { // widened on the way
    packRowMajor(factors, spec.tile, from, o.ldb, o.k, columnsLeft, o.scratch);
    return {o.scratch, nr, e.idx(0)};
  }
  // A copy pays when enough tiles read it: where rows are far apart, each costs a translation; where they lie a
  // multiple of 512 bytes apart, more than 64 of them push each other out of the first-level cache.
  Value far = e.both(e.less(e.idx(5), uses), e.lessEqual(e.idx(4096 / e.elementBytes), o.ldb));
  Value aliased = e.both(e.less(e.idx(64), o.k), e.equal(e.rem(o.ldb, e.idx(512 / e.elementBytes)), e.idx(0)));
  Value worth = e.either(far, e.both(e.less(e.idx(8), uses), aliased));
  Values found = e.choose(
      e.either(e.less(columnsLeft, nr), worth),
      [&]() -> Values {
        packRowMajor(factors, spec.tile, from, o.ldb, o.k, columnsLeft, o.scratch);
        return {o.scratch, nr};
      },
      [&]() -> Values { return {from, o.ldb}; });
  return {found[0], found[1], nr};
}

} // namespace pliant::codegen
