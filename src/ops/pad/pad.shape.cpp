// SPDX-License-Identifier: Apache-2.0
// Type rule of pad.
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
    for (const Expr &count : {a.low[i], a.high[i]}) {
      if (fill)
        break;
      // What is added is read: as many elements as reflection adds, one for the other modes.
      const Expr added = max(count, 0), least = reflect ? added : min(added, 1);
      if (!rules::mayCover(c, least, reflect ? max(extent - 1, 0) : extent))
        return c.error(a.mode + " padding of axis " + std::to_string(i) + " by " + count.str() +
                           " needs more than its extent " + extent.str() + ", shape " + str(x.shape),
                       "C3");
    }
    extents.push_back(a.low[i] + extent + a.high[i]);
    if (!rules::mayCover(c, 0, extents.back()))
      return c.error("axis " + std::to_string(i) + " of shape " + str(x.shape) + " is cropped to less than nothing",
                     "C3");
  }
  return std::vector<TensorType>{{x.dtype, std::move(extents)}};
}

} // namespace pliant::ops::pad
