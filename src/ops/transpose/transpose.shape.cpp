// SPDX-License-Identifier: Apache-2.0
// Type rule of transpose.
#include "ops/rules.h"

namespace pliant::ops::transpose {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &x = c.operand(0);
  const std::vector<int64_t> &perm = c.as<TransposeAttrs>().perm;
  std::vector<bool> seen(x.shape.size());
  bool valid = perm.size() == x.shape.size();
  Extents extents;
  for (int64_t axis : perm) {
    valid = valid && axis >= 0 && axis < x.rank() && !seen[static_cast<size_t>(axis)];
    if (!valid)
      break;
    seen[static_cast<size_t>(axis)] = true;
    extents.push_back(x.shape[static_cast<size_t>(axis)]);
  }
  if (!valid)
    return c.error("perm " + str(perm) + " is no permutation of the axes of shape " + str(x.shape), "C1",
                   "it must hold each of 0 to rank - 1 once");
  return std::vector<TensorType>{{x.dtype, std::move(extents)}};
}

} // namespace pliant::ops::transpose
