// SPDX-License-Identifier: Apache-2.0
// Random facts and questions: every answer of the solver holds for every assignment of a box that satisfies the facts.
#include "shape/random_round.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace pliant;
using namespace pliant::test;

namespace {
void run(uint64_t seed, int rounds, int maxFacts, int questions, int64_t side, bool closedBox, Counts atLeast) {
  // Longer runs with other seeds: PLIANT_SHAPE_SEED=1000 PLIANT_SHAPE_TIMES=50.
  auto number = [](const char *variable, int otherwise) {
    const char *text = std::getenv(variable);
    return text ? std::atoi(text) : otherwise;
  };
  TreeMaker maker(seed + static_cast<uint64_t>(number("PLIANT_SHAPE_SEED", 0)));
  rounds *= number("PLIANT_SHAPE_TIMES", 1);
  Counts counts;
  for (int i = 0; i < rounds; ++i)
    ASSERT_EQ(brokenRound(maker, {maxFacts, questions, side, closedBox}, counts), "");
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
