// SPDX-License-Identifier: Apache-2.0
// The solver: what it must prove, what it must reject, and random answers against brute force.
#include "shape/facts.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace pliant;

namespace {
const Expr A = Expr::symbol("A"), B = Expr::symbol("B"), S = Expr::symbol("S"), P = Expr::symbol("P"),
           T = Expr::symbol("T"), H = Expr::symbol("H"), D = Expr::symbol("D"), M = Expr::symbol("M"),
           N = Expr::symbol("N"), W = Expr::symbol("W");

#define ASSUME(...)                                                                                                    \
  do {                                                                                                                 \
    auto status = (__VA_ARGS__);                                                                                       \
    EXPECT_TRUE(status) << status.error().text();                                                                      \
  } while (0)

TEST(Facts, DefaultBounds) {
  Facts f;
  EXPECT_EQ(f.bounds(S).lo, 0);
  EXPECT_EQ(f.bounds(S).hi, int64_t(1) << 47);
  EXPECT_TRUE(f.atLeast(S * B + 1, 1));
  EXPECT_EQ(f.lessEqual(S, S * 2), Proof::Yes);
  EXPECT_EQ(f.lessEqual(S + 1, S), Proof::No);
  EXPECT_EQ(f.lessEqual(S, B), Proof::Unknown);
  EXPECT_EQ(f.lessEqual(A, max(A, B)), Proof::Yes);
  EXPECT_EQ(f.lessEqual(min(A, B), max(A, B)), Proof::Yes);
  EXPECT_EQ(f.lessEqual(floorDiv(S, 2) * 2, S), Proof::Yes);
  EXPECT_EQ(f.lessEqual(floorDiv(S, 2), S), Proof::Yes);
  EXPECT_EQ(f.lessEqual(mod(S, 4), 3), Proof::Yes);
  EXPECT_EQ(f.lessEqual(mod(S, 4), S), Proof::Yes);
  EXPECT_EQ(f.lessEqual(floorDiv(A, B) * B, A), Proof::Yes);
  EXPECT_EQ(f.equal(floorDiv(S, 4) * 4 + mod(S, 4), S), Proof::Yes);
  EXPECT_EQ(f.equal(floorDiv(A, B) * B + mod(A, B), A), Proof::Yes);
  EXPECT_EQ(f.equal(min(A, B) + max(A, B), A + B), Proof::Yes);
  EXPECT_EQ(f.equal(S * 2, B * 2 + 1), Proof::No);
}

TEST(Facts, SplitAndJoin) {
  Facts f;
  ASSUME(f.assumeEqual(T, P + S, "cache"));
  EXPECT_EQ(f.equal(T - P, S), Proof::Yes);
  EXPECT_EQ(f.lessEqual(P, T), Proof::Yes);
  EXPECT_EQ(f.equal(T * B, P * B + S * B), Proof::Yes);
}

TEST(Facts, WhatAnExtremeIsEqualTo) {
  Facts f; // k <= n, as a recorder writes it, before k is found to be a product that is another one
  ASSUME(f.assumeEqual(max(0, N - M), 0));
  EXPECT_EQ(f.lessEqual(N, M), Proof::Yes);
  ASSUME(f.assumeEqual(N, A * B));
  ASSUME(f.assumeEqual(A * B, S * T));
  EXPECT_EQ(f.equal(max(0, N - M), 0), Proof::Yes);
  EXPECT_EQ(f.lessEqual(S * T, M), Proof::Yes);
  EXPECT_EQ(f.lessEqual(N + 1, M), Proof::Unknown);
  EXPECT_FALSE(f.assumeLessEqual(M + 1, S * T));
  Facts g;
  ASSUME(g.assumeEqual(min(A, B), S + 2));
  EXPECT_EQ(g.lessEqual(S + 2, A), Proof::Yes);
  EXPECT_EQ(g.lessEqual(2, B), Proof::Yes);
}

TEST(Facts, ProductsWithinCallsAreRewritten) {
  Facts f;
  ASSUME(f.assumeEqual(floorDiv(A * B, 3), P));
  ASSUME(f.assumeEqual(min(A * B, H), D));
  ASSUME(f.assumeEqual(A * B, S * T));
  EXPECT_EQ(f.equal(floorDiv(S * T, 3), P), Proof::Yes);
  EXPECT_EQ(f.equal(floorDiv(A * B, 3), P), Proof::Yes);
  EXPECT_EQ(f.equal(min(S * T, H), D), Proof::Yes);
}

TEST(Facts, Heads) {
  Facts f;
  ASSUME(f.assumeEqual(H * D, 768));
  EXPECT_EQ(f.equal(B * H * S * D, B * S * 768), Proof::Yes);
  EXPECT_TRUE(f.divideExactly(B * S * 768, H) == B * S * D);
  Facts g;
  ASSUME(g.assumeEqual(M, H * D));
  EXPECT_TRUE(g.divideExactly(B * M, H) == B * D);
  EXPECT_TRUE(g.divideExactly(S * 768, 768) == S);
  EXPECT_FALSE(g.divideExactly(S, 768));
  Facts h;
  ASSUME(h.assumeEqual(B * S * 2, N * 4));
  EXPECT_EQ(h.equal(B * S, N * 2), Proof::Yes);
  Facts k;
  ASSUME(k.assumeEqual(A * 2, B * 3));
  EXPECT_EQ(k.equal(A * S * 2, B * S * 3), Proof::Yes);
  EXPECT_EQ(k.equal(A * 4 + 1, B * 6 + 1), Proof::Yes);
}

TEST(Facts, Congruences) {
  Facts f;
  ASSUME(f.assumeDivides(8, S));
  EXPECT_TRUE(f.divides(4, S * 3 + 4));
  EXPECT_FALSE(f.divides(16, S));
  EXPECT_TRUE(f.divides(16, S * B * 2));
  EXPECT_EQ(f.equal(floorDiv(S, 8) * 8, S), Proof::Yes);
  EXPECT_EQ(f.equal(floorDiv(S, 2) * 4, S * 2), Proof::Yes);
  EXPECT_EQ(f.canonical(mod(S + 3, 4)), Expr(3));
  EXPECT_TRUE(f.divideExactly(S, 2) == floorDiv(S, 2));
  EXPECT_EQ(f.equal(S, 12), Proof::No);
  Facts g;
  ASSUME(g.assumeEqual(mod(S, 4), 0));
  EXPECT_TRUE(g.divides(4, S));
  ASSUME(g.assumeDivides(6, A + B));
  EXPECT_TRUE(g.divides(3, A * S + B * S));
}

TEST(Facts, Inequalities) {
  Facts f;
  ASSUME(f.assumeLessEqual(A, B));
  ASSUME(f.assumeLessEqual(B, S));
  EXPECT_EQ(f.lessEqual(A, S), Proof::Yes);
  EXPECT_EQ(f.lessEqual(A * W, S * W), Proof::Yes);
  EXPECT_EQ(f.lessEqual(S + 1, A), Proof::No);
  ASSUME(f.assumeLessEqual(3, A));
  EXPECT_TRUE(f.atLeast(S, 3));
  EXPECT_EQ(f.canonical(max(A, S)), S);
  EXPECT_EQ(f.lessEqual(B, B * S), Proof::Yes);
}

TEST(Facts, WiderRanges) {
  Facts f;
  ASSUME(f.assumeRange("A", {-5, 5}));
  EXPECT_EQ(f.lessEqual(0, A), Proof::Unknown);
  EXPECT_EQ(f.lessEqual(-5, A), Proof::Yes);
  EXPECT_EQ(f.bounds(A * A).lo, 0);
  ASSUME(f.assumeRange("A", {-9, 3}));
  EXPECT_EQ(f.bounds(A).lo, -5);
  EXPECT_EQ(f.bounds(A).hi, 3);
  ASSUME(f.assumeLessEqual(B, S));
  EXPECT_FALSE(f.assumeRange("B", {-5, -1})); // B counted as an extent already
  ASSUME(f.assumeRange("W", {7, INT64_MAX}));
  EXPECT_EQ(f.bounds(W).hi, int64_t(1) << 47);
}

TEST(Facts, EqualityOfManyTerms) {
  Facts f;
  Expr sum = 0;
  for (int i = 0; i < 600; ++i)
    sum = sum + Expr::symbol("s" + std::to_string(i)) * 2;
  ASSUME(f.assumeEqual(sum, T * 2));
  EXPECT_EQ(f.equal(T * 4, sum * 2), Proof::Yes);
}

TEST(Facts, NothingIsProvedOfOverflow) {
  Facts f;
  Expr over = A * INT64_MAX * 2;
  EXPECT_EQ(f.equal(over, over), Proof::Unknown);
  EXPECT_EQ(f.lessEqual(over, over), Proof::Unknown);
  EXPECT_FALSE(f.divides(2, over));
  EXPECT_FALSE(f.divideExactly(over, 2));
  ASSUME(f.assumeEqual(over, 3));
  EXPECT_EQ(f.bounds(over).lo, INT64_MIN);
}

TEST(Facts, Contradictions) {
  Facts f;
  ASSUME(f.assumeEqual(A, 4, "input x, axis 0"));
  auto status = f.assumeEqual(A, 5, "input y, axis 0");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text(), "[shape] A == 5 (input y, axis 0) contradicts what is known: A is 4, 5 is 5\n"
                                   "  hint: known before: A == 4 (input x, axis 0)");
  EXPECT_EQ(f.all().size(), 1u);
  EXPECT_EQ(f.equal(A, 4), Proof::Yes);
  EXPECT_FALSE(f.assumeRange("A", {5, 9}));
  EXPECT_FALSE(f.assumeDivides(3, A));
  EXPECT_FALSE(f.assumeLessEqual(5, A));
  ASSUME(f.assumeRange("B", {2, 3}));
  EXPECT_FALSE(f.assumeEqual(A, B * 3));
  EXPECT_FALSE(f.assumeEqual(A * 2, B * 4 + 1));
}
} // namespace
