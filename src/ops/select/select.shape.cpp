// SPDX-License-Identifier: Apache-2.0
// Type and content rules of the elementwise choice.
#include "ops/content.h"
#include "ops/rules.h"

namespace pliant::ops::select {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  if (c.operand(0).dtype != DType::Bool)
    return c.error("the condition has element type " + std::string(name(c.operand(0).dtype)) + " but bool is needed",
                   "C1", "compare it with 0 first");
  PLIANT_CHECK(rules::sameType(c, 1, 2, "C2"));
  PLIANT_TRY(Extents values, rules::broadcast(c, c.operand(1).shape, c.operand(2).shape, "C3"));
  PLIANT_TRY(Extents extents, rules::broadcast(c, c.operand(0).shape, values, "C3"));
  return std::vector<TensorType>{{c.operand(1).dtype, std::move(extents)}};
}

std::optional<Content> content(ContentContext &c) {
  return elementwise(c, [](std::span<const Expr> x) -> std::optional<Expr> {
    if (std::optional<int64_t> condition = x[0].constant())
      return x[*condition ? 1 : 2];
    return x[1] == x[2] ? std::optional(x[1]) : std::nullopt;
  });
}

} // namespace pliant::ops::select
