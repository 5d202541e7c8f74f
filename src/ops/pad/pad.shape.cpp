// SPDX-License-Identifier: Apache-2.0
// Type rule of pad.
#include "ops/extent_math.h"
#include "ops/rules.h"

namespace pliant::ops::pad {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &x = c.operand(0), &value = c.operand(1);
  const PadAttrs &a = c.as<PadAttrs>();
  const bool fill = a.mode == "constant", reflect = a.mode == "reflect";
  if (!fill && !reflect && a.mode != "edge" && a.mode != "wrap")
    return c.error("mode \"" + a.mode + "\" is none of constant, reflect, edge, wrap");
  if (a.low.size() != x.shape.size() || a.high.size() != x.shape.size())
    return c.error("shape " + str(x.shape) + " needs " + std::to_string(x.rank()) + " low and high counts, not " +
                       std::to_string(a.low.size()) + " and " + std::to_string(a.high.size()),
                   "C1");
  PLIANT_CHECK(rules::sameType(c, 0, 1, "C2"));
  if (value.rank() != 0)
    return c.error("the value has shape " + str(value.shape) + " but a scalar is needed", "C2");
  Extents extents;
  for (size_t i = 0; i < x.shape.size(); ++i) {
    const Expr &extent = x.shape[i];
    const std::string axis = "axis " + std::to_string(i) + " of shape " + str(x.shape);
    for (const Expr &count : {a.low[i], a.high[i]}) {
      if (fill)
        break;
      if (!rules::mayCover(c, 0, count))
        return c.error(a.mode + " padding of " + axis + " by " + count.str() + ": crop by a slice", "C3");
      // The elements that are not enough: none is for any count above 0, and reflection leaves out the one at the edge.
      const Expr needed = reflect ? count : minOf(c.facts, count, 1), there = reflect ? extent - 1 : extent;
      if (!count.isConstant(0) && !rules::mayCover(c, needed, reflect ? maxOf(c.facts, there, 0) : there))
        return c.error(a.mode + " padding of " + axis + " by " + count.str() + " needs more than its " + extent.str() +
                           " elements",
                       "C3");
    }
    extents.push_back(a.low[i] + extent + a.high[i]);
    if (!rules::mayCover(c, 0, extents.back()))
      return c.error(axis + " is cropped to less than nothing", "C4");
  }
  return std::vector<TensorType>{{x.dtype, std::move(extents)}};
}

} // namespace pliant::ops::pad
