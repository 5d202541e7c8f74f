// SPDX-License-Identifier: Apache-2.0
// Shape rule of matmul.
#include "ops/rules.h"

namespace pliant::ops::matmul {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &lhs = c.operand(0), &rhs = c.operand(1);
  PLIANT_CHECK(rules::sameType(c, 0, 1, "C1"));
  if (lhs.dtype == DType::Bool)
    return c.error("operands have element type bool", "C1", "cast them to a number first");
  const std::string shapes = "lhs has shape " + str(lhs.shape) + " but rhs has shape " + str(rhs.shape) + ": ";
  if (lhs.rank() < 2 || rhs.rank() < 2)
    return c.error(shapes + "both need at least two axes", "C4", "give a vector an axis of extent 1 by reshape");
  const size_t m = lhs.shape.size() - 2, n = rhs.shape.size() - 1;
  const Expr &inner = lhs.shape[m + 1], &outer = rhs.shape[n - 1];
  if (!rules::mayEqual(c, inner, outer))
    return c.error(shapes + "inner extents " + inner.str() + " and " + outer.str() + " differ", "C2",
                   "the last axis of lhs must equal the last but one of rhs; transpose an operand");
  const Extents lhsBatch(lhs.shape.begin(), lhs.shape.end() - 2), rhsBatch(rhs.shape.begin(), rhs.shape.end() - 2);
  PLIANT_TRY(Extents result, rules::broadcast(c, lhsBatch, rhsBatch, "C3"));
  result.push_back(lhs.shape[m]);
  result.push_back(rhs.shape[n]);
  return std::vector<TensorType>{{lhs.dtype, std::move(result)}};
}

} // namespace pliant::ops::matmul
