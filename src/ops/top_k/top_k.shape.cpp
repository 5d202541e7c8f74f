// SPDX-License-Identifier: Apache-2.0
// Shape rule of top_k.
#include "ops/rules.h"

namespace pliant::ops::top_k {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const auto &a = c.as<TopKAttrs>();
  const TensorType &x = c.operand(0);
  if (x.dtype == DType::Bool)
    return c.error("x has element type bool", "C3", "cast it to a number first");
  if (a.axis < 0 || a.axis >= x.rank())
    return c.error("axis " + std::to_string(a.axis) + " is outside x of shape " + str(x.shape), "C1",
                   "axes count from 0");
  if (a.k.size() != 1)
    return c.error("k has " + std::to_string(a.k.size()) + " entries but must have one", "C2");
  const Expr &k = a.k[0];
  if (!rules::mayCover(c, k, x.shape[a.axis]) || !rules::mayCover(c, 0, k))
    return c.error("x has shape " + str(x.shape) + " but k is " + k.str() + ": it must lie between 0 and the " +
                       x.shape[a.axis].str() + " elements of axis " + std::to_string(a.axis),
                   "C2", "take the minimum of k and the extent");
  Extents extents = x.shape;
  extents[a.axis] = k;
  return std::vector<TensorType>{{x.dtype, extents}, {DType::I64, extents}};
}

} // namespace pliant::ops::top_k
