// SPDX-License-Identifier: Apache-2.0
// Tiles of contractions and the formulas that the host needs before it calls a kernel: how many parallel units there
// are and how much scratch one call uses. Free of MLIR; the formulas also accept pliant::Expr for compiled host flow.
#pragma once
#include "runtime/pack.h"
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
  bool f16c = false;             ///< f16 is widened by an instruction
  bool quads = false;            ///< four byte products in one instruction (VNNI) at that width
  int64_t l2Bytes = 1024 * 1024; ///< per core
};

/// How elements of both operands become what a tile multiplies. The left operand is brought to the type of the sums;
/// where several bytes share one element of it, the sums' type counts words.
enum class Factor : uint8_t {
  Same,    ///< as they lie in memory
  Widened, ///< narrower ones as f32; packed panels stay as narrow as the weights and are widened as they are read
  Quads,   ///< bytes, four a word: one instruction adds four products to each sum
  Pairs    ///< bytes, two a word, as 16-bit integers; panels stay bytes and are widened as they are read
};
struct Factors {
  Factor kind = Factor::Same;
  DType lhs = DType::F32, rhs = DType::F32; ///< in memory
  int64_t group() const { return kind == Factor::Quads ? 4 : kind == Factor::Pairs ? 2 : 1; }
  /// The instruction multiplies unsigned by signed bytes: of equal types the left one has its high bit turned.
  bool flips() const { return kind == Factor::Quads && lhs == rhs; }
  /// Rows of the left operand can be read where they lie.
  bool inPlace() const {
    return kind == Factor::Same || (kind == Factor::Widened && lhs == DType::F32) ||
           (kind == Factor::Quads && !flips());
  }
};
inline bool isByte(DType type) { return type == DType::I8 || type == DType::U8; }
inline bool isHalf(DType type) { return type == DType::F16 || type == DType::BF16; }
inline Factors factorsOf(DType lhs, DType rhs, const ContractionTarget &target) {
  if (isByte(lhs))
    return {target.quads ? Factor::Quads : Factor::Pairs, lhs, rhs};
  return {isHalf(lhs) || lhs != rhs ? Factor::Widened : Factor::Same, lhs, rhs};
}
/// The type of sums of products.
inline DType sumType(DType operand) { return isByte(operand) ? DType::I32 : isHalf(operand) ? DType::F32 : operand; }

/// The register tile: `rows` x (`vectors` * `lanes`) accumulators.
struct Tile {
  int64_t rows = 14, vectors = 2, lanes = 16;
  int64_t columns() const { return vectors * lanes; }
  /// Row counts above 8 come in steps, so that fewer loops are compiled; a tile may compute rows it does not store.
  int64_t rowStep() const { return rows >= 24 ? 4 : rows >= 12 ? 2 : 1; }
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

/// How a panel of bytes lies in memory.
inline WordPanels wordPanels(const Factors &factors) {
  return factors.group() == 1 ? WordPanels() : WordPanels{factors.group(), factors.kind == Factor::Quads};
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

/// A convolution layer, for the host.
struct ConvShape {
  int64_t inChannels = 1, outChannels = 1, groups = 1;
  int64_t kernelH = 1, kernelW = 1, strideH = 1, strideW = 1, dilationH = 1, dilationW = 1;
  bool inputNCHW = false, transposed = false;

  int64_t inPerGroup() const { return inChannels / groups; }
  int64_t outPerGroup() const { return outChannels / groups; }
  int64_t panels(const Tile &tile) const { return groups * ceilDiv(outPerGroup(), tile.columns()); }
  /// A 1x1 kernel reads only the pixels its strides hit; the copy of the input then leaves out the others.
  bool samples() const { return !transposed && kernelH * kernelW == 1; }
  int64_t slabStrideH() const { return transposed || samples() ? 1 : strideH; }
  int64_t slabStrideW() const { return transposed || samples() ? 1 : strideW; }
  /// Pixels a multiple of 2 KiB apart fall into two first-level sets: the copy spreads them.
  bool aliases(DType dtype) const {
    return (transposed ? 1 : strideW) * inChannels * static_cast<int64_t>(byteSize(dtype)) % 2048 == 0;
  }
  int64_t pitch(DType dtype) const { return inChannels + (aliases(dtype) ? 16 : 0); }
  /// Offsets of the taps in the input and in the weights, ahead of the copied input in the scratch.
  int64_t tableBytes() const { return ceilDiv(16 * (kernelH * kernelW + 1), 64) * 64; }
  /// Output pixels that share one set of taps: all, or those of one phase of a transposed convolution.
  int64_t phases() const { return transposed ? strideH * strideW : 1; }
  template <class E> E phasePixels(const E &outH, const E &outW) const {
    return transposed ? ceilDiv(outH, E(strideH)) * ceilDiv(outW, E(strideW)) : outH * outW;
  }
  /// Bytes of input one output pixel adds, in elements of k for blockTiles.
  int64_t blockDepth() const { return inChannels * slabStrideH() * slabStrideW(); }
};

/// Parallel units of a convolution: (image, phase, tile of output pixels, panel), panels fastest.
template <class E>
E convUnits(const Tile &tile, const ConvShape &shape, const E &images, const E &outH, const E &outW) {
  return images * E(shape.phases()) * ceilDiv(shape.phasePixels(outH, outW), E(tile.rows)) * E(shape.panels(tile));
}

/// Bytes of scratch one call uses: the input rows of one block of tiles with their padding.
template <class E>
E convScratchBytes(const Tile &tile, DType dtype, const ContractionTarget &target, const ConvShape &shape,
                   const E &outH, const E &outW) {
  using std::max;
  using std::min;
  const E pixels = blockTiles(tile, dtype, target, E(shape.blockDepth())) * E(tile.rows);
  const E gridH = shape.transposed ? ceilDiv(outH, E(shape.strideH)) : outH;
  const E gridW = max(shape.transposed ? ceilDiv(outW, E(shape.strideW)) : outW, E(1));
  const E rows = min(max(gridH, E(1)), ceilDiv(pixels, gridW) + E(1));
  const E columns = min(gridW, pixels + max(gridH - E(1), E(0)) * gridW);
  const E height = rows * E(shape.slabStrideH()) + E((shape.kernelH - 1) * shape.dilationH + 1);
  const E width = columns * E(shape.slabStrideW()) + E((shape.kernelW - 1) * shape.dilationW + 1);
  return height * width * E(shape.pitch(dtype) * static_cast<int64_t>(byteSize(dtype))) + E(shape.tableBytes() + 64);
}

/// Output pixels of one row that a unit of a depthwise convolution covers.
constexpr int64_t depthwiseColumns = 64;
template <class E> E depthwiseUnits(const E &images, const E &outH, const E &outW) {
  return images * outH * ceilDiv(outW, E(depthwiseColumns));
}
/// Neighbouring output pixels a depthwise convolution computes together.
constexpr int64_t depthwiseBlock = 4;
/// Scratch of a depthwise convolution: zeros for the input pixels of one block.
inline int64_t depthwiseScratchBytes(DType dtype, const ConvShape &s) {
  const int64_t pixels = (depthwiseBlock - 1) * s.strideW + (s.kernelW - 1) * s.dilationW + 1;
  return (pixels * s.inChannels + 64) * static_cast<int64_t>(byteSize(dtype));
}

} // namespace pliant::codegen
