// SPDX-License-Identifier: Apache-2.0
// Generators of contraction kernels. Each emits loops at the builder's insertion point (scf, arith, vector and LLVM
// dialect); every extent and stride is a run-time value, so one compiled object serves all shapes. The sum of an output
// element runs over k in order, so its bits do not depend on the other extents, the blocking or the threads.
#pragma once
#include "codegen/contraction/schedule.h"
#include "mlir/IR/Builders.h"
#include "runtime/target.h"
#include "support/result.h"
#include <functional>

namespace pliant::codegen {

inline ContractionTarget contractionTarget(const TargetDescription &target) {
  ContractionTarget t;
  t.vectorBits = target.vectorBits;
  t.fma = target.fma;
  t.f16c = target.has("f16c");
  t.quads = target.vectorBits == 512 ? target.has("avx512vnni")
                                     : target.has("avxvnni") || (target.has("avx512vnni") && target.has("avx512vl"));
  if (target.l2)
    t.l2Bytes = static_cast<int64_t>(target.l2);
  return t;
}

/// Where an epilogue acts: one vector of the result at (row, col .. col + lanes).
struct EpilogueSite {
  mlir::Value acc;   ///< vector<lanes x element>
  mlir::Value batch; ///< index: the matrix of a batched GEMM, the image of a convolution
  mlir::Value row;   ///< index: row of C; output pixel within the image, y * OW + x
  mlir::Value col;   ///< index: column, or output channel, of lane 0
  mlir::Value mask;  ///< vector<lanes x i1>, or null when all lanes are valid
};
/// Emits bias, activation, residual... and returns the vector to store, or null when it has stored what there is to
/// store; an empty function stands for the identity.
using Epilogue = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, const EpilogueSite &)>;

/// How the second operand lies in memory.
enum class BKind : uint8_t {
  Packed,    ///< panels [ceil(N/nr)][K][nr], zero padded, from packWeights
  RowMajor,  ///< K x N with row stride ldb
  Transposed ///< N x K with row stride ldb
};

struct GemmSpec {
  DType dtype = DType::F32; ///< of the sums: F32, F64, or I32 for bytes
  Factors factors;          ///< from factorsOf
  ContractionTarget target;
  Tile tile; ///< from chooseTile
  BKind b = BKind::Packed;
  bool transposedA = false; ///< A is K x M: element (i, k) at k * lda + i; only for Factor::Same
  /// False: the epilogue is unrolled over the accumulators (short ones only). True: the tile passes through a small
  /// stack buffer and the epilogue is emitted once in a loop over it.
  bool loopedEpilogue = true;
};

/// `!llvm.ptr` pointers to elements and `index` extents; strides count elements. Memory needs element alignment only.
struct GemmOperands {
  mlir::Value a, b, c;
  mlir::Value batch, m, n, k;
  mlir::Value lda, ldb, ldc; ///< ldb is not read for packed B
  mlir::Value strideK;       ///< of A between k and k + 1, or null for 1; not for Factor::Same
  mlir::Value zero;          ///< i32, subtracted from the elements of A; null for none; bytes only
  mlir::Value batchStrideA, batchStrideB, batchStrideC; ///< 0 broadcasts
  /// With `inner` (null for none) matrix z lies at (z / inner) * batchStride + (z % inner) * innerStride: attention
  /// heads in a [batch][sequence][head][size] tensor. `batch` counts all matrices.
  mlir::Value inner, innerStrideA, innerStrideB, innerStrideC;
  mlir::Value scratch;    ///< gemmScratchBytes, 64-byte aligned
  mlir::Value begin, end; ///< a range of gemmUnits
};

/// C[b,i,j] = epilogue(sum over k of A[b,i,k] * B[b,k,j]). C must not overlap A or B.
Status emitGemm(mlir::OpBuilder &builder, mlir::Location loc, const GemmSpec &spec, const GemmOperands &operands,
                const Epilogue &epilogue);

/// B as N x K rows `ldb` elements apart, packed at run time as packWeights does; columns beyond N hold anything. Writes
/// up to lanes * columns() elements of the tile behind the panels.
void emitPackTransposed(mlir::OpBuilder &builder, mlir::Location loc, const GemmSpec &spec, mlir::Value from,
                        mlir::Value ldb, mlir::Value k, mlir::Value n, mlir::Value to);

/// What the code of a dense convolution depends on; everything else is a run-time value, so that one object serves
/// all layers. NHWC result, any kernel, stride, dilation, padding and groups; one-dimensional ones have height 1.
/// `transposed`: input pixel y reaches result rows y * stride + k * dilation - pad.
struct ConvSpec {
  DType dtype = DType::F32; ///< of the sums: F32, F64, or I32 for bytes
  Factors factors;          ///< from factorsOf
  ContractionTarget target;
  Tile tile;          ///< from chooseTile(dtype, target, outChannels / groups)
  bool packed = true; ///< weights from packed weights, not packed by the kernel
  bool transposed = false;
  bool inputNCHW = false;     ///< the first convolution of a network may read the file's layout
  bool loopedEpilogue = true; ///< as in GemmSpec; transposed ones always loop
};

/// `index` values, constant or not.
struct ConvGeometry {
  mlir::Value inChannels, outChannels, groups, kernelH, kernelW, strideH, strideW, dilationH, dilationW;
};
ConvGeometry constantGeometry(mlir::OpBuilder &builder, mlir::Location loc, const ConvShape &shape);

struct ConvOperands {
  mlir::Value input;   ///< [images][inH][inW][inChannels], or NCHW when the spec says so
  mlir::Value weights; ///< from packConvWeights, or [kernelH * kernelW][channels] for depthwise
  mlir::Value output;  ///< [images][outH][outW][outputStride]
  mlir::Value images, inH, inW, outH, outW, padTop, padLeft;
  mlir::Value outputStride; ///< elements between output pixels; null for outChannels
  mlir::Value zero;         ///< i32, subtracted from the elements of the input; null for none; bytes only
  mlir::Value scratch;      ///< convScratchBytes or depthwiseScratchBytes, 64-byte aligned
  mlir::Value begin, end;   ///< a range of convUnits or depthwiseUnits
};

Status emitConv(mlir::OpBuilder &builder, mlir::Location loc, const ConvSpec &spec, const ConvGeometry &geometry,
                const ConvOperands &operands, const Epilogue &epilogue);

/// One filter per channel, vectorised over the run-time `channels`; taps, strides and dilations are in the code.
struct DepthwiseSpec {
  DType dtype = DType::F32; ///< of the sums: F32 or F64
  Factors factors;          ///< from factorsOf; no bytes
  ContractionTarget target;
  Tile tile; ///< only its lanes
  int64_t kernelH = 1, kernelW = 1, strideH = 1, strideW = 1, dilationH = 1, dilationW = 1;
  bool loopedEpilogue = true;
};
/// That of one channel of each group, whose other parts are those of `spec`.
inline DepthwiseSpec depthwiseSpec(const ConvSpec &spec, const ConvShape &shape) {
  return {spec.dtype,    spec.factors,  spec.target,     spec.tile,       shape.kernelH,      shape.kernelW,
          shape.strideH, shape.strideW, shape.dilationH, shape.dilationW, spec.loopedEpilogue};
}
Status emitDepthwise(mlir::OpBuilder &builder, mlir::Location loc, const DepthwiseSpec &spec, mlir::Value channels,
                     const ConvOperands &operands, const Epilogue &epilogue);

} // namespace pliant::codegen
