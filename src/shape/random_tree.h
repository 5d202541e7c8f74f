// SPDX-License-Identifier: Apache-2.0
// For tests only: random extent formulas kept as plain trees beside their canonical form, with the plain value.
#pragma once
#include "shape/expr.h"
#include <memory>
#include <random>
#include <vector>

namespace pliant::test {

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
      auto floorDivide = [](int64_t x, int64_t y) {
        int64_t q = x / y;
        return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
      };
      switch (i.op) {
      case Expr::Op::Constant:
        v.push_back(i.value);
        break;
      case Expr::Op::Symbol:
        v.push_back(symbols[static_cast<size_t>(i.value)]);
        break;
      case Expr::Op::Add:
        v.push_back(i.subtract ? a - b : a + b);
        break;
      case Expr::Op::Mul:
        if (__builtin_mul_overflow(a, b, &a))
          return std::nullopt;
        v.push_back(a);
        break;
      case Expr::Op::FloorDiv:
      case Expr::Op::Mod:
        if (b == 0)
          return std::nullopt;
        v.push_back(i.op == Expr::Op::Mod ? a - b * floorDivide(a, b) : floorDivide(a, b));
        break;
      case Expr::Op::Min:
        v.push_back(std::min(a, b));
        break;
      case Expr::Op::Max:
        v.push_back(std::max(a, b));
        break;
      case Expr::Op::Broadcast:
        if (a != b && a != 1 && b != 1)
          return std::nullopt;
        v.push_back(a == 1 ? b : a);
        break;
      }
      if (v.back() > (int64_t(1) << 60) || v.back() < -(int64_t(1) << 60))
        return std::nullopt;
    }
    return v.back();
  }
};

class TreeMaker {
public:
  explicit TreeMaker(uint64_t seed) : random(seed) {}

  int64_t pick(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(random() % static_cast<uint64_t>(hi - lo + 1));
  }

  RandomTree make(int symbols, int operations) {
    RandomTree tree;
    tree.expr = grow(tree, symbols, operations);
    return tree;
  }

private:
  std::mt19937_64 random;

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
