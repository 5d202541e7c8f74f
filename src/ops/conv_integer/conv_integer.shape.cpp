// SPDX-License-Identifier: Apache-2.0
// Shape rule of conv_integer: that of conv, in i32.
#include "ops/spatial_conv.h"

namespace pliant::ops::conv_integer {

static bool isByte(DType type) { return type == DType::I8 || type == DType::U8; }

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &x = c.operand(0), &w = c.operand(1), &zero = c.operand(2);
  if (!isByte(x.dtype) || !isByte(w.dtype) || zero.dtype != x.dtype || zero.rank() != 0)
    return c.error("x is " + x.str() + ", w " + w.str() + ", xZero " + zero.str() +
                       ": the operands must be i8 or u8, xZero a scalar of the type of x",
                   "C1", "cast them to i32 and use conv");
  PLIANT_TRY(Extents result, spatial::convolvedShape(c, c.as<ConvIntegerAttrs>()));
  return std::vector<TensorType>{{DType::I32, std::move(result)}};
}

} // namespace pliant::ops::conv_integer
