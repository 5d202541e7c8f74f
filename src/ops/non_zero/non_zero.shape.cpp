// SPDX-License-Identifier: Apache-2.0
// Shape rule of non_zero.
#include "ops/op.h"

namespace pliant::ops::non_zero {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const auto &a = c.as<NonZeroAttrs>();
  if (a.count.size() != 1 || c.facts.bounds(a.count[0]).hi < 0)
    return c.error("count is " + str(a.count) + " but must be one number, not negative", "C1");
  return std::vector<TensorType>{{DType::I64, {Expr(c.operand(0).rank()), a.count[0]}}};
}

} // namespace pliant::ops::non_zero
