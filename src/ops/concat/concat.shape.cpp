// SPDX-License-Identifier: Apache-2.0
// Type rule of concat.
#include "ops/extent_math.h"
#include "ops/rules.h"

namespace pliant::ops::concat {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  if (c.operands.empty() || c.operand(0).rank() == 0)
    return c.error(c.operands.empty() ? "there are no operands" : "operand 0 is a scalar", "C2",
                   "give scalars an axis first");
  TensorType result = c.operand(0);
  PLIANT_TRY(int64_t axis, rules::axis(c, c.as<ConcatAttrs>().axis, result.rank(), "C3"));
  for (size_t k = 1; k < c.operands.size(); ++k) {
    const TensorType &next = c.operand(k);
    PLIANT_CHECK(rules::sameType(c, 0, k, "C1"));
    if (next.rank() != result.rank())
      return c.error("operand 0 has shape " + str(c.operand(0).shape) + " but operand " + std::to_string(k) +
                         " has shape " + str(next.shape) + ": ranks differ",
                     "C2");
    for (size_t i = 0; i < result.shape.size(); ++i) {
      if (static_cast<int64_t>(i) == axis) {
        result.shape[i] = result.shape[i] + next.shape[i];
        continue;
      }
      PLIANT_CHECK(rules::sameExtent(c, result.shape[i], next.shape[i],
                                     "extents of axis " + std::to_string(i) + " of operand " + std::to_string(k),
                                     "C4"));
      result.shape[i] = informative(result.shape[i], next.shape[i]);
    }
  }
  return std::vector<TensorType>{std::move(result)};
}

} // namespace pliant::ops::concat
