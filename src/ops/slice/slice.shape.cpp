// SPDX-License-Identifier: Apache-2.0
// Type rule of slice.
#include "ops/rules.h"

namespace pliant::ops::slice {

/// Whether position `at` is proved to lie outside [0, extent).
static bool outside(const Facts &facts, const Expr &at, const Expr &extent) {
  return facts.bounds(at).hi < 0 || facts.lessEqual(extent, at) == Proof::Yes;
}

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &x = c.operand(0);
  const SliceAttrs &a = c.as<SliceAttrs>();
  const size_t rank = x.shape.size();
  if (a.starts.size() != rank || a.steps.size() != rank || a.sizes.size() != rank)
    return c.error("shape " + str(x.shape) + " needs " + std::to_string(rank) + " starts, steps and sizes", "C1");
  for (size_t i = 0; i < rank; ++i) {
    const std::string axis = " of axis " + std::to_string(i);
    if (a.steps[i] == 0)
      return c.error("the step" + axis + " is 0", "C2");
    if (!rules::mayCover(c, 0, a.sizes[i]))
      return c.error("the size " + a.sizes[i].str() + axis + " is negative", "C3");
    if (!c.facts.atLeast(a.sizes[i], 1))
      continue; // an empty result reads nothing
    const Expr last = a.starts[i] + (a.sizes[i] - 1) * a.steps[i];
    for (const Expr &end : {a.starts[i], last})
      if (outside(c.facts, end, x.shape[i]))
        return c.error("position " + end.str() + axis + " is outside shape " + str(x.shape), "C3");
  }
  return std::vector<TensorType>{{x.dtype, a.sizes}};
}

} // namespace pliant::ops::slice
