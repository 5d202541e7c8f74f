// SPDX-License-Identifier: Apache-2.0
// The GEMM schedule: a range of units becomes rectangles of (row tiles x panels); within one, panels outside, row tiles
// inside, so that the rows of A stay in the second-level cache and a panel is fetched once.
#include "codegen/contraction/pack_b.h"
#include "codegen/contraction/rectangles.h"
#include "codegen/contraction/tile.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

struct GemmEmitter {
  FactorEmitter &factors;
  Emitter &e;
  const GemmSpec &spec;
  const GemmOperands &o;
  TileEmitter &tiles;
  Value depth; ///< k in words

  void rectangle(const Rectangle &r);
  bool mayEndNarrow() const;
  Value packRows(Value a, Value firstRow, Value rowCount, Value pitch);
  Values rowsOf(const Rectangle &r, Value a);
};

/// Whether one vector may have all columns of the last panel. Where the number of columns is known, the tile was chosen
/// for it.
bool GemmEmitter::mayEndNarrow() const { return !getConstantIntValue(o.n); }

/// Copies rows of A to scratch, as words, at a stride that spreads them over the cache sets.
Value GemmEmitter::packRows(Value a, Value firstRow, Value rowCount, Value pitch) {
  const bool same = factors.factors.kind == Factor::Same;
  Value to = o.scratch;
  if (spec.b != BKind::Packed)
    to = e.at(to, e.mul(e.add(depth, e.idx(spec.tile.lanes)), e.idx(spec.tile.columns())));
  Value whole = e.sub(o.k, e.rem(o.k, e.idx(spec.tile.lanes)));
  e.loop(e.idx(0), rowCount, e.idx(1), [&](Value i) {
    Value offset = e.mul(e.add(firstRow, i), o.lda);
    Value target = e.at(to, e.mul(i, pitch));
    if (!same) {
      factors.copyRow(e.atType(factors.lhsType(), a, offset), o.strideK, o.k, target, o.zero);
      return;
    }
    Value source = e.at(a, offset);
    e.loop(e.idx(0), whole, e.idx(spec.tile.lanes),
           [&](Value k) { e.store(e.loadVector(e.at(source, k)), e.at(target, k)); });
    e.loop(whole, o.k, e.idx(1), [&](Value k) { e.store(e.load(e.element, e.at(source, k)), e.at(target, k)); });
  });
  return to;
}

/// Row 0 of the matrix as the tiles read it, and the elements between rows: in place or a copy.
Values GemmEmitter::rowsOf(const Rectangle &r, Value a) {
  const int64_t group = factors.factors.group();
  Value firstRow = r.rowStart(e, r.tileBegin), endRow = r.rowStart(e, r.tileEnd);
  Value pitch = paddedPitchOf(e, depth);
  auto copied = [&]() -> Values {
    Value to = packRows(a, firstRow, e.sub(endRow, firstRow), pitch);
    return {e.at(to, e.sub(e.idx(0), e.mul(firstRow, pitch))), pitch};
  };
  // Rows a multiple of 1 KiB apart fall into few cache sets; a copy pays when several panels read it.
  Value lda = group == 1 ? o.lda : e.div(o.lda, e.idx(group));
  Value aliased = e.equal(e.rem(lda, e.idx(1024 / e.elementBytes)), e.idx(0));
  Value reused = e.both(e.less(e.idx(3), e.sub(r.panelEnd, r.panelBegin)), e.less(e.idx(4), e.sub(endRow, firstRow)));
  Value copies = e.both(aliased, reused);
  // Elements as they lie will do, of bytes where every row is whole words.
  const bool inPlace = factors.factors.inPlace() && (!o.strideK || e.isConstant(o.strideK, 1));
  if (!inPlace)
    return copied();
  if (group > 1)
    copies = e.either(
        copies, e.either(e.less(e.idx(0), e.rem(o.k, e.idx(group))), e.less(e.idx(0), e.rem(o.lda, e.idx(group)))));
  return e.choose(copies, copied, [&]() -> Values { return {a, lda}; });
}

