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
  Emitter &e;
  const GemmSpec &spec;
  const GemmOperands &o;
  TileEmitter &tiles;

  void rectangle(const Rectangle &r);
  Value packRows(const Rectangle &r, Value a, Value firstRow, Value rowCount, Value pitch);
};

/// Copies rows of A to scratch at a stride that spreads them over the cache sets.
Value GemmEmitter::packRows(const Rectangle &r, Value a, Value firstRow, Value rowCount, Value pitch) {
  (void)r;
  Value to = o.scratch;
  if (spec.b != BKind::Packed)
    to = e.at(to, e.mul(e.add(o.k, e.idx(spec.tile.lanes)), e.idx(spec.tile.columns())));
  Value whole = e.sub(o.k, e.rem(o.k, e.idx(spec.tile.lanes)));
  e.loop(e.idx(0), rowCount, e.idx(1), [&](Value i) {
    Value source = e.at(a, e.mul(e.add(firstRow, i), o.lda));
    Value target = e.at(to, e.mul(i, pitch));
    e.loop(e.idx(0), whole, e.idx(spec.tile.lanes),
           [&](Value k) { e.store(e.loadVector(e.at(source, k)), e.at(target, k)); });
    e.loop(whole, o.k, e.idx(1), [&](Value k) { e.store(e.load(e.element, e.at(source, k)), e.at(target, k)); });
  });
  return to;
}

void GemmEmitter::rectangle(const Rectangle &r) {
  Value nr = e.idx(spec.tile.columns()), one = e.idx(1);
  Value outer = r.outer, inner;
  if (o.inner) {
    outer = e.div(r.outer, o.inner);
    inner = e.sub(r.outer, e.mul(outer, o.inner));
  }
  auto matrix = [&](Value base, Value stride, Value innerStride) {
    Value offset = e.mul(outer, stride);
    return e.at(base, inner ? e.add(offset, e.mul(inner, innerStride)) : offset);
  };
  Value a = matrix(o.a, o.batchStrideA, o.innerStrideA);
  Value b = matrix(o.b, o.batchStrideB, o.innerStrideB);
  Value c = matrix(o.c, o.batchStrideC, o.innerStrideC);
  Value firstRow = r.rowStart(e, r.tileBegin), endRow = r.rowStart(e, r.tileEnd);

  // Rows a multiple of 1 KiB apart fall into few cache sets; a copy pays when several panels read it.
  Value rowBase = a, rowStride = o.lda;
  if (!spec.transposedA) {
    Value aliased = e.equal(e.rem(o.lda, e.idx(1024 / e.elementBytes)), e.idx(0));
    Value reused = e.both(e.less(e.idx(3), e.sub(r.panelEnd, r.panelBegin)), e.less(e.idx(4), e.sub(endRow, firstRow)));
    Values packed = e.choose(
        e.both(aliased, reused),
        [&]() -> Values {
          Value pitch = paddedPitchOf(e, o.k);
          // Rows are addressed from row 0 of the matrix.
          Value to = packRows(r, a, firstRow, e.sub(endRow, firstRow), pitch);
          return {e.at(to, e.sub(e.idx(0), e.mul(firstRow, pitch))), pitch};
        },
        [&]() -> Values { return {a, o.lda}; });
    rowBase = packed[0];
    rowStride = packed[1];
  }

  Value wide = tiles.widePanels(e.sub(r.rowStart(e, e.add(r.tileBegin, one)), firstRow));
  Value wholePanels = spec.b == BKind::Packed ? r.panelEnd : e.min(r.panelEnd, e.div(o.n, nr));
  if (spec.b == BKind::Transposed)
    wide = one;
  e.advance(r.panelBegin, r.panelEnd, [&](Value g) {
    Value panels = e.select(e.lessEqual(e.add(g, wide), wholePanels), wide, one);
    TileJob job;
    job.panels = panels;
    job.length = o.k;
    job.c = c;
    job.ldc = o.ldc;
    job.largeResult = e.less(e.idx(spec.target.l2Bytes / 2 / e.elementBytes), e.mul(e.mul(o.batch, o.m), o.ldc));
    job.batch = r.outer;
    job.col = e.mul(g, nr);
    job.columnsLeft = e.sub(o.n, job.col);
    PanelSource panel = panelOf(e, spec, o, b, g, job.columnsLeft, e.sub(r.tileEnd, r.tileBegin));
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
    e.loop(r.tileBegin, r.tileEnd, one, [&](Value t) {
      job.row = r.rowStart(e, t);
      job.rows = e.sub(r.rowStart(e, e.add(t, one)), job.row);
      if (job.prefetchStep) {
        Value share = e.mul(e.mul(e.sub(t, r.tileBegin), job.prefetchStep), o.k);
        job.prefetch = e.at(job.panel, e.add(e.mul(o.k, nr), share));
      }
      if (spec.transposedA) {
        job.baseA = e.at(a, job.row);
        job.strideK = o.lda;
      } else {
        Value first = e.at(rowBase, e.mul(job.row, rowStride));
        e.loop(e.idx(0), job.rows, one, [&](Value i) { tiles.setRow(i, e.at(first, e.mul(i, rowStride))); });
      }
      tiles.emit(job);
    });
    return e.add(g, panels);
  });
}

} // namespace

Status emitGemm(OpBuilder &builder, Location loc, const GemmSpec &spec, const GemmOperands &operands,
                const Epilogue &epilogue) {
  if (spec.dtype != DType::F32 && spec.dtype != DType::F64)
    return internalError("codegen", "no matrix kernel for element type " + std::string(name(spec.dtype)));
  Emitter e(builder, loc, spec.dtype, spec.tile.lanes, spec.target.fma);
  TileEmitter tiles(e, spec.tile, spec.transposedA, spec.loopedEpilogue, epilogue);
  GemmEmitter gemm{e, spec, operands, tiles};
  RangeShape shape;
  shape.rows = operands.m;
  shape.tile = spec.tile;
  shape.panels = e.ceilDiv(operands.n, e.idx(spec.tile.columns()));
  shape.blockTiles = blockTilesOf(e, spec.tile, spec.target, operands.k);
  forEachRectangle(e, shape, operands.begin, operands.end, [&](const Rectangle &r) { gemm.rectangle(r); });
  return ok();
}

} // namespace pliant::codegen
