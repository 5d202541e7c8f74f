// SPDX-License-Identifier: Apache-2.0
// The input of a block of output pixels as the register tile reads it: in place, or copied to scratch with its padding,
// in NHWC order and at a pixel pitch that does not alias in the cache.
#pragma once
#include "codegen/contraction/contraction.h"
#include "codegen/contraction/emitter.h"

namespace pliant::codegen {

/// Grid position (y, x) (output pixel, or pixel of a phase) and tap offset (dy, dx) read the pixel at
/// ((y - originY) * strideH + dy) * width + (x - originX) * strideW + dx, in units of `pitch` elements from `base`.
struct Slab {
  Value base, width, originY, originX, strideH, strideW;
};

/// The input pixels that grid positions read: rows from `top`, columns from `left`, in pixels of the input.
struct SlabWindow {
  Value image;
  Value top, left;     ///< may be negative
  Value height, width; ///< of the copy, in its own pixels
  int64_t stepH = 1, stepW = 1;
};

/// Copies the window to `operands.scratch`; pixels outside the image become zero.
void copyWindow(Emitter &e, const ConvSpec &spec, const ConvOperands &operands, const SlabWindow &window);

} // namespace pliant::codegen
