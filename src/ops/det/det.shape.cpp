// SPDX-License-Identifier: Apache-2.0
// Shape rule of det.
#include "ops/rules.h"

namespace pliant::ops::det {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &x = c.operand(0);
  PLIANT_CHECK(rules::floatType(c, 0, "C1"));
  if (x.rank() < 2)
    return c.error("x has shape " + str(x.shape) + " but matrices need two axes", "C2");
  PLIANT_CHECK(rules::sameExtent(c, x.shape[x.shape.size() - 2], x.shape.back(), "rows and columns", "C2"));
  return std::vector<TensorType>{{x.dtype, Extents(x.shape.begin(), x.shape.end() - 2)}};
}

} // namespace pliant::ops::det
