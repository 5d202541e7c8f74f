// SPDX-License-Identifier: Apache-2.0
// Shape rule of arg_max and arg_min.
#include "ops/rules.h"

namespace pliant::ops::arg_reduce {

template <class A> static Result<std::vector<TensorType>> index(ShapeContext &c, const A &a) {
  const TensorType &x = c.operand(0);
  if (x.dtype == DType::Bool)
    return c.error("x has element type bool", "C2", "cast it to a number first");
  if (a.axis < 0 || a.axis >= x.rank())
    return c.error("axis " + std::to_string(a.axis) + " is outside x of shape " + str(x.shape), "C1",
                   "axes count from 0");
  Extents extents = x.shape;
  if (a.keepDims)
    extents[a.axis] = 1;
  else
    extents.erase(extents.begin() + a.axis);
  return std::vector<TensorType>{{DType::I64, std::move(extents)}};
}

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  return c.op == OpId::ArgMax ? index(c, c.as<ArgMaxAttrs>()) : index(c, c.as<ArgMinAttrs>());
}

} // namespace pliant::ops::arg_reduce
