// SPDX-License-Identifier: Apache-2.0
// Facts as text: every kind prints and parses back, what is written otherwise means what it says, the rest is refused.
#include "shape/fact_text.h"
#include <gtest/gtest.h>
#include <random>

using namespace pliant;

namespace {

std::string parsed(std::string_view text) {
  auto fact = parseFact(text);
  return fact ? textOf(*fact) : fact.error().text();
}

TEST(FactText, MeansWhatItSays) {
  EXPECT_EQ(parsed("n<=512"), "n <= 512");
  EXPECT_EQ(parsed(" n >= 1 "), "1 <= n");
  EXPECT_EQ(parsed("n < 8"), "n+1 <= 8");
  EXPECT_EQ(parsed("n > m"), "m+1 <= n");
  EXPECT_EQ(parsed("m == n * 2"), "m == 2*n");
  EXPECT_EQ(parsed("4 divides n+2"), "4 divides n+2");
  EXPECT_EQ(parsed("n is in [1, 512]"), "n is in [1, 512]");
  EXPECT_EQ(parsed("n is at least -3"), "n is at least -3");
  EXPECT_EQ(parsed("n is at most 9"), "n is at most 9");
  EXPECT_EQ(parsed("n is 7"), "n is 7");
  EXPECT_EQ(parsed("'a <= b' == ' is '"), "'a <= b' == ' is '"); // names may hold anything
}

TEST(FactText, RefusesTheRest) {
  for (const char *text : {"", "n", "n = 3", "n <= ", "<= 3", "n <= 3 <= 4", "0 divides n", "-2 divides n",
                           "x divides n", "2*n is 4", "n is in [1 2]", "n is in [1, 2", "n is big", "'n <= 3",
                           "n <= 99999999999999999999", "n is 99999999999999999999"})
    EXPECT_FALSE(parseFact(text)) << text << " reads as " << parsed(text);
}

TEST(FactText, EveryKindPrintsAndParsesBack) {
  std::mt19937_64 random(7);
  const std::vector<std::string> names{"n", "m", "x.0", "it's", "a <= b"};
  for (int round = 0; round < 2000; ++round) {
    auto expr = [&] {
      Expr e = static_cast<int64_t>(random() % 9) - 4;
      for (uint64_t terms = random() % 3 + 1; terms-- > 0;) {
        const Expr symbol = Expr::symbol(names[random() % names.size()]);
        e = random() % 2 ? e + symbol * static_cast<int64_t>(random() % 5 + 1) : max(floorDiv(e, 3), symbol);
      }
      return e;
    };
    Facts::Fact fact{static_cast<Facts::Fact::Kind>(random() % 4), expr(), {}, {}, 0, {}};
    if (fact.kind == Facts::Fact::Kind::Range) {
      fact.a = Expr::symbol(names[random() % names.size()]);
      if (random() % 4)
        fact.range.lo = static_cast<int64_t>(random() % 100) - 50;
      if (random() % 4)
        fact.range.hi = static_cast<int64_t>(random() % 100) + 50;
    } else if (fact.kind == Facts::Fact::Kind::Divides) {
      fact.divisor = static_cast<int64_t>(random() % 9) + 1;
    } else {
      fact.b = expr();
    }
    auto again = parseFact(textOf(fact));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(textOf(*again), textOf(fact));
    EXPECT_EQ(again->kind, fact.kind);
    EXPECT_TRUE(again->a == fact.a && again->b == fact.b) << textOf(fact);
  }
}

TEST(FactText, ResiduesAreZeroExactlyWhereTheFactHolds) {
  struct Sample {
    const char *text;
    bool (*holds)(int64_t n, int64_t m);
  };
  const Sample samples[] = {
      {"n <= m", [](int64_t n, int64_t m) { return n <= m; }},
      {"n == 2*m", [](int64_t n, int64_t m) { return n == 2 * m; }},
      {"3 divides n+m", [](int64_t n, int64_t m) { return (n + m) % 3 == 0; }},
      {"n is in [2, 5]", [](int64_t n, int64_t) { return n >= 2 && n <= 5; }},
      {"m is at least 4", [](int64_t, int64_t m) { return m >= 4; }},
      {"n > m", [](int64_t n, int64_t m) { return n > m; }},
  };
  for (const Sample &sample : samples)
    for (int64_t n = 0; n < 9; ++n)
      for (int64_t m = 0; m < 9; ++m) {
        bool zero = true;
        for (const Expr &residue : residuesOf(*parseFact(sample.text)))
          zero &= *residue.evaluate([&](const std::string &name) { return std::optional(name == "n" ? n : m); }) == 0;
        EXPECT_EQ(zero, sample.holds(n, m)) << sample.text << " at n=" << n << ", m=" << m;
      }
}

TEST(FactText, AssumedFactsFollowAndOthersDoNot) {
  const char *texts[] = {"n <= m", "k == 2*n", "3 divides m", "n is in [2, 50]"};
  Facts none, facts;
  for (const char *text : texts) {
    EXPECT_FALSE(follows(none, *parseFact(text))) << text;
    ASSERT_TRUE(assume(facts, *parseFact(text))) << text;
  }
  for (const char *text : texts)
    EXPECT_TRUE(follows(facts, *parseFact(text))) << text;
  EXPECT_TRUE(follows(facts, *parseFact("k <= 2*m")));
  EXPECT_FALSE(follows(facts, *parseFact("m <= n")));
  EXPECT_FALSE(assume(facts, *parseFact("k > 100")));
  EXPECT_EQ(symbolsOf(*parseFact("k == 2*n+k")), (std::vector<std::string>{"k", "n"}));
}

} // namespace
