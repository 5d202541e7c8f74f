// SPDX-License-Identifier: Apache-2.0
// Symbolic extents: canonical forms, text, values, and random trees against a plain evaluation.
#include "shape/expr.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace pliant;

namespace {
const Expr A = Expr::symbol("A"), B = Expr::symbol("B"), S = Expr::symbol("S"), W = Expr::symbol("W");

Expr read(std::string_view text) {
  auto e = Expr::parse(text);
  EXPECT_TRUE(e) << (e ? "" : e.error().text());
  return e ? *e : Expr();
}
Result<int64_t> valueOf(const Expr &e, const std::map<std::string, int64_t> &values) {
  return e.evaluate([&](const std::string &name) -> std::optional<int64_t> {
    auto it = values.find(name);
    return it == values.end() ? std::nullopt : std::optional(it->second);
  });
}

TEST(Expr, CanonicalForms) {
  EXPECT_EQ((S + S + 1).str(), "2*S+1");
  EXPECT_EQ((floorDiv(W - 1, 2) + 1).str(), "floordiv(W-1, 2)+1");
  EXPECT_EQ(max(B, A).str(), "max(A, B)");
  EXPECT_EQ(broadcast(B, A).str(), "broadcast(A, B)");
  EXPECT_EQ(A * B, B * A);
  EXPECT_EQ((A + B) * (A - B), A * A - B * B);
  EXPECT_EQ((A - A), Expr(0));
  EXPECT_EQ((A * 0), Expr(0));
  EXPECT_EQ((0 - A - 3).str(), "-A-3");
  EXPECT_EQ((A * A * B + B * 2 + A).str(), "A*A*B+A+2*B");
  EXPECT_TRUE(S.symbolName() == "S");
  EXPECT_FALSE((S + 1).symbolName());
}

TEST(Expr, FloorDivAndMod) {
  EXPECT_EQ(floorDiv(S * 2 + 4, 2), S + 2);
  EXPECT_EQ(floorDiv(S * 2 + 5, 2), S + 2);
  EXPECT_EQ(floorDiv(S * 4 + 3, 8), floorDiv(S, 2));
  EXPECT_EQ(floorDiv(floorDiv(W, 2), 3), floorDiv(W, 6));
  EXPECT_EQ(floorDiv(floorDiv(W - 1, 2) + 1 - 1, 2) + 1, floorDiv(W - 1, 4) + 1);
  EXPECT_EQ(ceilDiv(W, 2), floorDiv(W - 1, 2) + 1);
  EXPECT_EQ(floorDiv(W, -2), floorDiv(0 - W, 2));
  EXPECT_EQ(floorDiv(-7, 2), Expr(-4));
  EXPECT_EQ(mod(-7, 2), Expr(1));
  EXPECT_EQ(mod(S * 2 + 5, 2), Expr(1));
  EXPECT_EQ(mod(S * 4 + 3, 8), mod(S, 2) * 4 + 3);
  EXPECT_EQ(mod(mod(S, 8) + 3, 4), mod(S + 3, 4));
  EXPECT_EQ(floorDiv(S, 0).str(), "floordiv(S, 0)");
  EXPECT_EQ(floorDiv(S * B, B).str(), "floordiv(B*S, B)");
}

TEST(Expr, Extremes) {
  EXPECT_EQ(max(A, A + 1), A + 1);
  EXPECT_EQ(min(A, A + 1), A);
  EXPECT_EQ(max(max(A, B), max(B, S)).str(), "max(A, B, S)");
  EXPECT_EQ(max(max(A, 3), 7), max(7, A));
  EXPECT_EQ(max(min(A, B), A), A);
  EXPECT_EQ(broadcast(1, A), A);
  EXPECT_EQ(broadcast(A, A), A);
  EXPECT_EQ(broadcast(A, 5), Expr(5));
  EXPECT_EQ(broadcast(A, 0), Expr(0));
  EXPECT_EQ(broadcast(broadcast(A, B), A), broadcast(B, A));
}

TEST(Expr, Text) {
  for (const char *text : {"0", "-9223372036854775808", "-9223372036854775808*A", "A-9223372036854775808", "x.1", "?0",
                           "'a-b'", "'it''s'", "''", "'max'", "'2'", "2*A*A+floordiv(B, S)", "min(A, B, 3)"})
    EXPECT_EQ(read(read(text).str()), read(text)) << text;
  EXPECT_EQ(Expr::symbol("a-b").str(), "'a-b'");
  EXPECT_EQ(Expr::symbol("x.1:0").str(), "x.1:0");
  EXPECT_EQ(Expr::symbol("it's").str(), "'it''s'");
  EXPECT_EQ(read(" 2 * ( A + 1 ) - 3* -B"), A * 2 + 2 + B * 3);
  EXPECT_EQ(str(Extents{B, S * 2 + 1, 64}), "(B, 2*S+1, 64)");
  for (const char *bad : {"", "A+", "(A", "A B", "max(A)", "floordiv(A,B,S)", "9223372036854775808", "max", "'a", "A)",
                          "#", "A*/B", "--A"})
    EXPECT_FALSE(Expr::parse(bad)) << bad;
  EXPECT_FALSE(Expr::parse(std::string(100000, '(')));
  std::string nested = "A";
  for (int i = 0; i < 5000; ++i)
    nested = "floordiv(" + nested + ",B)";
  EXPECT_FALSE(Expr::parse(nested));
}

TEST(Expr, Overflow) {
  Expr big = A * INT64_MAX;
  Expr over = big + big;
  EXPECT_FALSE(over.constant());
  EXPECT_FALSE(valueOf(over, {{"A", 0}}));
  EXPECT_EQ(over.str(), "overflow()");
  EXPECT_EQ(read(over.str()), over);
  EXPECT_FALSE(valueOf(over * 0 + 1, {{"A", 1}}));
  EXPECT_FALSE(valueOf(big, {{"A", 2}}));
  EXPECT_EQ(*valueOf(big, {{"A", 1}}), INT64_MAX);
  Expr power = A;
  for (int i = 0; i < 40; ++i)
    power = power * power;
  EXPECT_FALSE(valueOf(power, {{"A", 1}}));
  Expr deep = A;
  for (int i = 0; i < 100000; ++i)
    deep = floorDiv(deep + 1, B);
  EXPECT_FALSE(valueOf(deep, {{"A", 1}, {"B", 1}}));
  Expr grows = A;
  for (int i = 0; i < 100; ++i)
    grows = max(grows * A, grows + B);
  EXPECT_LT(grows.str().size(), size_t(1) << 20);
  EXPECT_FALSE(valueOf(floorDiv(Expr(INT64_MIN), -1), {}));
}

TEST(Expr, Values) {
  EXPECT_EQ(valueOf(A, {}).error().text(), "[shape] symbol A has no value");
  EXPECT_FALSE(valueOf(floorDiv(A, B), {{"A", 1}, {"B", 0}}));
  EXPECT_FALSE(valueOf(mod(A, B), {{"A", 1}, {"B", 0}}));
  EXPECT_FALSE(valueOf(broadcast(A, B), {{"A", 2}, {"B", 3}}));
  EXPECT_EQ(*valueOf(broadcast(A, B), {{"A", 0}, {"B", 1}}), 0);
  EXPECT_EQ((A + B * 2).substitute([](const std::string &n) -> std::optional<Expr> {
    return n == "A" ? std::optional(B * 3) : std::nullopt;
  }),
            B * 5);
  EXPECT_EQ((floorDiv(A, B) + S).symbols(), (std::vector<std::string>{"A", "B", "S"}));
}
} // namespace
