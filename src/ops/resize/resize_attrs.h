// SPDX-License-Identifier: Apache-2.0
// resize_by's attributes as those of resize, with every scale open and the whole as region.
#pragma once
#include "ops/op.h"

namespace pliant::ops::resize {

inline bool crops(const std::string &coordinates) { return coordinates == "tf_crop_and_resize"; }

inline ResizeAttrs attrsOf(const ResizeByAttrs &a, size_t rank) {
  std::vector<double> roi(crops(a.coordinates) ? 2 * rank : 0, 0);
  for (size_t i = roi.size() / 2; i < roi.size(); ++i)
    roi[i] = 1;
  return {a.sizes,       std::vector<double>(rank, 0), a.mode,           a.coordinates,
          a.rounding,    a.cubicCoefficient,           a.excludeOutside, a.extrapolation,
          std::move(roi)};
}

} // namespace pliant::ops::resize
