// SPDX-License-Identifier: Apache-2.0
// Type rule of gather.
#include "ops/index.h"
#include "ops/rules.h"

namespace pliant::ops::gather {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &x = c.operand(0), &indices = c.operand(1);
  PLIANT_CHECK(indexType(c, 1, "C1"));
  PLIANT_TRY(int64_t axis, rules::axis(c, c.as<GatherAttrs>().axis, x.rank(), "C2"));
  Extents extents(x.shape.begin(), x.shape.begin() + axis);
  extents.insert(extents.end(), indices.shape.begin(), indices.shape.end());
  extents.insert(extents.end(), x.shape.begin() + axis + 1, x.shape.end());
  return std::vector<TensorType>{{x.dtype, std::move(extents)}};
}

} // namespace pliant::ops::gather
