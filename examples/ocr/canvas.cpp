// SPDX-License-Identifier: Apache-2.0
// Drawing of boxes and pictures.
#include "canvas.h"
#include <algorithm>
#include <cmath>

namespace ocr {

using namespace pliant;

Result<Canvas> Canvas::make(int64_t width, int64_t height, Color paper) {
  Canvas out;
  PLIANT_TRY(out.pixels, DenseTensor::allocate(DType::U8, {height, width, 3}));
  for (int64_t i = 0; i < width * height; ++i) {
    uint8_t *at = out.pixels.as<uint8_t>() + i * 3;
    at[0] = paper.red;
    at[1] = paper.green;
    at[2] = paper.blue;
  }
  return out;
}

void Canvas::blend(int64_t x, int64_t y, Color color, double coverage) {
  if (x < 0 || y < 0 || x >= width() || y >= height())
    return;
  uint8_t *at = pixels.as<uint8_t>() + (y * width() + x) * 3;
  auto mix = [&](uint8_t &old, uint8_t fresh) {
    old = static_cast<uint8_t>(std::lround(old + (fresh - old) * coverage));
  };
  mix(at[0], color.red);
  mix(at[1], color.green);
  mix(at[2], color.blue);
}

void Canvas::box(int64_t x, int64_t y, int64_t width, int64_t height, double radius, Color color) {
  // The distance to the rectangle that the corners' centres span gives coverage without a case per corner.
  for (int64_t j = 0; j < height; ++j)
    for (int64_t i = 0; i < width; ++i) {
      const double px = static_cast<double>(i) + 0.5, py = static_cast<double>(j) + 0.5;
      const double dx = std::max({radius - px, px - (static_cast<double>(width) - radius), 0.0});
      const double dy = std::max({radius - py, py - (static_cast<double>(height) - radius), 0.0});
      blend(x + i, y + j, color, std::clamp(radius - std::hypot(dx, dy) + 0.5, 0.0, 1.0));
    }
}

void Canvas::picture(int64_t x, int64_t y, const DenseTensor &picture) {
  const uint8_t *from = picture.as<uint8_t>();
  for (int64_t j = 0; j < picture.dims()[0]; ++j)
    for (int64_t i = 0; i < picture.dims()[1]; ++i, from += 3)
      blend(x + i, y + j, {from[0], from[1], from[2]}, 1);
}

} // namespace ocr
