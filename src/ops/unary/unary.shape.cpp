// SPDX-License-Identifier: Apache-2.0
// Type and content rules of functions of one element.
#include "ops/content.h"
#include "ops/rules.h"

namespace pliant::ops::unary {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  TensorType type = c.operand(0);
  switch (c.op) {
  case OpId::Abs:
  case OpId::Neg:
  case OpId::Relu:
  case OpId::Sign:
    if (type.dtype == DType::Bool)
      return c.error("the operand has element type bool but a number is needed", "C1", "cast it to i64 or f32");
    break;
  case OpId::LogicalNot:
    if (type.dtype != DType::Bool)
      return c.error("the operand has element type " + std::string(name(type.dtype)) + " but bool is needed", "C1",
                     "compare it with 0 first");
    break;
  default:
    PLIANT_CHECK(rules::floatType(c, 0, "C1"));
  }
  if (c.op == OpId::IsNan || c.op == OpId::IsInf)
    type.dtype = DType::Bool;
  return std::vector{std::move(type)};
}

/// Floor and ceil have a float result, so their rows never know a content.
std::optional<Content> content(ContentContext &c) {
  if (c.op == OpId::LogicalNot)
    return elementwise(c, [](std::span<const Expr> x) { return std::optional(Expr(1) - x[0]); });
  if (c.op == OpId::Neg && symbolicType(c.result.dtype))
    return elementwise(c, [](std::span<const Expr> x) { return std::optional(Expr(0) - x[0]); });
  return std::nullopt;
}

} // namespace pliant::ops::unary
