// SPDX-License-Identifier: Apache-2.0
// Type rule of broadcast_to.
#include "ops/rules.h"

namespace pliant::ops::broadcast_to {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &x = c.operand(0);
  const Extents &target = c.as<BroadcastToAttrs>().shape;
  if (target.size() < x.shape.size())
    return c.error("shape " + str(x.shape) + " cannot be broadcast to the smaller rank of " + str(target), "C1");
  for (const Expr &extent : target)
    if (c.facts.bounds(extent).hi < 0)
      return c.error("the target " + str(target) + " has a negative extent", "C2");
  const size_t skip = target.size() - x.shape.size();
  for (size_t i = 0; i < x.shape.size(); ++i) {
    const Expr &from = x.shape[i], &to = target[skip + i];
    const Proof equal = c.facts.equal(from, to), one = c.facts.equal(from, 1);
    if (equal == Proof::Unknown && one != Proof::Yes)
      c.require(from, to, true);
    if (one == Proof::No && equal == Proof::No)
      return c.error("shape " + str(x.shape) + " cannot be broadcast to " + str(target) + ": extent " + from.str() +
                         " of axis " + std::to_string(i) + " is neither 1 nor " + to.str(),
                     "C2");
  }
  return std::vector<TensorType>{{x.dtype, target}};
}

} // namespace pliant::ops::broadcast_to
