// SPDX-License-Identifier: Apache-2.0
// Type rule of gather_nd.
#include "ops/extent_math.h"
#include "ops/index.h"
#include "ops/rules.h"

namespace pliant::ops::gather_nd {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &x = c.operand(0), &indices = c.operand(1);
  const int64_t batch = c.as<GatherNdAttrs>().batchDims;
  PLIANT_CHECK(indexType(c, 1, "C1"));
  const std::string shapes = "x has shape " + str(x.shape) + " and the indices have shape " + str(indices.shape);
  if (indices.rank() == 0 || batch < 0 || batch >= indices.rank() || batch > x.rank())
    return c.error(shapes + ": " + std::to_string(batch) + " batch axes do not fit", "C2");
  const std::optional<int64_t> depth = indices.shape.back().constant();
  if (!depth || *depth > x.rank() - batch)
    return c.error(shapes + ": the last axis of the indices must be a constant of at most " +
                       std::to_string(x.rank() - batch),
                   "C2");
  Extents extents(indices.shape.begin(), indices.shape.end() - 1);
  for (size_t i = 0; i < static_cast<size_t>(batch); ++i) {
    PLIANT_CHECK(rules::sameExtent(c, x.shape[i], indices.shape[i], "batch extents", "C2"));
    extents[i] = informative(x.shape[i], indices.shape[i]);
  }
  extents.insert(extents.end(), x.shape.begin() + batch + *depth, x.shape.end());
  return std::vector<TensorType>{{x.dtype, std::move(extents)}};
}

} // namespace pliant::ops::gather_nd
