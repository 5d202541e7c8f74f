// SPDX-License-Identifier: Apache-2.0
// Splits a range of parallel units into rectangles of row tiles and panels.
#include "codegen/contraction/rectangles.h"

namespace pliant::codegen {

Value blockTilesOf(Emitter &e, const Tile &tile, const ContractionTarget &target, Value k) {
  Value bytes = e.mul(e.max(k, e.idx(1)), e.idx(tile.rows * e.elementBytes));
  return e.min(e.max(e.div(e.idx(target.l2Bytes / 2), bytes), e.idx(4)), e.idx(1024));
}

void forEachRectangle(Emitter &e, const RangeShape &shape, Value begin, Value end,
                      llvm::function_ref<void(const Rectangle &)> body) {
  // Without rows or panels there are no units, but the divisions below are reached.
  Value one = e.idx(1);
  Value tiles = e.max(e.ceilDiv(shape.rows, e.idx(shape.tile.rows)), one);
  Value panels = e.max(shape.panels, one);
  Value perOuter = e.mul(tiles, panels);
  Rectangle r;
  r.rows = shape.rows;
  r.rowStep = shape.tile.rowStep();
  Value steps = e.ceilDiv(shape.rows, e.idx(r.rowStep));
  r.quotient = e.div(steps, tiles);
  r.remainder = e.rem(steps, tiles);
  e.advance(begin, end, [&](Value u) {
    r.outer = e.div(u, perOuter);
    Value within = e.sub(u, e.mul(r.outer, perOuter));
    r.tileBegin = e.div(within, panels);
    r.panelBegin = e.sub(within, e.mul(r.tileBegin, panels));
    Value left = e.sub(end, u);
    Value whole = e.both(e.equal(r.panelBegin, e.idx(0)), e.lessEqual(panels, left));
    Value most = e.min(e.min(e.div(left, panels), e.sub(tiles, r.tileBegin)), shape.blockTiles);
    Value count = e.select(whole, most, one);
    r.tileEnd = e.add(r.tileBegin, count);
    r.panelEnd = e.select(whole, panels, e.min(panels, e.add(r.panelBegin, left)));
    body(r);
    return e.add(u, e.mul(count, e.sub(r.panelEnd, r.panelBegin)));
  });
}

} // namespace pliant::codegen
