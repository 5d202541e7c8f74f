// SPDX-License-Identifier: Apache-2.0
// Canonical floor division, modulus, minimum, maximum and broadcast.
#include "shape/expr.h"
#include "shape/expr_node.h"
#include <algorithm>
#include <numeric>

namespace pliant {
using namespace shape;

namespace shape {

Expr makeCall(Kind kind, std::vector<Expr> &&operands) {
  for (const Expr &e : operands)
    if (isOverflow(e))
      return e;
  Expr::Node n;
  n.kind = kind;
  n.operands = std::move(operands);
  return Expr::Node::seal(std::move(n));
}

Expr rebuildCall(Kind kind, const std::vector<Expr> &operands) {
  switch (kind) {
  case Kind::FloorDiv:
    return floorDiv(operands[0], operands[1]);
  case Kind::Mod:
    return mod(operands[0], operands[1]);
  default:
    break;
  }
  Expr result = operands[0];
  for (size_t i = 1; i < operands.size(); ++i)
    result = kind == Kind::Min   ? min(result, operands[i])
             : kind == Kind::Max ? max(result, operands[i])
                                 : broadcast(result, operands[i]);
  return result;
}

/// `a` without the terms and the part of its constant that are multiples of c > 1, after division of everything by the
/// greatest common divisor of c and the coefficients: a = gcd*(rest + divisor*quotient) + below, 0 <= below < gcd.
struct Reduced {
  Expr quotient, rest;
  int64_t divisor, gcd, below;
};
/// Coefficients of the rest are in [0, divisor). Its constant is in (-divisor, 0] for floordiv, which makes the usual
/// forms of convolutions canonical ("floordiv(W-1, 2)+1"), and in [0, divisor) for mod.
static Reduced reduce(const Expr &a, int64_t c, bool negativeConstant) {
  SumView view(a);
  int64_t gcd = c;
  for (const Term &t : view.terms())
    gcd = t.count == INT64_MIN ? std::gcd(gcd, INT64_MIN / 2) : std::gcd(gcd, t.count);
  Reduced out{0, 0, c / gcd, gcd, 0};
  std::vector<Term> quotient, rest;
  for (const Term &t : view.terms()) {
    int64_t count = t.count / gcd, q = floorDivide(count, out.divisor), r = floorRemainder(count, out.divisor);
    if (q != 0)
      quotient.push_back({t.base, q});
    if (r != 0)
      rest.push_back({t.base, r});
  }
  int64_t constant = floorDivide(view.constant(), gcd);
  out.below = floorRemainder(view.constant(), gcd);
  int64_t q = floorDivide(constant, out.divisor), r = floorRemainder(constant, out.divisor);
  if (negativeConstant && r != 0) {
    r -= out.divisor;
    q += 1;
  }
  out.quotient = makeSum(std::move(quotient), q);
  out.rest = makeSum(std::move(rest), r);
  return out;
}

} // namespace shape

Expr floorDiv(const Expr &a, const Expr &b) {
  auto c = b.constant();
  if (!c || *c == 0 || isOverflow(a))
    return makeCall(Kind::FloorDiv, {a, b});
  if (auto value = a.constant(); value && !(*value == INT64_MIN && *c == -1))
    return floorDivide(*value, *c);
  if (*c == 1)
    return a;
  if (*c < 0) {
    Expr negative = 0 - a;
    // A coefficient that cannot be negated keeps the call as it stands.
    return *c == INT64_MIN || isOverflow(negative) ? makeCall(Kind::FloorDiv, {a, b}) : floorDiv(negative, -*c);
  }
  Reduced r = reduce(a, *c, true);
  if (isOverflow(r.quotient) || isOverflow(r.rest))
    return overflow();
  if (auto value = r.rest.constant())
    return r.quotient + floorDivide(*value, r.divisor);
  if (r.divisor == 1)
    return r.quotient + r.rest;
  // floordiv(floordiv(x, d) + y, c) is floordiv(x + d*y, d*c); done when there is exactly one such inner division.
  SumView view(r.rest);
  const Term *inner = nullptr;
  int count = 0;
  for (const Term &t : view.terms())
    if (kind(t.base) == Kind::FloorDiv && hasConstantDivisor(t.base) && t.count == 1) {
      inner = &t;
      ++count;
    }
  if (count == 1) {
    const auto &operands = node(inner->base).operands;
    int64_t d = *operands[1].constant(), merged;
    Expr x = operands[0] + (r.rest - inner->base) * d;
    if (!__builtin_mul_overflow(d, r.divisor, &merged) && !isOverflow(x)) {
      Expr outer = floorDiv(x, merged);
      if (!isOverflow(outer))
        return r.quotient + outer;
    }
  }
  return r.quotient + makeCall(Kind::FloorDiv, {r.rest, r.divisor});
}

Expr mod(const Expr &a, const Expr &b) {
  auto c = b.constant();
  if (!c || *c == 0 || isOverflow(a))
    return makeCall(Kind::Mod, {a, b});
  if (*c == 1 || *c == -1)
    return 0;
  if (auto value = a.constant())
    return static_cast<int64_t>(*value - floorDivide(Int128(*value), Int128(*c)) * *c);
  if (*c < 0) {
    Expr negative = 0 - a;
    return *c == INT64_MIN || isOverflow(negative) ? makeCall(Kind::Mod, {a, b}) : 0 - mod(negative, -*c);
  }
  Reduced r = reduce(a, *c, false);
  if (isOverflow(r.rest))
    return overflow();
  // k*mod(x, m) may be replaced by k*x where the divisor divides k*m.
  SumView view(r.rest);
  for (const Term &t : view.terms())
    if (kind(t.base) == Kind::Mod && hasConstantDivisor(t.base)) {
      const auto &operands = node(t.base).operands;
      if (Int128(t.count) * *operands[1].constant() % r.divisor == 0) {
        Expr open = r.rest + (operands[0] - t.base) * t.count;
        if (!isOverflow(open))
          return mod(open, r.divisor) * r.gcd + r.below;
      }
    }
  if (auto value = r.rest.constant())
    return Expr(*value) * r.gcd + r.below;
  return makeCall(Kind::Mod, {r.rest, r.divisor}) * r.gcd + r.below;
}

namespace {
/// All operands of a nested call of one kind, sorted, each once.
std::vector<Expr> flatten(Kind k, const Expr &a, const Expr &b) {
  std::vector<Expr> all;
  for (const Expr *e : {&a, &b}) {
    if (kind(*e) == k)
      all.insert(all.end(), node(*e).operands.begin(), node(*e).operands.end());
    else
      all.push_back(*e);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Expr extreme(Kind k, const Expr &a, const Expr &b) {
  if (isOverflow(a) || isOverflow(b))
    return overflow();
  auto better = [k](int64_t x, int64_t y) { return k == Kind::Min ? x < y : x > y; };
  if (auto x = a.constant())
    if (auto y = b.constant())
      return better(*x, *y) ? a : b;
  if (kind(a) == Kind::Symbol && kind(b) == Kind::Symbol) { // the usual case, without the work below
    int c = compare(a, b);
    return c == 0 ? a : makeCall(k, c < 0 ? std::vector<Expr>{a, b} : std::vector<Expr>{b, a});
  }
  // Of operands that differ by a constant one remains.
  struct Part {
    Expr rest;
    int64_t constant;
    Expr whole;
  };
  std::vector<Part> parts;
  for (const Expr &e : flatten(k, a, b)) {
    SumView view(e);
    int64_t constant = view.constant();
    Expr rest = constant == 0 ? e : makeSum({view.terms().begin(), view.terms().end()}, 0);
    parts.push_back({rest, constant, e});
  }
  std::sort(parts.begin(), parts.end(), [&](const Part &x, const Part &y) {
    int c = compare(x.rest, y.rest);
    return c != 0 ? c < 0 : better(x.constant, y.constant);
  });
  std::vector<Expr> kept;
  for (size_t i = 0; i < parts.size(); ++i)
    if (i == 0 || !(parts[i].rest == parts[i - 1].rest))
      kept.push_back(parts[i].whole);
  // An operand that is the opposite extreme of something kept decides nothing: max(min(A, B), A) is A.
  Kind opposite = k == Kind::Min ? Kind::Max : Kind::Min;
  std::erase_if(kept, [&](const Expr &e) {
    if (kind(e) != opposite)
      return false;
    for (const Expr &inner : node(e).operands)
      for (const Expr &other : kept)
        if (inner == other)
          return true;
    return false;
  });
  if (kept.size() == 1)
    return kept[0];
  std::sort(kept.begin(), kept.end());
  return makeCall(k, std::move(kept));
}
} // namespace

Expr min(const Expr &a, const Expr &b) { return extreme(Kind::Min, a, b); }
Expr max(const Expr &a, const Expr &b) { return extreme(Kind::Max, a, b); }

Expr broadcast(const Expr &a, const Expr &b) {
  if (isOverflow(a) || isOverflow(b))
    return overflow();
  if (a.isConstant(1))
    return b;
  if (a.constant() || b.isConstant(1) || a == b)
    return a;
  if (b.constant())
    return b;
  std::vector<Expr> all = flatten(Kind::Broadcast, a, b);
  return all.size() == 1 ? all[0] : makeCall(Kind::Broadcast, std::move(all));
}

} // namespace pliant
