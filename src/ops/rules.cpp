// SPDX-License-Identifier: Apache-2.0
// Pieces that shape rules share: axes, broadcasting, equal extents and types, with their error texts.
#include "ops/rules.h"
#include "ops/extent_math.h"

namespace pliant::rules {

static std::string role(const ShapeContext &c, size_t i) {
  if (c.operands.size() == 2)
    return i == 0 ? "lhs" : "rhs";
  return c.operands.size() == 1 ? "the operand" : "operand " + std::to_string(i);
}

Result<int64_t> axis(const ShapeContext &c, int64_t axis, int64_t rank, const char *constraint) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  std::string range = rank == 0 ? "a scalar has no axes"
                                : "the axes of rank " + std::to_string(rank) + " are " + std::to_string(-rank) +
                                      " to " + std::to_string(rank - 1);
  return c.error("axis " + std::to_string(axis) + " is out of range: " + range, constraint);
}

/// One axis of a broadcast; nothing when it is impossible.
static std::optional<Expr> broadcastExtent(const Facts &facts, const Expr &a, const Expr &b) {
  if (a == b || b.isConstant(1))
    return a;
  if (a.isConstant(1))
    return b;
  const Proof equal = facts.equal(a, b);
  if (equal == Proof::Yes)
    return informative(a, b);
  const bool aRepeats = facts.equal(a, 1) != Proof::No, bRepeats = facts.equal(b, 1) != Proof::No; // may be 1
  if (!aRepeats && !bRepeats)
    return equal == Proof::No ? std::nullopt : std::optional(informative(a, b));
  if (!aRepeats)
    return a; // b is a or 1
  if (!bRepeats)
    return b;
  // "S" with "min(S, 512)", as slices of position tables give: where the larger is 1 so is the smaller one.
  auto covers = [&](const Expr &large, const Expr &small) {
    return facts.lessEqual(small, large) == Proof::Yes && facts.lessEqual(min(large, 1), small) == Proof::Yes;
  };
  if (covers(a, b))
    return a;
  if (covers(b, a))
    return b;
  return pliant::broadcast(a, b);
}

Result<Extents> broadcast(const ShapeContext &c, const Extents &a, const Extents &b, const char *constraint) {
  const Extents &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  Extents result = longer;
  for (size_t i = 0; i < shorter.size(); ++i) {
    const size_t at = longer.size() - shorter.size() + i;
    const Expr &left = a.size() >= b.size() ? longer[at] : shorter[i];
    const Expr &right = a.size() >= b.size() ? shorter[i] : longer[at];
    std::optional<Expr> extent = broadcastExtent(c.facts, left, right);
    if (extent && !(left == right) && !left.isConstant(1) && !right.isConstant(1) &&
        c.facts.equal(left, right) != Proof::Yes)
      c.require(left, right, true);
    if (!extent)
      return c.error("shapes " + str(a) + " and " + str(b) + " do not broadcast: extents " + left.str() + " and " +
                         right.str() + " of axis " + std::to_string(at) + " differ and neither is 1",
                     constraint, "reshape or transpose one of them so that the axes line up from the right");
    result[at] = std::move(*extent);
  }
  return result;
}

Status sameExtent(const ShapeContext &c, const Expr &a, const Expr &b, const std::string &what,
                  const char *constraint) {
  if (a == b)
    return ok();
  const Proof proof = c.facts.equal(a, b);
  if (proof == Proof::Unknown)
    c.require(a, b, false);
  if (proof != Proof::No)
    return ok();
  std::string shapes;
  if (c.operands.size() == 2)
    shapes = "lhs has shape " + str(c.operand(0).shape) + " but rhs has shape " + str(c.operand(1).shape) + ": ";
  else if (c.operands.size() == 1)
    shapes = "the operand has shape " + str(c.operand(0).shape) + ": ";
  else
    for (size_t i = 0; i < c.operands.size() && i < 8; ++i)
      shapes += str(c.operand(i).shape) + (i + 1 == c.operands.size() || i == 7 ? ": " : ", ");
  return c.error(shapes + what + " " + a.str() + " and " + b.str() + " differ", constraint,
                 "these extents must be equal for every input");
}

Status sameType(const ShapeContext &c, size_t a, size_t b, const char *constraint) {
  if (c.operand(a).dtype == c.operand(b).dtype)
    return ok();
  return c.error(role(c, a) + " has element type " + std::string(name(c.operand(a).dtype)) + " but " + role(c, b) +
                     " has " + std::string(name(c.operand(b).dtype)),
                 constraint, "cast one of them");
}

Status floatType(const ShapeContext &c, size_t operand, const char *constraint) {
  if (isFloat(c.operand(operand).dtype))
    return ok();
  return c.error(role(c, operand) + " has element type " + std::string(name(c.operand(operand).dtype)) +
                     " but a float type is needed",
                 constraint, "cast it to f32");
}

} // namespace pliant::rules
