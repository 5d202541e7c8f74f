// SPDX-License-Identifier: Apache-2.0
// Random facts and questions: every answer of the solver holds for every assignment of a box that satisfies the facts.
#include "shape/facts.h"
#include "shape/random_tree.h"
#include <gtest/gtest.h>

using namespace pliant;
using namespace pliant::test;

namespace {
using Fact = Facts::Fact;

bool holds(const Fact &fact, const std::vector<int64_t> &values) {
  auto a = valueAt(fact.a, values), b = valueAt(fact.b, values);
  if (!a || !b)
    return false;
  switch (fact.kind) {
  case Fact::Kind::Range:
    return *a >= fact.range.lo && *a <= fact.range.hi;
  case Fact::Kind::Equal:
    return *a == *b;
  case Fact::Kind::LessEqual:
    return *a <= *b;
  case Fact::Kind::Divides:
    return fact.divisor == 0 ? *a == 0 : *a % fact.divisor == 0;
  }
  return false;
}

struct Counts {
  int yes = 0, no = 0, divides = 0, quotients = 0, contradictions = 0, notIdempotent = 0;
};

/// One round: up to `maxFacts` facts over three symbols in [0, side), then questions.
void round(TreeMaker &maker, int maxFacts, int questions, int64_t side, bool closedBox, Counts &counts) {
  constexpr int symbols = 3;
  Facts facts;
  std::vector<Fact> given;
  if (closedBox)
    for (int i = 0; i < symbols; ++i) {
      ASSERT_TRUE(facts.assumeRange(RandomTree::name(i), {0, side - 1}));
      given.push_back({Fact::Kind::Range, Expr::symbol(RandomTree::name(i)), {}, {0, side - 1}, 0, {}});
    }
  auto all = [&](auto f) {
    forEachAssignment(symbols, side, [&](const std::vector<int64_t> &values) {
      for (const Fact &fact : given)
        if (!holds(fact, values))
          return;
      f(values);
    });
  };
  std::string context;
  for (int64_t i = maker.pick(0, maxFacts); i > 0; --i) {
    Fact fact{static_cast<Fact::Kind>(maker.pick(0, 3)), {}, {}, {}, 0, {}};
    fact.a = maker.make(symbols, static_cast<int>(maker.pick(0, 4))).expr;
    bool accepted = true;
    switch (fact.kind) {
    case Fact::Kind::Range:
      fact.a = Expr::symbol(RandomTree::name(maker.pick(0, symbols - 1)));
      fact.range.lo = maker.pick(0, 2);
      fact.range.hi = maker.pick(1, 7);
      accepted = bool(facts.assumeRange(*fact.a.symbolName(), fact.range));
      break;
    case Fact::Kind::Equal:
    case Fact::Kind::LessEqual:
      fact.b = maker.make(symbols, static_cast<int>(maker.pick(0, 3))).expr;
      accepted = bool(fact.kind == Fact::Kind::Equal ? facts.assumeEqual(fact.a, fact.b)
                                                     : facts.assumeLessEqual(fact.a, fact.b));
      break;
    case Fact::Kind::Divides:
      fact.divisor = maker.pick(-1, 6);
      accepted = bool(facts.assumeDivides(fact.divisor, fact.a));
      break;
    }
    if (!accepted) {
      ++counts.contradictions;
      all([&](const auto &values) {
        ASSERT_FALSE(holds(fact, values)) << context << "rejected " << fact.str() << " but holds at " << values[0]
                                          << "," << values[1] << "," << values[2];
      });
      continue; // the earlier facts must still stand
    }
    given.push_back(fact);
    context += fact.str() + "; ";
  }
  for (int q = 0; q < questions; ++q) {
    // Products of both sides and shifted copies, so that related questions are frequent.
    Expr a = maker.make(symbols, static_cast<int>(maker.pick(0, 5))).expr, b;
    switch (maker.pick(0, 3)) {
    case 0:
      b = maker.make(symbols, static_cast<int>(maker.pick(0, 4))).expr;
      break;
    case 1:
      b = given.empty() ? a + 1 : a + (given.back().a - given.back().b) * maker.pick(1, 2);
      break;
    case 2:
      b = a * maker.make(symbols, 1).expr;
      break;
    case 3:
      b = maker.make(symbols, 1).expr;
      a = a * b;
      break;
    }
    Expr canonical = facts.canonical(a);
    counts.notIdempotent += !(facts.canonical(canonical) == canonical);
    Interval bounds = facts.bounds(a);
    Proof equal = facts.equal(a, b), less = facts.lessEqual(a, b);
    int64_t divisor = maker.pick(1, 6);
    bool divides = facts.divides(divisor, a);
    auto quotient = facts.divideExactly(a, b);
    counts.yes += (equal == Proof::Yes) + (less == Proof::Yes);
    counts.no += (equal == Proof::No) + (less == Proof::No);
    counts.divides += divides && divisor > 1;
    counts.quotients += quotient.has_value();
    all([&](const auto &values) {
      auto at = [&] {
        std::string v = "facts " + context + "a = " + a.str() + ", b = " + b.str() + " at ";
        for (int64_t x : values)
          v += std::to_string(x) + ",";
        return v;
      };
      auto x = valueAt(a, values), y = valueAt(b, values);
      if (!x)
        return;
      if (auto c = valueAt(canonical, values))
        ASSERT_EQ(*c, *x) << at() << " canonical " << canonical.str();
      ASSERT_GE(*x, bounds.lo) << at();
      ASSERT_LE(*x, bounds.hi) << at();
      ASSERT_TRUE(!divides || *x % divisor == 0) << at() << " divisor " << divisor;
      if (!y)
        return;
      ASSERT_TRUE(equal == Proof::Unknown || (equal == Proof::Yes) == (*x == *y)) << at() << " equal";
      ASSERT_TRUE(less == Proof::Unknown || (less == Proof::Yes) == (*x <= *y)) << at() << " lessEqual";
      if (quotient)
        if (auto z = valueAt(*quotient, values))
          ASSERT_EQ(*x, *y * *z) << at() << " quotient " << quotient->str();
    });
  }
}

void run(uint64_t seed, int rounds, int maxFacts, int questions, int64_t side, bool closedBox, Counts atLeast) {
  // Longer runs with other seeds: PLIANT_SHAPE_SEED=1000 PLIANT_SHAPE_TIMES=50.
  auto number = [](const char *variable, int otherwise) {
    const char *text = std::getenv(variable);
    return text ? std::atoi(text) : otherwise;
  };
  TreeMaker maker(seed + static_cast<uint64_t>(number("PLIANT_SHAPE_SEED", 0)));
  rounds *= number("PLIANT_SHAPE_TIMES", 1);
  Counts counts;
  for (int i = 0; i < rounds && !testing::Test::HasFatalFailure(); ++i)
    round(maker, maxFacts, questions, side, closedBox, counts);
  EXPECT_EQ(counts.notIdempotent, 0);
  // A solver that answers "unknown" to everything would pass the rest.
  EXPECT_GE(counts.yes, atLeast.yes);
  EXPECT_GE(counts.no, atLeast.no);
  EXPECT_GE(counts.divides, atLeast.divides);
  EXPECT_GE(counts.quotients, atLeast.quotients);
  EXPECT_GE(counts.contradictions, atLeast.contradictions);
}

TEST(FactsProperty, NoFacts) { run(11, 300, 0, 4, 6, false, {400, 400, 90, 250, 0}); }
TEST(FactsProperty, FewFactsClosedBox) { run(12, 300, 2, 3, 6, true, {350, 200, 90, 220, 30}); }
TEST(FactsProperty, FewFactsOpenBox) { run(13, 300, 2, 3, 6, false, {350, 200, 70, 220, 25}); }
TEST(FactsProperty, ManyFacts) { run(14, 200, 7, 3, 6, false, {250, 160, 70, 150, 80}); }
TEST(FactsProperty, ManyFactsClosedBox) { run(15, 250, 7, 3, 5, true, {350, 200, 100, 180, 110}); }
} // namespace
