// SPDX-License-Identifier: Apache-2.0
// Random formulas: the canonical form has the plain value, prints and parses back, and its steps compute it.
#include "shape/random_round.h"
#include <gtest/gtest.h>

using namespace pliant;
using namespace pliant::test;

namespace {
TEST(ExprProperty, CanonicalValueIsPlainValue) {
  TreeMaker maker(1);
  int64_t compared = 0;
  for (int round = 0; round < 8000; ++round) {
    RandomTree tree = maker.make(3, static_cast<int>(maker.pick(1, 9)));
    for (int i = 0; i < 12; ++i) {
      std::vector<int64_t> values{maker.pick(0, 9), maker.pick(0, 9), maker.pick(0, i % 2 ? 40 : 3)};
      ASSERT_EQ(brokenValue(tree, values), "");
      compared += tree.value(values).has_value();
    }
  }
  EXPECT_GT(compared, 40000);
}

TEST(ExprProperty, PrintsAndParsesBack) {
  TreeMaker maker(2);
  for (int round = 0; round < 8000; ++round)
    ASSERT_EQ(brokenText(maker.make(4, static_cast<int>(maker.pick(0, 12))).expr), "");
}

TEST(ExprProperty, SubstitutionIsComposition) {
  TreeMaker maker(3);
  for (int round = 0; round < 3000; ++round) {
    RandomTree e = maker.make(2, 5), by = maker.make(2, 3);
    for (int i = 0; i < 6; ++i)
      ASSERT_EQ(brokenSubstitution(e, by, {maker.pick(0, 9), maker.pick(0, 9)}), "");
  }
}

TEST(ExprProperty, RandomBytesNeverBreakTheParser) {
  TreeMaker maker(4);
  const std::string alphabet = "AB09-+*(),' .?maxfloordiv";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int64_t i = maker.pick(0, 24); i > 0; --i)
      text += alphabet[static_cast<size_t>(maker.pick(0, static_cast<int64_t>(alphabet.size()) - 1))];
    if (auto e = Expr::parse(text)) {
      auto back = Expr::parse(e->str());
      ASSERT_TRUE(back && *back == *e) << text;
    }
  }
}

TEST(ExprProperty, ExtremeConstants) {
  TreeMaker maker(5);
  const int64_t extremes[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, -1, 0, 1, 2, int64_t(1) << 62};
  auto constant = [&] { return Expr(extremes[maker.pick(0, 8)]); };
  for (int round = 0; round < 4000; ++round) {
    std::vector<Expr> pool{Expr::symbol("x0"), Expr::symbol("x1"), constant(), constant(), constant()};
    for (int i = 0; i < 6; ++i) {
      const Expr a = pool[static_cast<size_t>(maker.pick(0, static_cast<int64_t>(pool.size()) - 1))],
                 b = pool[static_cast<size_t>(maker.pick(0, static_cast<int64_t>(pool.size()) - 1))];
      Expr made[] = {a + b, a - b, a * b, floorDiv(a, b), mod(a, b), min(a, b), max(a, b), broadcast(a, b)};
      int64_t which = maker.pick(0, 7);
      const Expr &e = made[which];
      auto back = Expr::parse(e.str());
      ASSERT_TRUE(back && *back == e) << e.str();
      // One operation on values agrees with the value of the canonical form where both have one.
      std::vector<int64_t> values{maker.pick(0, 3), extremes[maker.pick(0, 8)]};
      auto x = valueAt(a, values), y = valueAt(b, values), z = valueAt(e, values);
      if (x && y && z && which < 3) {
        __int128 exact = which == 0 ? __int128(*x) + *y : which == 1 ? __int128(*x) - *y : __int128(*x) * *y;
        ASSERT_TRUE(exact == *z) << e.str();
      } else if (x && y && z && which < 5 && *y != 0 && !(*x == INT64_MIN && *y == -1)) {
        int64_t q = floorDivide(*x, *y);
        ASSERT_EQ(*z, which == 3 ? q : static_cast<int64_t>(__int128(*x) - __int128(q) * *y)) << e.str();
      }
      pool.push_back(e);
    }
    Facts facts;
    const Expr &a = pool.back(), &b = pool[static_cast<size_t>(maker.pick(0, 9))];
    (void)facts.assumeRange("x1", {extremes[maker.pick(0, 8)], extremes[maker.pick(0, 8)]});
    (void)facts.assumeEqual(pool[5], pool[6]);
    (void)facts.assumeDivides(extremes[maker.pick(0, 8)], pool[7]);
    (void)facts.assumeLessEqual(pool[8], b);
    (void)facts.bounds(a);
    (void)facts.equal(a, b);
    (void)facts.lessEqual(a, b);
    (void)facts.divides(extremes[maker.pick(0, 8)], a);
    (void)facts.divideExactly(a, b);
  }
}
} // namespace
