// SPDX-License-Identifier: Apache-2.0
// A picture to draw on: boxes with round corners, other pictures, single pixels with coverage.
#pragma once
#include "runtime/dense_tensor.h"
#include <string>

namespace ocr {

struct Color {
  uint8_t red, green, blue;
};

class Canvas {
public:
  static pliant::Result<Canvas> make(int64_t width, int64_t height, Color paper);

  int64_t width() const { return pixels.dims()[1]; }
  int64_t height() const { return pixels.dims()[0]; }
  /// Mixes a colour in by coverage, 0 to 1. Outside of the canvas nothing happens; so for all that draws.
  void blend(int64_t x, int64_t y, Color color, double coverage);
  void box(int64_t x, int64_t y, int64_t width, int64_t height, double radius, Color color);
  /// Pixels of shape (height, width, 3).
  void picture(int64_t x, int64_t y, const pliant::DenseTensor &picture);
  const pliant::DenseTensor &tensor() const { return pixels; }

private:
  pliant::DenseTensor pixels; ///< u8 (height, width, 3)
};

} // namespace ocr
