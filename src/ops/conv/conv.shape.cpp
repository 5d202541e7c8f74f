// SPDX-License-Identifier: Apache-2.0
// Shape rule of conv.
#include "ops/spatial_conv.h"

namespace pliant::ops::conv {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  PLIANT_CHECK(spatial::sameNumbers(c));
  PLIANT_TRY(Extents result, spatial::convolvedShape(c, c.as<ConvAttrs>()));
  return std::vector<TensorType>{{c.operand(0).dtype, std::move(result)}};
}

} // namespace pliant::ops::conv
