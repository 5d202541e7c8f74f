// SPDX-License-Identifier: Apache-2.0
// Shape rule of matmul_integer: that of matmul, in i32.
#include "ops/rules.h"

namespace pliant::ops::matmul_integer {

static bool isByte(DType type) { return type == DType::I8 || type == DType::U8; }

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &lhs = c.operand(0), &rhs = c.operand(1), &zero = c.operand(2);
  if (!isByte(lhs.dtype) || !isByte(rhs.dtype) || zero.dtype != lhs.dtype || zero.rank() != 0)
    return c.error("lhs is " + lhs.str() + ", rhs " + rhs.str() + ", lhsZero " + zero.str() +
                       ": the operands must be i8 or u8, lhsZero a scalar of the type of lhs",
                   "C1", "cast them to i32 and use matmul");
  const std::string shapes = "lhs has shape " + str(lhs.shape) + " but rhs has shape " + str(rhs.shape) + ": ";
  if (lhs.rank() < 2 || rhs.rank() < 2)
    return c.error(shapes + "both need at least two axes", "C4", "give a vector an axis of extent 1 by reshape");
  const size_t m = lhs.shape.size() - 2, n = rhs.shape.size() - 1;
  if (!rules::mayEqual(c, lhs.shape[m + 1], rhs.shape[n - 1]))
    return c.error(shapes + "inner extents " + lhs.shape[m + 1].str() + " and " + rhs.shape[n - 1].str() + " differ",
                   "C2", "the last axis of lhs must equal the last but one of rhs; transpose an operand");
  const Extents lhsBatch(lhs.shape.begin(), lhs.shape.end() - 2), rhsBatch(rhs.shape.begin(), rhs.shape.end() - 2);
  PLIANT_TRY(Extents result, rules::broadcast(c, lhsBatch, rhsBatch, "C3"));
  result.push_back(lhs.shape[m]);
  result.push_back(rhs.shape[n]);
  return std::vector<TensorType>{{DType::I32, std::move(result)}};
}

} // namespace pliant::ops::matmul_integer
