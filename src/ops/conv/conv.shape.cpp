// SPDX-License-Identifier: Apache-2.0
// Shape rule of conv.
#include "ops/spatial_conv.h"

namespace pliant::ops::conv {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  PLIANT_CHECK(rules::sameType(c, 0, 1, "C1"));
  if (c.operand(0).dtype == DType::Bool)
    return c.error("operands have element type bool", "C1", "cast them to a number first");
  PLIANT_TRY(Extents result, spatial::convolvedShape(c, c.as<ConvAttrs>()));
  return std::vector<TensorType>{{c.operand(0).dtype, std::move(result)}};
}

} // namespace pliant::ops::conv
