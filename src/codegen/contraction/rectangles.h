// SPDX-License-Identifier: Apache-2.0
// Splits a range of parallel units, ordered (outer, row tile, panel), into rectangles of row tiles and panels.
#pragma once
#include "codegen/contraction/contraction.h"
#include "codegen/contraction/emitter.h"

namespace pliant::codegen {

struct RangeShape {
  Value rows; ///< rows of one outer index
  Tile tile;
  Value panels;     ///< panels of one row tile
  Value blockTiles; ///< most row tiles of a rectangle
};

struct Rectangle {
  Value outer;                ///< batch or image
  Value tileBegin, tileEnd;   ///< row tiles
  Value panelBegin, panelEnd; ///< several panels and one tile, or all panels and several tiles
  Value quotient, remainder;  ///< of row steps over tiles: tiles differ by at most one step
  Value rows;
  int64_t rowStep;
  /// The first row of tile `t`; also valid for the number of tiles.
  Value rowStart(Emitter &e, Value t) const {
    return e.min(rows, e.mul(e.add(e.mul(t, quotient), e.min(t, remainder)), e.idx(rowStep)));
  }
};

void forEachRectangle(Emitter &e, const RangeShape &shape, Value begin, Value end,
                      llvm::function_ref<void(const Rectangle &)> body);

/// The formulas of schedule.h as emitted code.
Value blockTilesOf(Emitter &e, const Tile &tile, const ContractionTarget &target, Value k);
inline Value paddedPitchOf(Emitter &e, Value k) { return e.add(k, e.idx(16)); }

} // namespace pliant::codegen
