// SPDX-License-Identifier: Apache-2.0
#include "api/guards.h"
#include <algorithm>
#include <unordered_map>

namespace pliant::api {
namespace {

/// Value of an expression's steps; nothing on overflow or a division by zero.
std::optional<int64_t> valueOf(const std::vector<Expr::Step> &steps, const std::vector<int> &symbols,
                               std::span<const int64_t> values) {
  if (steps.size() == 1)
    return steps[0].op == Expr::Op::Symbol ? values[static_cast<size_t>(symbols[0])] : steps[0].value;
  std::vector<int64_t> out(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const Expr::Step &step = steps[i];
    const int64_t a = step.lhs >= 0 ? out[static_cast<size_t>(step.lhs)] : 0;
    const int64_t b = step.rhs >= 0 ? out[static_cast<size_t>(step.rhs)] : 0;
    switch (step.op) {
    case Expr::Op::Constant:
      out[i] = step.value;
      break;
    case Expr::Op::Symbol:
      out[i] = values[static_cast<size_t>(symbols[i])];
      break;
    case Expr::Op::Add:
      if (__builtin_add_overflow(a, b, &out[i]))
        return std::nullopt;
      break;
    case Expr::Op::Mul:
      if (__builtin_mul_overflow(a, b, &out[i]))
        return std::nullopt;
      break;
    case Expr::Op::FloorDiv:
    case Expr::Op::Mod: {
      if (b == 0 || (a == INT64_MIN && b == -1))
        return std::nullopt;
      const int64_t quotient = a / b - (a % b != 0 && (a < 0) != (b < 0));
      out[i] = step.op == Expr::Op::Mod ? a - b * quotient : quotient;
      break;
    }
    case Expr::Op::Min:
      out[i] = std::min(a, b);
      break;
    case Expr::Op::Max:
      out[i] = std::max(a, b);
      break;
    case Expr::Op::Broadcast:
      out[i] = a == 1 ? b : a;
      break;
    }
  }
  return out.empty() ? std::nullopt : std::optional(out.back());
}

} // namespace

Guards::Guards(const std::vector<trace::Guard> &guards, size_t leafExtents, size_t symbols) {
  if (guards.empty())
    return;
  std::unordered_map<std::string, int> numbers;
  for (size_t i = 0; i < symbols; ++i)
    numbers.emplace(trace::symbolName(i, leafExtents), static_cast<int>(i));
  auto compiled = [&](const Expr &expr) {
    Side side{expr.steps(), {}};
    for (const Expr::Step &step : side.steps)
      side.symbols.push_back(step.op == Expr::Op::Symbol ? numbers.at(step.symbol) : -1);
    return side;
  };
  for (const trace::Guard &guard : guards)
    tests.emplace_back(compiled(guard.a), compiled(guard.b));
}

bool Guards::hold(std::span<const int64_t> values) {
  if (tested && std::equal(values.begin(), values.end(), last.begin(), last.end()))
    return true;
  for (const auto &[left, right] : tests) {
    const auto a = valueOf(left.steps, left.symbols, values), b = valueOf(right.steps, right.symbols, values);
    if (!a || !b || *a != *b)
      return false;
  }
  last.assign(values.begin(), values.end());
  tested = true;
  return true;
}

} // namespace pliant::api