void GemmEmitter::rectangle(const Rectangle &r) {
  Value nr = e.idx(spec.tile.columns()), one = e.idx(1);
  Value outer = r.outer, inner;
  if (o.inner) {
    outer = e.div(r.outer, o.inner);
    inner = e.sub(r.outer, e.mul(outer, o.inner));
  }
  auto matrix = [&](Type type, Value base, Value stride, Value innerStride) {
    Value offset = e.mul(outer, stride);
    return e.atType(type, base, inner ? e.add(offset, e.mul(inner, innerStride)) : offset);
  };
  Value a = matrix(factors.lhsType(), o.a, o.batchStrideA, o.innerStrideA);
  Value b = matrix(factors.rhsType(), o.b, o.batchStrideB, o.innerStrideB);
  Value c = matrix(e.element, o.c, o.batchStrideC, o.innerStrideC);
  Value firstRow = r.rowStart(e, r.tileBegin);

  Value rowBase = a, rowStride = o.lda;
  if (!spec.transposedA) {
    Values rows = rowsOf(r, a);
    rowBase = rows[0];
    rowStride = rows[1];
  }

  Value wide = tiles.widePanels(e.sub(r.rowStart(e, e.add(r.tileBegin, one)), firstRow));
  Value wholePanels = spec.b == BKind::Packed ? r.panelEnd : e.min(r.panelEnd, e.div(o.n, nr));
  if (spec.b == BKind::Transposed || (spec.b != BKind::Packed && factors.factors.kind != Factor::Same))
    wide = one;
  e.advance(r.panelBegin, r.panelEnd, [&](Value g) {
    Value panels = e.select(e.lessEqual(e.add(g, wide), wholePanels), wide, one);
    TileJob job;
    job.panels = panels;
    job.length = depth;
    job.c = c;
    job.ldc = o.ldc;
    job.largeResult = e.less(e.idx(spec.target.l2Bytes / 2 / e.elementBytes), e.mul(e.mul(o.batch, o.m), o.ldc));
    job.batch = r.outer;
    job.col = e.mul(g, nr);
    job.columnsLeft = e.sub(o.n, job.col);
    job.narrows = mayEndNarrow();
    PanelSource panel = panelOf(factors, spec, o, b, g, job.columnsLeft, e.sub(r.tileEnd, r.tileBegin));
    job.start = factors.startFactor(o.zero);
    job.panel = panel.pointer;
    job.panelRow = panel.rowStride;
    job.panelStride = panel.panelStride;
    if (spec.b == BKind::RowMajor)
      job.ahead = e.mul(panel.rowStride, e.idx(32));
    if (spec.b == BKind::Packed && spec.target.vectorBits >= 512) {
      // Each tile fetches its share of the next panel.
      Value count = e.sub(r.tileEnd, r.tileBegin);
      job.prefetchStep = e.div(e.add(nr, e.sub(count, one)), count);
    }
    e.loop(r.tileBegin, r.tileEnd, one, {firstRow}, [&](Value t, ValueRange row) -> Values {
      job.row = row[0];
      Value next = r.rowStart(e, e.add(t, one));
      job.rows = e.sub(next, job.row);
      if (job.prefetchStep) {
        Value share = e.mul(e.mul(e.sub(t, r.tileBegin), job.prefetchStep), depth);
        job.prefetch = factors.atPanel(job.panel, e.add(e.mul(depth, nr), share));
      }
      if (spec.transposedA) {
        job.baseA = e.at(a, job.row);
        job.strideK = o.lda;
      } else {
        job.baseA = e.at(rowBase, e.mul(job.row, rowStride));
        job.rowStride = rowStride;
      }
      tiles.emit(job);
      return {next};
    });
    return e.add(g, panels);
  });
}

} // namespace

Status emitGemm(OpBuilder &builder, Location loc, const GemmSpec &spec, const GemmOperands &operands,
                const Epilogue &epilogue) {
  PLIANT_CHECK(checkFactors(spec.dtype, spec.factors));
  if (spec.transposedA && spec.factors.kind != Factor::Same)
    return internalError("codegen", "a transposed left operand is copied by its strides");
  Emitter e(builder, loc, spec.dtype, spec.tile.lanes, spec.target.fma);
  e.hasF16c = spec.target.f16c;
  FactorEmitter factors(e, spec.factors, spec.b == BKind::Packed);
  TileEmitter tiles(factors, spec.tile, spec.transposedA, spec.loopedEpilogue, epilogue);
  GemmEmitter gemm{factors, e, spec, operands, tiles, factors.words(operands.k)};
  RangeShape shape;
  shape.rows = operands.m;
  shape.tile = spec.tile;
  shape.panels = e.ceilDiv(operands.n, e.idx(spec.tile.columns()));
  shape.blockTiles = blockTilesOf(e, spec.tile, spec.target, gemm.depth);
  forEachRectangle(e, shape, operands.begin, operands.end, [&](const Rectangle &r) { gemm.rectangle(r); });
  return ok();
}

} // namespace pliant::codegen
