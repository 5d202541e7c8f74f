// SPDX-License-Identifier: Apache-2.0
// For tests only: random extent formulas kept as plain trees beside their canonical form, with the plain value.
#pragma once
#include "shape/expr.h"
#include <memory>
#include <random>
#include <span>
#include <vector>

namespace pliant::test {

inline int64_t floorDivide(int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); }

/// One operation in plain arithmetic; nothing where it overflows, divides by zero or broadcasts unequal extents.
inline std::optional<int64_t> plainValue(Expr::Op op, int64_t a, int64_t b) {
  switch (op) {
  case Expr::Op::Add:
    return a + b;
  case Expr::Op::Mul:
    return __builtin_mul_overflow(a, b, &a) ? std::nullopt : std::optional(a);
  case Expr::Op::FloorDiv:
    return b == 0 ? std::nullopt : std::optional(floorDivide(a, b));
  case Expr::Op::Mod:
    return b == 0 ? std::nullopt : std::optional(a - b * floorDivide(a, b));
  case Expr::Op::Min:
    return std::min(a, b);
  case Expr::Op::Max:
    return std::max(a, b);
  case Expr::Op::Broadcast:
    return a != b && a != 1 && b != 1 ? std::nullopt : std::optional(a == 1 ? b : a);
  default:
    return std::nullopt; // a leaf
  }
}

/// Nodes 0.. of a formula over symbols x0, x1, ...; every operation has an earlier left and right operand.
struct RandomTree {
  struct Item {
    Expr::Op op;
    int64_t value;
    int lhs, rhs;
    bool subtract = false;
  };
  std::vector<Item> items;
  Expr expr;

  static std::string name(int64_t symbol) { return "x" + std::to_string(symbol); }

  /// Nothing where the plain evaluation divides by zero or broadcasts unequal extents.
  std::optional<int64_t> value(const std::vector<int64_t> &symbols) const {
    std::vector<int64_t> v;
    for (const Item &i : items) {
      int64_t a = i.lhs < 0 ? 0 : v[static_cast<size_t>(i.lhs)], b = i.rhs < 0 ? 0 : v[static_cast<size_t>(i.rhs)];
      auto result = i.op == Expr::Op::Constant ? std::optional(i.value)
                    : i.op == Expr::Op::Symbol ? std::optional(symbols[static_cast<size_t>(i.value)])
                                               : plainValue(i.op, a, i.subtract ? -b : b);
      if (!result)
        return std::nullopt;
      v.push_back(*result);
      if (v.back() > (int64_t(1) << 60) || v.back() < -(int64_t(1) << 60))
        return std::nullopt;
    }
    return v.back();
  }
};

class TreeMaker {
public:
  explicit TreeMaker(uint64_t seed) : random(seed) {}
  /// A fuzzer's bytes decide; when they are used up every pick is the lowest.
  explicit TreeMaker(std::span<const uint8_t> bytes) : given(bytes) {}

  int64_t pick(int64_t lo, int64_t hi) {
    const uint64_t count = static_cast<uint64_t>(hi - lo + 1);
    if (!given)
      return lo + static_cast<int64_t>(random() % count);
    uint64_t value = 0;
    for (uint64_t most = 1; most < count && !given->empty(); most <<= 8, given = given->subspan(1))
      value = value << 8 | given->front();
    return lo + static_cast<int64_t>(value % count);
  }

  RandomTree make(int symbols, int operations) {
    RandomTree tree;
    tree.expr = grow(tree, symbols, operations);
    return tree;
  }

private:
  std::mt19937_64 random;
  std::optional<std::span<const uint8_t>> given;

  Expr grow(RandomTree &tree, int symbols, int operations) {
    if (operations == 0) {
      bool constant = pick(0, 2) == 0;
      int64_t v = constant ? pick(-3, 6) : pick(0, symbols - 1);
      tree.items.push_back({constant ? Expr::Op::Constant : Expr::Op::Symbol, v, -1, -1});
      return constant ? Expr(v) : Expr::symbol(RandomTree::name(v));
    }
    int left = static_cast<int>(pick(0, operations - 1));
    Expr a = grow(tree, symbols, left);
    int lhs = static_cast<int>(tree.items.size()) - 1;
    // Divisors are mostly constants, as in models.
    int64_t what = pick(0, 12);
    bool constantDivisor = (what == 6 || what == 7 || what == 8) && pick(0, 3) != 0;
    Expr b;
    if (constantDivisor) {
      int64_t v = pick(0, 9) == 0 ? pick(-4, 4) : pick(1, 8);
      tree.items.push_back({Expr::Op::Constant, v, -1, -1});
      b = v;
    } else {
      b = grow(tree, symbols, operations - 1 - left);
    }
    int rhs = static_cast<int>(tree.items.size()) - 1;
    auto add = [&](Expr::Op op, bool subtract = false) { tree.items.push_back({op, 0, lhs, rhs, subtract}); };
    switch (what) {
    case 0:
    case 1:
    case 2:
      return add(Expr::Op::Add), a + b;
    case 3:
      return add(Expr::Op::Add, true), a - b;
    case 4:
    case 5:
      return add(Expr::Op::Mul), a * b;
    case 6:
    case 7:
      return add(Expr::Op::FloorDiv), floorDiv(a, b);
    case 8:
      return add(Expr::Op::Mod), mod(a, b);
    case 9:
      return add(Expr::Op::Min), min(a, b);
    case 10:
      return add(Expr::Op::Max), max(a, b);
    default:
      return add(Expr::Op::Broadcast), broadcast(a, b);
    }
  }
};

/// Calls f(values) for every assignment of [0, side) to the symbols.
template <class F> void forEachAssignment(int symbols, int64_t side, F f) {
  std::vector<int64_t> values(static_cast<size_t>(symbols), 0);
  for (;;) {
    f(values);
    size_t i = 0;
    while (i < values.size() && ++values[i] == side)
      values[i++] = 0;
    if (i == values.size())
      return;
  }
}

inline std::optional<int64_t> valueAt(const Expr &e, const std::vector<int64_t> &values) {
  auto result = e.evaluate(
      [&](const std::string &name) -> std::optional<int64_t> { return values[static_cast<size_t>(name[1] - '0')]; });
  return result ? std::optional(*result) : std::nullopt;
}

} // namespace pliant::test
