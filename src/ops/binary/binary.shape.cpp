// SPDX-License-Identifier: Apache-2.0
// Type and content rules of functions of two elements.
#include "ops/content.h"
#include "ops/extent_math.h"
#include "ops/rules.h"

namespace pliant::ops::binary {

static const char *needed(OpId op, DType type) {
  switch (op) {
  case OpId::LogicalAnd:
  case OpId::LogicalOr:
  case OpId::LogicalXor:
    return type == DType::Bool ? nullptr : "bool";
  case OpId::BitAnd:
  case OpId::BitOr:
  case OpId::BitXor:
  case OpId::Mod:
    return isInteger(type) ? nullptr : "an integer type";
  case OpId::ShiftLeft:
  case OpId::ShiftRight:
    return isUnsigned(type) ? nullptr : "an unsigned integer type";
  default:
    return type != DType::Bool ? nullptr : "a number";
  }
}

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  PLIANT_CHECK(rules::sameType(c, 0, 1, "C1"));
  const DType type = c.operand(0).dtype;
  if (const char *kind = needed(c.op, type))
    return c.error("the operands have element type " + std::string(name(type)) + " but " + kind + " is needed", "C1");
  PLIANT_TRY(Extents extents, rules::broadcast(c, c.operand(0).shape, c.operand(1).shape, "C2"));
  return std::vector<TensorType>{{type, std::move(extents)}};
}

/// Two constants; nothing when the result leaves the type (the reference wraps, expressions do not).
static std::optional<Expr> fold(OpId op, int64_t a, int64_t b, DType type) {
  int64_t r = 0;
  bool overflow = false;
  switch (op) {
  case OpId::Add:
    overflow = __builtin_add_overflow(a, b, &r);
    break;
  case OpId::Sub:
    overflow = __builtin_sub_overflow(a, b, &r);
    break;
  case OpId::Mul:
    overflow = __builtin_mul_overflow(a, b, &r);
    break;
  case OpId::Div:
  case OpId::Mod:
  case OpId::Fmod:
    if (b == 0 || b == -1) // zero is an error; -1 may wrap
      return b == -1 && op == OpId::Div && a != INT64_MIN ? std::optional(Expr(-a)) : std::nullopt;
    r = op == OpId::Div ? a / b : a % b;
    if (op == OpId::Mod && r != 0 && (r < 0) != (b < 0))
      r += b;
    break;
  case OpId::Min:
    r = std::min(a, b);
    break;
  case OpId::Max:
    r = std::max(a, b);
    break;
  default:
    return std::nullopt;
  }
  if (overflow || (type == DType::I32 && r != static_cast<int32_t>(r)))
    return std::nullopt;
  return Expr(r);
}

static std::optional<Expr> symbolic(OpId op, const Expr &a, const Expr &b, const Facts &facts) {
  switch (op) {
  case OpId::Add:
    return a + b;
  case OpId::Sub:
    return a - b;
  case OpId::Mul:
    return a * b;
  case OpId::Min:
    return minOf(facts, a, b);
  case OpId::Max:
    return maxOf(facts, a, b);
  case OpId::Div: // towards zero is floor only where both are known not to be negative
    if (b.isConstant(1))
      return a;
    if (facts.atLeast(b, 1) || facts.bounds(b).hi <= -1)
      if (std::optional<Expr> exact = facts.divideExactly(a, b))
        return exact;
    if (facts.atLeast(a, 0) && facts.atLeast(b, 0) && !b.isConstant(0))
      return floorDiv(a, b);
    return std::nullopt;
  case OpId::Mod:
    return b.isConstant(0) ? std::nullopt : std::optional(mod(a, b));
  case OpId::Fmod:
    return facts.atLeast(a, 0) && facts.atLeast(b, 0) && !b.isConstant(0) ? std::optional(mod(a, b)) : std::nullopt;
  case OpId::Pow: {
    const int64_t exponent = b.constant().value_or(-1);
    if (exponent < 0 || exponent > 4)
      return std::nullopt;
    Expr power = 1;
    for (int64_t i = 0; i < exponent; ++i)
      power = power * a;
    return power;
  }
  default:
    return std::nullopt;
  }
}

/// Bool elements are 0 or 1; one known operand may decide.
static std::optional<Expr> logical(OpId op, const Expr &a, const Expr &b) {
  const bool isAnd = op == OpId::LogicalAnd;
  if (op == OpId::LogicalXor)
    return a.constant() && b.constant() ? std::optional(Expr(*a.constant() ^ *b.constant())) : std::nullopt;
  for (const Expr *each : {&a, &b})
    if (each->isConstant(isAnd ? 0 : 1))
      return *each;
  if (a.isConstant(isAnd ? 1 : 0))
    return b;
  return b.isConstant(isAnd ? 1 : 0) || a == b ? std::optional(a) : std::nullopt;
}

std::optional<Content> content(ContentContext &c) {
  const DType type = c.result.dtype;
  return elementwise(c, [&](std::span<const Expr> x) -> std::optional<Expr> {
    if (type == DType::Bool)
      return logical(c.op, x[0], x[1]);
    if (!symbolicType(type))
      return std::nullopt;
    if (x[0].constant() && x[1].constant() && c.op != OpId::Pow)
      return fold(c.op, *x[0].constant(), *x[1].constant(), type);
    return symbolic(c.op, x[0], x[1], c.facts);
  });
}

} // namespace pliant::ops::binary
