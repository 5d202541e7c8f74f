// SPDX-License-Identifier: Apache-2.0
// Shape rule of unique.
#include "ops/op.h"

namespace pliant::ops::unique {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const int64_t axis = c.as<UniqueAttrs>().axis;
  const TensorType &x = c.operand(0);
  if (axis < 0 || axis >= x.rank())
    return c.error("axis " + std::to_string(axis) + " is outside x of shape " + str(x.shape), "C1",
                   "axes count from 0");
  const TensorType list{DType::I64, {x.shape[axis]}};
  return std::vector<TensorType>{list, list, list, {DType::I64, {}}};
}

} // namespace pliant::ops::unique
