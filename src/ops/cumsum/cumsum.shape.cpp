// SPDX-License-Identifier: Apache-2.0
// Shape rule of cumsum.
#include "ops/rules.h"

namespace pliant::ops::cumsum {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const auto &a = c.as<CumsumAttrs>();
  const TensorType &x = c.operand(0);
  if (x.dtype == DType::Bool)
    return c.error("x has element type bool", "C2", "cast it to a number first");
  if (a.axis < 0 || a.axis >= x.rank())
    return c.error("axis " + std::to_string(a.axis) + " is outside x of shape " + str(x.shape), "C1",
                   "axes count from 0");
  return std::vector<TensorType>{x};
}

} // namespace pliant::ops::cumsum
