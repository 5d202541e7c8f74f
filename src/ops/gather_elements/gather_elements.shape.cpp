// SPDX-License-Identifier: Apache-2.0
// Type rule of gather_elements.
#include "ops/index.h"
#include "ops/rules.h"

namespace pliant::ops::gather_elements {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &x = c.operand(0), &indices = c.operand(1);
  PLIANT_CHECK(indexType(c, 1, "C1"));
  if (x.rank() != indices.rank() || x.rank() == 0)
    return c.error("x has shape " + str(x.shape) + " but the indices have shape " + str(indices.shape) +
                       ": equal ranks of at least 1 are needed",
                   "C2");
  PLIANT_TRY(int64_t axis, rules::axis(c, c.as<GatherElementsAttrs>().axis, x.rank(), "C3"));
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != axis && !rules::mayCover(c, indices.shape[i], x.shape[i]))
      return c.error("x has shape " + str(x.shape) + " but the indices have shape " + str(indices.shape) +
                         ": they reach beyond axis " + std::to_string(i) + " of x",
                     "C2");
  return std::vector<TensorType>{{x.dtype, indices.shape}};
}

} // namespace pliant::ops::gather_elements
