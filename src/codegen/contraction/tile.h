// SPDX-License-Identifier: Apache-2.0
// The register tile shared by GEMM and convolution: rows of A given by pointers, a panel of B, sums over segments of k,
// then the epilogue. Every row count has its own loop; a switch chooses.
#pragma once
#include "codegen/contraction/contraction.h"
#include "codegen/contraction/factors.h"

namespace pliant::codegen {

/// What one tile reads and writes; indices and pointers are run-time values.
struct TileJob {
  Value rows;                   ///< 1 .. tile.rows
  Value panels;                 ///< panels side by side: 1, or widePanels(rows)
  Value baseA;                  ///< element (0, 0) of A; null where each row lies anywhere: `TileEmitter::setRow`
  Value rowStride;              ///< elements of A between rows; not of transposed A, where it is 1
  Value strideK;                ///< transposed A only: elements between k and k + 1
  Value segments;               ///< array of element offsets into the rows, or null for one segment at 0
  Value panelOffsets;           ///< array of each segment's first element in the panel, or null: they follow each other
  Value segmentCount;           ///< with `segments`
  Value length;                 ///< k elements of each segment
  Value panel;                  ///< first element of B, in front of which its column sums lie
  Value panelRow;               ///< elements of B between k and k + 1
  Value panelStride;            ///< elements between panels
  Value start;                  ///< factor of the column sums that the sums start with, or null: they start with 0
  Value prefetch, prefetchStep; ///< first element to fetch ahead and elements per k; null for none
  Value ahead;           ///< with few rows: elements of the panel between what is read and fetched; null for none
  Value largeResult;     ///< i1: the result exceeds the caches, so its lines are fetched ahead of the stores
  Value c, ldc;          ///< row 0 of the result, elements between rows
  Value batch, row, col; ///< epilogue site of the tile's first element
  Value rowIndexes;      ///< array of result rows instead of row, row + 1, ..., negative ones are not stored; or null
  Value columnsLeft;     ///< valid columns from `col` on
  bool narrows = false;  ///< whether they may be so few that one vector of the panel has them all
};

class TileEmitter {
public:
  TileEmitter(FactorEmitter &factors, const Tile &tile, bool transposedA, bool looped, const Epilogue &epilogue);

  /// Panels taken together when there are so few rows that one panel cannot keep the multipliers busy.
  static int64_t widePanels(const Tile &tile, int64_t rows);
  static constexpr int64_t wideRows = 3; ///< most rows for which widePanels exceeds 1
  Value widePanels(Value rows);          ///< as a run-time value

  /// Sets row `i` of A, for every row of the tile before `emit`; only where the job has no base.
  void setRow(Value i, Value pointer) { e.storePointer(pointer, rowPointers, i); }
  void emit(const TileJob &job);

private:
  static constexpr int64_t exactRows = 8; ///< up to so many rows each number has its own loop
  /// The sums of a loop: vectors of panels side by side.
  struct Form {
    int64_t rows, least; ///< that are computed, and of which there are at least so many
    int64_t panels, vectors;
    int64_t sums() const { return rows * panels * vectors; }
  };
  int64_t loopFor(int64_t rows) const { ///< rows the loop for `rows` rows computes
    return rows <= exactRows ? rows : std::min(tile.rows, ceilDiv(rows, tile.rowStep()) * tile.rowStep());
  }
  bool fillsRegisters(const Form &form) const {
    return form.sums() + form.vectors + 3 > (tile.lanes * e.elementBytes >= 64 ? 32 : 16);
  }
  int64_t leastRows(int64_t rows) const; ///< fewest rows that use the loop for `rows`
  Value rowPointer(const TileJob &job, const Form &form, int64_t i);
  void emitRows(const TileJob &job, const Form &form);
  Values emitSegment(const TileJob &job, llvm::ArrayRef<Value> pointers, const Form &form, Value offset,
                     ValueRange state);
  Values emitStep(const TileJob &job, llvm::ArrayRef<Value> pointers, const Form &form, int64_t unroll, Value offset,
                  ValueRange state);
  void storeTile(const Form &form, ValueRange acc);
  void storeInline(const TileJob &job, const Form &form, ValueRange acc);
  void loopEpilogue(const TileJob &job);
  Value applyEpilogue(const TileJob &job, Value acc, Value row, Value col, Value mask);
  Value resultRow(const TileJob &job, Value i);

  FactorEmitter &factors;
  Emitter &e;
  Tile tile;
  bool transposedA, looped;
  const Epilogue &epilogue;
  Value rowPointers; ///< stack array of the rows of A
  Value buffer;      ///< of the looped epilogue
};

} // namespace pliant::codegen
