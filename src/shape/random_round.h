// SPDX-License-Identifier: Apache-2.0
// For tests only: what the shape algebra promises, on formulas and facts that a TreeMaker draws. Each function says
// what was broken, with all that is needed to see it again, or nothing.
#pragma once
#include "shape/fact_text.h"
#include "shape/random_tree.h"

namespace pliant::test {

inline std::string textOf(const std::vector<int64_t> &values) {
  std::string text = " at ";
  for (int64_t v : values)
    text += std::to_string(v) + ",";
  return text;
}

/// The value of an expression's steps, in plain arithmetic.
inline std::optional<int64_t> valueOfSteps(const std::vector<Expr::Step> &steps, const std::vector<int64_t> &symbols) {
  std::vector<int64_t> v;
  for (const Expr::Step &s : steps) {
    int64_t a = s.lhs < 0 ? 0 : v.at(static_cast<size_t>(s.lhs)), b = s.rhs < 0 ? 0 : v.at(static_cast<size_t>(s.rhs));
    auto result = s.op == Expr::Op::Constant ? std::optional(s.value)
                  : s.op == Expr::Op::Symbol ? std::optional(symbols[static_cast<size_t>(s.symbol[1] - '0')])
                                             : plainValue(s.op, a, b);
    if (!result)
      return std::nullopt;
    v.push_back(*result);
  }
  return v.back();
}

/// Printing and parsing back is the identity.
inline std::string brokenText(const Expr &e) {
  auto back = Expr::parse(e.str());
  if (!back)
    return "'" + e.str() + "' does not parse: " + back.error().text();
  if (!(*back == e) || back->hash() != e.hash() || *back < e || e < *back || back->str() != e.str())
    return "'" + e.str() + "' became '" + back->str() + "'";
  return {};
}

/// The canonical form and its steps have the value of the plain formula.
inline std::string brokenValue(const RandomTree &tree, const std::vector<int64_t> &values) {
  auto plain = tree.value(values);
  if (!plain)
    return {};
  if (auto value = valueAt(tree.expr, values); value != plain)
    return tree.expr.str() + textOf(values) + " is " + (value ? std::to_string(*value) : "nothing") + ", not " +
           std::to_string(*plain);
  if (valueOfSteps(tree.expr.steps(), values) != plain)
    return "the steps of " + tree.expr.str() + textOf(values) + " do not give " + std::to_string(*plain);
  return {};
}

/// Substituting a formula for x0 is composition.
inline std::string brokenSubstitution(const RandomTree &e, const RandomTree &by, const std::vector<int64_t> &values) {
  auto inner = by.value(values);
  if (!inner)
    return {};
  Expr composed =
      e.expr.substitute([&](const std::string &n) { return n == "x0" ? std::optional(by.expr) : std::nullopt; });
  std::vector<int64_t> outer = values;
  outer[0] = *inner;
  auto plain = e.value(outer);
  if (plain && valueAt(composed, values) != plain)
    return e.expr.str() + " of x0 = " + by.expr.str() + textOf(values) + " gives " + composed.str() + ", not " +
           std::to_string(*plain);
  return {};
}

inline bool holds(const Facts::Fact &fact, const std::vector<int64_t> &values) {
  using Kind = Facts::Fact::Kind;
  auto a = valueAt(fact.a, values), b = valueAt(fact.b, values);
  if (!a || !b)
    return false;
  switch (fact.kind) {
  case Kind::Range:
    return *a >= fact.range.lo && *a <= fact.range.hi;
  case Kind::Equal:
    return *a == *b;
  case Kind::LessEqual:
    return *a <= *b;
  case Kind::Divides:
    return fact.divisor == 0 ? *a == 0 : *a % fact.divisor == 0;
  }
  return false;
}

struct Round {
  int maxFacts = 0;       ///< over three symbols
  int questions = 0;      ///< asked of the facts
  int64_t side = 6;       ///< symbols take [0, side)
  bool closedBox = false; ///< and the facts say so
};
struct Counts {
  int yes = 0, no = 0, divides = 0, quotients = 0, contradictions = 0, notIdempotent = 0;
};
inline constexpr int roundSymbols = 3;

inline Facts::Fact randomFact(TreeMaker &maker) {
  using Kind = Facts::Fact::Kind;
  Facts::Fact fact{static_cast<Kind>(maker.pick(0, 3)), {}, {}, {}, 0, {}};
  fact.a = maker.make(roundSymbols, static_cast<int>(maker.pick(0, 4))).expr;
  switch (fact.kind) {
  case Kind::Range:
    fact.a = Expr::symbol(RandomTree::name(maker.pick(0, roundSymbols - 1)));
    fact.range.lo = maker.pick(0, 2);
    fact.range.hi = maker.pick(1, 7);
    break;
  case Kind::Equal:
  case Kind::LessEqual:
    fact.b = maker.make(roundSymbols, static_cast<int>(maker.pick(0, 3))).expr;
    break;
  case Kind::Divides:
    fact.divisor = maker.pick(-1, 6);
    break;
  }
  return fact;
}

/// One question of every kind: each answer holds at every assignment that `all` gives.
template <class All>
std::string brokenAnswer(TreeMaker &maker, const Facts &facts, const std::vector<Facts::Fact> &given, Counts &counts,
                         All all) {
  // Products of both sides and shifted copies, so that related questions are frequent.
  Expr a = maker.make(roundSymbols, static_cast<int>(maker.pick(0, 5))).expr, b;
  switch (maker.pick(0, 3)) {
  case 0:
    b = maker.make(roundSymbols, static_cast<int>(maker.pick(0, 4))).expr;
    break;
  case 1:
    b = given.empty() ? a + 1 : a + (given.back().a - given.back().b) * maker.pick(1, 2);
    break;
  case 2:
    b = a * maker.make(roundSymbols, 1).expr;
    break;
  case 3:
    b = maker.make(roundSymbols, 1).expr;
    a = a * b;
    break;
  }
  const Expr canonical = facts.canonical(a);
  counts.notIdempotent += !(facts.canonical(canonical) == canonical);
  const Interval bounds = facts.bounds(a);
  const Proof equal = facts.equal(a, b), less = facts.lessEqual(a, b);
  const int64_t divisor = maker.pick(1, 6);
  const bool divides = facts.divides(divisor, a);
  const auto quotient = facts.divideExactly(a, b);
  counts.yes += (equal == Proof::Yes) + (less == Proof::Yes);
  counts.no += (equal == Proof::No) + (less == Proof::No);
  counts.divides += divides && divisor > 1;
  counts.quotients += quotient.has_value();
  std::string broken;
  all([&](const std::vector<int64_t> &values) {
    auto x = valueAt(a, values), y = valueAt(b, values);
    if (!x || !broken.empty())
      return;
    auto wrong = [&](const std::string &what) {
      broken = what + " is wrong of a = " + a.str() + ", b = " + b.str() + textOf(values);
    };
    if (auto c = valueAt(canonical, values); c && *c != *x)
      return wrong("the canonical form " + canonical.str());
    if (*x < bounds.lo || *x > bounds.hi)
      return wrong("the range [" + std::to_string(bounds.lo) + ", " + std::to_string(bounds.hi) + "]");
    if (divides && *x % divisor != 0)
      return wrong(std::to_string(divisor) + " divides a");
    if (!y)
      return;
    if (equal != Proof::Unknown && (equal == Proof::Yes) != (*x == *y))
      return wrong("'equal'");
    if (less != Proof::Unknown && (less == Proof::Yes) != (*x <= *y))
      return wrong("'less or equal'");
    if (quotient)
      if (auto z = valueAt(*quotient, values); z && *x != *y * *z)
        wrong("the quotient " + quotient->str());
  });
  return broken;
}

/// Facts that are assumed one after the other, then questions.
inline std::string brokenRound(TreeMaker &maker, const Round &shape, Counts &counts) {
  Facts facts;
  std::vector<Facts::Fact> given;
  std::string context = "facts ";
  if (shape.closedBox)
    for (int i = 0; i < roundSymbols; ++i) {
      given.push_back({Facts::Fact::Kind::Range, Expr::symbol(RandomTree::name(i)), {}, {0, shape.side - 1}, 0, {}});
      if (!assume(facts, given.back()))
        return "a first range is refused";
    }
  auto all = [&](auto f) {
    forEachAssignment(roundSymbols, shape.side, [&](const std::vector<int64_t> &values) {
      for (const Facts::Fact &fact : given)
        if (!holds(fact, values))
          return;
      f(values);
    });
  };
  for (int64_t i = maker.pick(0, shape.maxFacts); i > 0; --i) {
    const Facts::Fact fact = randomFact(maker);
    if (assume(facts, fact)) {
      given.push_back(fact);
      context += fact.str() + "; ";
      continue; // an earlier fact must still stand beside one that was refused
    }
    ++counts.contradictions;
    std::string broken;
    all([&](const std::vector<int64_t> &values) {
      if (holds(fact, values))
        broken = context + "rejected " + fact.str() + ", which holds" + textOf(values);
    });
    if (!broken.empty())
      return broken;
  }
  for (int q = 0; q < shape.questions; ++q)
    if (std::string broken = brokenAnswer(maker, facts, given, counts, all); !broken.empty())
      return context + broken;
  return {};
}

} // namespace pliant::test
