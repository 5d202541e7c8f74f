// SPDX-License-Identifier: Apache-2.0
// Reference of roi_align, in double.
#include "ops/index.h"
#include "ops/ref_values.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant::ops::roi_align {

namespace {
struct Axis { // of one region
  double start, bin;
  int64_t samples;
};
Axis axisOf(double from, double to, int64_t bins, const RoiAlignAttrs &a) {
  const double shift = a.halfPixel ? 0.5 : 0, start = from * a.scale - shift;
  double length = to * a.scale - shift - start;
  if (!a.halfPixel)
    length = std::max(length, 1.0);
  const double bin = length / static_cast<double>(bins);
  // At least 0, and bounded: a region without end has no samples.
  const double wanted = std::ceil(bin);
  return {start, bin, a.samples ? a.samples : wanted > 0 && wanted < 1 << 20 ? static_cast<int64_t>(wanted) : 0};
}
double bilinear(const double *image, double y, double x, int64_t height, int64_t width) {
  if (!(y >= -1) || !(y <= static_cast<double>(height)) || !(x >= -1) || !(x <= static_cast<double>(width)))
    return 0;
  auto inside = [](double v, int64_t n) { return std::clamp(v, 0.0, static_cast<double>(n - 1)); };
  y = inside(y, height), x = inside(x, width);
  const auto top = static_cast<int64_t>(y), left = static_cast<int64_t>(x);
  const int64_t bottom = std::min(top + 1, height - 1), right = std::min(left + 1, width - 1);
  const double v = y - static_cast<double>(top), u = x - static_cast<double>(left);
  return (1 - v) * ((1 - u) * image[top * width + left] + u * image[top * width + right]) +
         v * ((1 - u) * image[bottom * width + left] + u * image[bottom * width + right]);
}
} // namespace

Status ref(RefContext &c) {
  const auto &a = c.as<RoiAlignAttrs>();
  const auto &dims = c.inputs[0].dims();
  const int64_t channels = dims[1], height = dims[2], width = dims[3];
  const std::vector<double> x = ref::read<double>(c.inputs[0]), regions = ref::read<double>(c.inputs[1]);
  std::vector<double> results;
  for (int64_t r = 0; r < c.outputs[0].dims()[0]; ++r) {
    PLIANT_TRY(int64_t image, indexAt(c, c.inputs[2], r, dims[0], "C2"));
    const double *region = regions.data() + r * 4;
    const Axis rows = axisOf(region[1], region[3], a.height, a), columns = axisOf(region[0], region[2], a.width, a);
    for (int64_t channel = 0; channel < channels; ++channel)
      for (int64_t i = 0; i < a.height; ++i)
        for (int64_t j = 0; j < a.width; ++j) {
          double sum = 0, most = -std::numeric_limits<double>::infinity();
          for (int64_t p = 0; p < rows.samples; ++p)
            for (int64_t q = 0; q < columns.samples; ++q) {
              auto at = [](const Axis &axis, int64_t bin, int64_t sample) {
                return axis.start + axis.bin * (static_cast<double>(bin) + (static_cast<double>(sample) + 0.5) /
                                                                               static_cast<double>(axis.samples));
              };
              const double value = bilinear(x.data() + (image * channels + channel) * height * width, at(rows, i, p),
                                            at(columns, j, q), height, width);
              sum += value;
              most = std::max(most, value);
            }
          const int64_t count = rows.samples * columns.samples;
          results.push_back(count == 0 ? 0 : a.mode == "max" ? most : sum / static_cast<double>(count));
        }
  }
  ref::write(c.outputs[0], results);
  return ok();
}

} // namespace pliant::ops::roi_align
