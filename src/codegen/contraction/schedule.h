// SPDX-License-Identifier: Apache-2.0
// Tiles of contractions and the formulas that the host needs before it calls a kernel: how many parallel units there
// are and how much scratch one call uses. Free of MLIR; the formulas also accept pliant::Expr for compiled host flow.
#pragma once
#include "support/dtype.h"
#include <algorithm>
#include <cstdint>

namespace pliant {
inline int64_t floorDiv(int64_t a, int64_t b) { return a / b; }
inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
} // namespace pliant

namespace pliant::codegen {

/// What the emitters may know about the CPU.
struct ContractionTarget {
  int64_t vectorBits = 512;      ///< 128, 256 or 512
  bool fma = true;               ///< fused multiply-add; without it a product is rounded before it is added
  int64_t l2Bytes = 1024 * 1024; ///< per core
};

/// The register tile: `rows` x (`vectors` * `lanes`) accumulators.
struct Tile {
  int64_t rows = 14, vectors = 2, lanes = 16;
  int64_t columns() const { return vectors * lanes; }
};

/// The tile for `columns` output columns; -1 when they are not known at compile time. Packed weights are laid out for
/// it: pass `tile.columns()` to packWeights.
inline Tile chooseTile(DType dtype, const ContractionTarget &target, int64_t columns = -1) {
  Tile tile;
  tile.lanes = std::max<int64_t>(2, target.vectorBits / (8 * static_cast<int64_t>(byteSize(dtype))));
  const int64_t wide = 2 * tile.lanes;
  // The narrow tile saves a wasted half panel; it broadcasts twice as often, so it is not the default.
  const bool narrow = columns >= 0 && columns <= 5 * tile.lanes && columns % wide != 0 && columns % wide <= tile.lanes;
  tile.vectors = narrow ? 1 : 2;
  if (target.vectorBits >= 512)
    tile.rows = narrow ? 28 : 14;
  else if (target.vectorBits >= 256)
    tile.rows = narrow ? 12 : 6;
  else
    tile.rows = narrow ? 8 : 4; // without FMA a product needs a register of its own
  return tile;
}

/// Row tiles one visit of a weight panel covers: their rows of A stay in half of the second-level cache.
template <class E> E blockTiles(const Tile &tile, DType dtype, const ContractionTarget &target, const E &k) {
  using std::max;
  using std::min;
  const E tileBytes = max(k, E(1)) * E(tile.rows * static_cast<int64_t>(byteSize(dtype)));
  return min(max(floorDiv(E(target.l2Bytes / 2), tileBytes), E(4)), E(1024));
}

/// Parallel units of a GEMM: (batch, row tile, panel), panels fastest. A kernel call takes any range of them.
template <class E> E gemmUnits(const Tile &tile, const E &batch, const E &m, const E &n) {
  return batch * ceilDiv(m, E(tile.rows)) * ceilDiv(n, E(tile.columns()));
}

/// Row stride of the packed copy of A: off the powers of two, which share first-level cache sets.
template <class E> E paddedPitch(const E &k) { return k + E(16); }

/// Bytes of scratch one call of a GEMM kernel uses (64-byte aligned, one per thread).
template <class E>
E gemmScratchBytes(const Tile &tile, DType dtype, const ContractionTarget &target, bool packsB, const E &k) {
  const E panel = packsB ? (k + E(tile.lanes)) * E(tile.columns()) : E(0);
  const E rows = blockTiles(tile, dtype, target, k) * E(tile.rows) * paddedPitch(k);
  return (panel + rows) * E(static_cast<int64_t>(byteSize(dtype))) + E(64);
}

} // namespace pliant::codegen
