// SPDX-License-Identifier: Apache-2.0
// Type and content rules of comparisons.
#include "ops/content.h"
#include "ops/rules.h"

namespace pliant::ops::compare {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  PLIANT_CHECK(rules::sameType(c, 0, 1, "C1"));
  PLIANT_TRY(Extents extents, rules::broadcast(c, c.operand(0).shape, c.operand(1).shape, "C2"));
  return std::vector<TensorType>{{DType::Bool, std::move(extents)}};
}

/// 1, 0, or nothing when facts do not decide.
static std::optional<Expr> decide(Proof proof, bool negate) {
  if (proof == Proof::Unknown)
    return std::nullopt;
  return Expr((proof == Proof::Yes) != negate ? 1 : 0);
}

std::optional<Content> content(ContentContext &c) {
  return elementwise(c, [&](std::span<const Expr> x) -> std::optional<Expr> {
    switch (c.op) {
    case OpId::Equal:
      return decide(c.facts.equal(x[0], x[1]), false);
    case OpId::NotEqual:
      return decide(c.facts.equal(x[0], x[1]), true);
    case OpId::LessEqual:
      return decide(c.facts.lessEqual(x[0], x[1]), false);
    case OpId::Less:
      return decide(c.facts.lessEqual(x[1], x[0]), true);
    case OpId::GreaterEqual:
      return decide(c.facts.lessEqual(x[1], x[0]), false);
    default:
      return decide(c.facts.lessEqual(x[0], x[1]), true);
    }
  });
}

} // namespace pliant::ops::compare
