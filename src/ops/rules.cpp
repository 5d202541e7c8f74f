// SPDX-License-Identifier: Apache-2.0
// Pieces that shape rules share: axes, broadcasting, equal extents and types, with their error texts.
#include "ops/rules.h"
#include "ops/extent_math.h"
#include <functional>

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

/// Whether for all values of the symbols either neither extent is 1 or both are: then they broadcast only when they are
/// equal, as "S" and "min(S, 512)". Proved by cases: each symbol is 0, 1, or more (or negative, if it may be).
static bool oneOnlyTogether(const Facts &facts, const Expr &a, const Expr &b) {
  std::vector<std::string> symbols = a.symbols();
  for (const std::string &symbol : b.symbols())
    if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end())
      symbols.push_back(symbol);
  constexpr size_t most = 3; // 4^3 cases
  if (symbols.size() > most)
    return false;
  auto holds = [&](const Facts &given) {
    const Interval x = given.bounds(a), y = given.bounds(b);
    auto mayBeOne = [](const Interval &i) { return i.lo <= 1 && i.hi >= 1; };
    auto isOne = [](const Interval &i) { return i.lo == 1 && i.hi == 1; };
    return ((!mayBeOne(x) || isOne(y)) && (!mayBeOne(y) || isOne(x))) || given.equal(a, b) == Proof::Yes;
  };
  std::function<bool(const Facts &, size_t)> cases = [&](const Facts &given, size_t next) {
    if (next == symbols.size())
      return holds(given);
    const Interval range = given.bounds(Expr::symbol(symbols[next]));
    for (const Interval &part : {Interval{0, 0}, Interval{1, 1}, Interval{2, range.hi}, Interval{range.lo, -1}}) {
      if (part.lo > part.hi)
        continue;
      Facts narrower = given;
      const bool possible = part.lo == part.hi
                                ? static_cast<bool>(narrower.assumeEqual(Expr::symbol(symbols[next]), part.lo))
                                : static_cast<bool>(narrower.assumeRange(symbols[next], part));
      if (possible && !cases(narrower, next + 1))
        return false;
    }
    return true;
  };
  return cases(facts, 0);
}

namespace {
/// One axis of a broadcast, and what a run must test for it.
struct JoinedExtent {
  enum class Test : uint8_t { None, Equal, Broadcast };
  Expr extent;
  Test test = Test::None;
};
} // namespace

/// Nothing when the extents never broadcast.
static std::optional<JoinedExtent> broadcastExtent(const Facts &facts, const Expr &a, const Expr &b) {
  using Test = JoinedExtent::Test;
  if (a == b || b.isConstant(1))
    return JoinedExtent{a};
  if (a.isConstant(1))
    return JoinedExtent{b};
  const Proof equal = facts.equal(a, b);
  if (equal == Proof::Yes)
    return JoinedExtent{informative(a, b)};
  const bool aRepeats = facts.equal(a, 1) != Proof::No, bRepeats = facts.equal(b, 1) != Proof::No; // may be 1
  if (!aRepeats && !bRepeats)
    return equal == Proof::No ? std::nullopt : std::optional(JoinedExtent{informative(a, b), Test::Equal});
  if (!aRepeats)
    return JoinedExtent{a, Test::Broadcast}; // b is a or 1
  if (!bRepeats)
    return JoinedExtent{b, Test::Broadcast};
  if (oneOnlyTogether(facts, a, b))
    return JoinedExtent{informative(a, b), Test::Equal};
  // Where the larger is 1 so is the smaller one.
  auto covers = [&](const Expr &large, const Expr &small) {
    return facts.lessEqual(small, large) == Proof::Yes && facts.lessEqual(min(large, 1), small) == Proof::Yes;
  };
  if (covers(a, b))
    return JoinedExtent{a, Test::Broadcast};
  if (covers(b, a))
    return JoinedExtent{b, Test::Broadcast};
  return JoinedExtent{pliant::broadcast(a, b), Test::Broadcast};
}

Result<Extents> broadcast(const ShapeContext &c, const Extents &a, const Extents &b, const char *constraint) {
  const Extents &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  Extents result = longer;
  for (size_t i = 0; i < shorter.size(); ++i) {
    const size_t at = longer.size() - shorter.size() + i;
    const Expr &left = a.size() >= b.size() ? longer[at] : shorter[i];
    const Expr &right = a.size() >= b.size() ? shorter[i] : longer[at];
    std::optional<JoinedExtent> joined = broadcastExtent(c.facts, left, right);
    if (!joined) {
      std::string whole; // where only a part of the axes broadcasts
      if (c.operands.size() == 2 && (c.operand(0).shape != a || c.operand(1).shape != b))
        whole = " in " + str(c.operand(0).shape) + " and " + str(c.operand(1).shape);
      return c.error("shapes " + str(a) + " and " + str(b) + whole + " do not broadcast: extents " + left.str() +
                         " and " + right.str() + " of axis " + std::to_string(at) + " differ and neither is 1",
                     constraint, "reshape or transpose one of them so that the axes line up from the right");
    }
    if (joined->test == JoinedExtent::Test::Equal)
      c.require(joined->extent, joined->extent == left ? right : left, false);
    if (joined->test == JoinedExtent::Test::Broadcast)
      c.require(left, right, true);
    result[at] = std::move(joined->extent);
  }
  return result;
}

bool mayEqual(const ShapeContext &c, const Expr &a, const Expr &b) {
  const Proof proof = c.facts.equal(a, b);
  if (proof == Proof::Unknown)
    c.require(a, b, false);
  return proof != Proof::No;
}

bool mayCover(const ShapeContext &c, const Expr &small, const Expr &large) {
  const Proof proof = c.facts.lessEqual(small, large);
  if (proof == Proof::Unknown)
    c.require(max(small - large, Expr(0)), 0, false);
  return proof != Proof::No;
}

Status sameExtent(const ShapeContext &c, const Expr &a, const Expr &b, const std::string &what,
                  const char *constraint) {
  if (a == b || mayEqual(c, a, b))
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
