// SPDX-License-Identifier: Apache-2.0
// Shape rule of non_max_suppression.
#include "ops/extent_math.h"
#include "ops/rules.h"

namespace pliant::ops::non_max_suppression {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const auto &a = c.as<NonMaxSuppressionAttrs>();
  const Extents &boxes = c.operand(0).shape, &scores = c.operand(1).shape;
  for (size_t i = 0; i < 4; ++i)
    if (c.operand(i).dtype != DType::F32 || c.operand(i).rank() != (i < 2 ? 3 : 0))
      return c.error("operand " + std::to_string(i) + " is " + c.operand(i).str() + " but f32 of rank " +
                         (i < 2 ? "3" : "0") + " is needed",
                     "C1");
  if (!rules::mayEqual(c, boxes[2], 4))
    return c.error("boxes have shape " + str(boxes) + " but a box has 4 numbers", "C2");
  PLIANT_CHECK(rules::sameExtent(c, boxes[0], scores[0], "batches of boxes and scores", "C2"));
  PLIANT_CHECK(rules::sameExtent(c, boxes[1], scores[2], "boxes and scores", "C2"));
  if (a.limit.size() != 1 || c.facts.bounds(a.limit[0]).hi < 0)
    return c.error("limit is " + str(a.limit) + " but must be one number, not negative", "C3");
  return std::vector<TensorType>{{DType::I64, {scores[0] * scores[1] * minOf(c.facts, a.limit[0], scores[2]), 3}},
                                 {DType::I64, {}}};
}

} // namespace pliant::ops::non_max_suppression
