// SPDX-License-Identifier: Apache-2.0
// Packs constant weights into the panels the contraction kernels read: [panel][k][nr], zero padded to nr columns. Bytes
// that are multiplied several at a time lie together: [panel][k / group][nr][group].
#pragma once
#include "pliant/dtype.h"
#include <cstdint>

namespace pliant {

/// Elements of a packed K x N matrix.
constexpr int64_t packedElements(int64_t k, int64_t n, int64_t nr) { return (n + nr - 1) / nr * nr * k; }

/// dst[p][k][j] = src[k * strideK + (p * nr + j) * strideN]; the element type may be any of 1, 2, 4 or 8 bytes.
void packWeights(DType dtype, const void *src, int64_t k, int64_t n, int64_t strideK, int64_t strideN, int64_t nr,
                 void *dst);

/// Where the weights of a convolution lie: strides count elements.
struct ConvWeights {
  int64_t groups = 1, inPerGroup = 1, outPerGroup = 1, taps = 1; ///< taps = kernel height times width, in row order
  int64_t strideGroup = 0, strideOut = 0, strideIn = 0, strideTap = 1;

  /// ONNX Conv: [groups * outPerGroup][inPerGroup][taps].
  static ConvWeights conv(int64_t groups, int64_t inPerGroup, int64_t outPerGroup, int64_t taps) {
    return {groups, inPerGroup, outPerGroup, taps, outPerGroup * inPerGroup * taps, inPerGroup * taps, taps, 1};
  }
  /// ONNX ConvTranspose: [groups * inPerGroup][outPerGroup][taps].
  static ConvWeights transposed(int64_t groups, int64_t inPerGroup, int64_t outPerGroup, int64_t taps) {
    return {groups, inPerGroup, outPerGroup, taps, outPerGroup * inPerGroup * taps, taps, outPerGroup * taps, 1};
  }
  bool operator==(const ConvWeights &) const = default;
  int64_t packedElements(int64_t nr) const {
    return groups * pliant::packedElements(taps * inPerGroup, outPerGroup, nr);
  }
};

/// dst[group][panel][tap][in][nr], zero padded. For depthwise kernels call packWeights with k = taps, n = channels,
/// strideK = 1, strideN = taps and nr = channels, which gives [taps][channels].
void packConvWeights(DType dtype, const void *src, const ConvWeights &weights, int64_t nr, void *dst);

/// Bytes of weights in words of `group`: of each column that many neighbours in k (of one tap), zeros after the last.
/// With `sums` each panel starts with its nr column sums as 32-bit integers.
struct WordPanels {
  int64_t group = 1;
  bool sums = false;
  bool operator==(const WordPanels &) const = default;
  int64_t words(int64_t k) const { return (k + group - 1) / group; }
  int64_t panelBytes(int64_t nr, int64_t taps, int64_t k) const {
    return nr * ((sums ? 4 : 0) + taps * words(k) * group);
  }
};
/// dst[group][panel]: the sums, then [tap][in / group][nr][group]. The element type is i8 or u8.
void packWords(DType dtype, const void *src, const ConvWeights &weights, int64_t nr, const WordPanels &panels,
               void *dst);

/// How one weight is packed: a K x N matrix, or the filters of a convolution.
struct PackSpec {
  bool isConv = false;
  int64_t k = 0, n = 0, strideK = 0, strideN = 0;
  int64_t offset = 0; ///< first element of the weight's memory
  ConvWeights conv;
  int64_t panel = 1; ///< columns of one panel
  WordPanels words;  ///< of more than one byte: that layout

  bool operator==(const PackSpec &) const = default;
  int64_t bytes(DType dtype) const;
  void pack(DType dtype, const void *weight, void *dst) const;
};

} // namespace pliant
