// SPDX-License-Identifier: Apache-2.0
// Type rule of reshape.
#include "ops/rules.h"

namespace pliant::ops::reshape {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &x = c.operand(0);
  const Extents &target = c.as<ReshapeAttrs>().shape;
  for (const Expr &extent : target)
    if (c.facts.bounds(extent).hi < 0)
      return c.error("the new shape " + str(target) + " has a negative extent", "C1");
  const Expr before = product(x.shape), after = product(target);
  if (!rules::mayEqual(c, before, after))
    return c.error("shape " + str(x.shape) + " has " + before.str() + " elements but " + str(target) + " has " +
                       after.str(),
                   "C1", "a reshape keeps the number of elements");
  return std::vector<TensorType>{{x.dtype, target}};
}

} // namespace pliant::ops::reshape
