// SPDX-License-Identifier: Apache-2.0
// The input of a block of output pixels as the register tile reads it: in place, or copied to scratch with its padding,
// in NHWC order and at a pixel pitch that does not alias in the cache.
#pragma once
#include "codegen/contraction/contraction.h"
#include "codegen/contraction/factors.h"

namespace pliant::codegen {

/// Grid position (y, x) (output pixel, or pixel of a phase) and tap offset (dy, dx) read the pixel at
/// ((y - originY) * strideH + dy) * width + (x - originX) * strideW + dx, in units of the pitch from `base`.
struct Slab {
  Value base, width, originY, originX, strideH, strideW;
};

/// Input rows from `top` in steps of stepH, columns from `left` in steps of stepW; both may start outside the image.
struct SlabWindow {
  Value to, pitch;               ///< the copy and the elements between its pixels
  Value image, channels, groups; ///< the channels of each group are whole words in the copy
  Value top, left, stepH, stepW;
  Value height, width; ///< of the copy, in its own pixels
};

/// Copies the window; pixels outside the image become zero, or the zero point.
void copyWindow(FactorEmitter &factors, bool inputNCHW, const ConvOperands &operands, const SlabWindow &window);

} // namespace pliant::codegen
