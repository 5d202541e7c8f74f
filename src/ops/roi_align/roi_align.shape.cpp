// SPDX-License-Identifier: Apache-2.0
// Shape rule of roi_align.
#include "ops/extent_math.h"
#include "ops/index.h"
#include "ops/rules.h"

namespace pliant::ops::roi_align {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const auto &a = c.as<RoiAlignAttrs>();
  const TensorType &x = c.operand(0), &regions = c.operand(1), &batch = c.operand(2);
  PLIANT_CHECK(rules::floatType(c, 0, "C1"));
  PLIANT_CHECK(rules::sameType(c, 0, 1, "C1"));
  PLIANT_CHECK(indexType(c, 2, "C2"));
  if (x.rank() != 4 || regions.rank() != 2 || batch.rank() != 1 || !rules::mayEqual(c, regions.shape[1], 4))
    return c.error("x has shape " + str(x.shape) + ", the regions " + str(regions.shape) + " and their images " +
                       str(batch.shape) + ": (N, C, H, W), (R, 4) and (R) are needed",
                   "C2");
  PLIANT_CHECK(rules::sameExtent(c, regions.shape[0], batch.shape[0], "regions and their images", "C2"));
  if (a.height < 1 || a.width < 1 || a.samples < 0)
    return c.error("bins of " + std::to_string(a.height) + " by " + std::to_string(a.width) + " with " +
                       std::to_string(a.samples) + " samples",
                   "C3");
  if (a.mode != "avg" && a.mode != "max")
    return c.error("the mode \"" + a.mode + "\" does not exist", "C4", "use avg or max");
  return std::vector<TensorType>{
      {x.dtype, {informative(regions.shape[0], batch.shape[0]), x.shape[1], a.height, a.width}}};
}

} // namespace pliant::ops::roi_align
