// SPDX-License-Identifier: Apache-2.0
// Values, substitution and walks over symbolic extents.
#include "shape/expr.h"
#include "shape/expr_node.h"
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace pliant {
using namespace shape;

namespace {
/// Computes in 128 bits; only the result has to fit 64. The first failure is kept.
struct Evaluator {
  const std::function<std::optional<int64_t>(const std::string &)> &valueOf;
  std::optional<Error> error;

  Int128 fail(std::string message) {
    if (!error)
      error = userError("shape", std::move(message));
    return 0;
  }
  Int128 tooLarge(const Expr &e) { return fail("the value of " + e.str() + " does not fit 64 bits"); }

  Int128 product(const Expr &e) {
    Int128 result = 1;
    bool zero = false, overflowed = false;
    for (const Term &t : node(e).terms) {
      Int128 value = eval(t.base);
      zero |= value == 0;
      for (int64_t i = 0; i < t.count && !overflowed; ++i)
        overflowed = __builtin_mul_overflow(result, value, &result);
    }
    return zero ? 0 : overflowed ? tooLarge(e) : result;
  }

  Int128 sum(const Expr &e) {
    Int128 result = node(e).value, part;
    for (const Term &t : node(e).terms)
      if (__builtin_mul_overflow(eval(t.base), Int128(t.count), &part) || __builtin_add_overflow(result, part, &result))
        return tooLarge(e);
    return result;
  }

  Int128 operand(const Expr &e) {
    Int128 value = eval(e);
    return value == static_cast<int64_t>(value) ? value : tooLarge(e);
  }

  Int128 call(const Expr &e) {
    const auto &operands = node(e).operands;
    Int128 result = operand(operands[0]);
    for (size_t i = 1; i < operands.size() && !error; ++i) {
      Int128 b = operand(operands[i]);
      if (error)
        break;
      switch (kind(e)) {
      case Kind::FloorDiv:
      case Kind::Mod:
        if (b == 0)
          return fail("division by zero in " + e.str());
        result = kind(e) == Kind::Mod ? result - floorDivide(result, b) * b : floorDivide(result, b);
        break;
      case Kind::Min:
        result = std::min(result, b);
        break;
      case Kind::Max:
        result = std::max(result, b);
        break;
      default:
        if (result != 1 && b != 1 && result != b)
          return fail("extents " + std::to_string(int64_t(result)) + " and " + std::to_string(int64_t(b)) +
                      " do not broadcast in " + e.str());
        result = result == 1 ? b : result;
      }
    }
    return result;
  }

  Int128 eval(const Expr &e) {
    if (error)
      return 0;
    const Expr::Node &n = node(e);
    switch (n.kind) {
    case Kind::Constant:
      return n.value;
    case Kind::Symbol:
      if (auto value = valueOf(n.name))
        return *value;
      return fail("symbol " + e.str() + " has no value");
    case Kind::Overflow:
      return fail("an extent has coefficients beyond 64 bits or too many terms");
    case Kind::Product:
      return product(e);
    case Kind::Sum:
      return sum(e);
    default: {
      Int128 result = call(e);
      return error || result == static_cast<int64_t>(result) ? result : tooLarge(e);
    }
    }
  }
};

void collect(const Expr &e, std::set<std::string> &names) {
  if (kind(e) == Kind::Symbol)
    names.insert(node(e).name);
  for (const Term &t : node(e).terms)
    collect(t.base, names);
  for (const Expr &operand : node(e).operands)
    collect(operand, names);
}

/// Flattens to simple steps; equal steps are emitted once.
struct StepBuilder {
  std::vector<Expr::Step> steps;
  std::map<std::tuple<Expr::Op, int64_t, std::string, int, int>, int> known;

  int emit(Expr::Op op, int64_t value, std::string symbol, int lhs, int rhs) {
    auto [it, isNew] = known.try_emplace(std::make_tuple(op, value, symbol, lhs, rhs), static_cast<int>(steps.size()));
    if (isNew)
      steps.push_back({op, value, std::move(symbol), lhs, rhs});
    return it->second;
  }
  int constant(int64_t value) { return emit(Expr::Op::Constant, value, {}, -1, -1); }
  int binary(Expr::Op op, int lhs, int rhs) { return lhs < 0 ? rhs : emit(op, 0, {}, lhs, rhs); }

  static Expr::Op opOf(Kind kind) {
    switch (kind) {
    case Kind::FloorDiv:
      return Expr::Op::FloorDiv;
    case Kind::Mod:
      return Expr::Op::Mod;
    case Kind::Min:
      return Expr::Op::Min;
    case Kind::Max:
      return Expr::Op::Max;
    default:
      return Expr::Op::Broadcast;
    }
  }

  int visit(const Expr &e) {
    const Expr::Node &n = node(e);
    int result = -1;
    switch (n.kind) {
    case Kind::Constant:
      return constant(n.value);
    case Kind::Symbol:
      return emit(Expr::Op::Symbol, 0, n.name, -1, -1);
    case Kind::Overflow: // a division by zero, so that the flow reports an error instead of running on
      result = constant(0);
      return binary(Expr::Op::FloorDiv, result, result);
    case Kind::Product:
      for (const Term &t : n.terms) {
        int base = visit(t.base);
        for (int64_t i = 0; i < t.count; ++i)
          result = binary(Expr::Op::Mul, result, base);
      }
      return result;
    case Kind::Sum:
      for (const Term &t : n.terms) {
        int base = visit(t.base);
        if (t.count != 1)
          base = binary(Expr::Op::Mul, constant(t.count), base);
        result = binary(Expr::Op::Add, result, base);
      }
      return n.value == 0 ? result : binary(Expr::Op::Add, result, constant(n.value));
    default:
      for (const Expr &operand : n.operands)
        result = binary(opOf(n.kind), result, visit(operand));
      return result;
    }
  }
};
} // namespace

Result<int64_t> Expr::evaluate(const std::function<std::optional<int64_t>(const std::string &)> &valueOf) const {
  Evaluator evaluator{valueOf, {}};
  Int128 value = evaluator.eval(*this);
  if (!evaluator.error && value != static_cast<int64_t>(value))
    evaluator.tooLarge(*this);
  if (evaluator.error)
    return std::move(*evaluator.error);
  return static_cast<int64_t>(value);
}

std::vector<std::string> Expr::symbols() const {
  std::set<std::string> names;
  collect(*this, names);
  return {names.begin(), names.end()};
}

Expr Expr::substitute(const std::function<std::optional<Expr>(const std::string &)> &replace) const {
  return mapAtoms(*this, [&](const Expr &atom) -> std::optional<Expr> {
    if (kind(atom) != Kind::Symbol)
      return std::nullopt;
    return replace(shape::node(atom).name);
  });
}

std::vector<Expr::Step> Expr::steps() const {
  StepBuilder builder;
  int last = builder.visit(*this);
  // Equal steps are shared, so the value may have been emitted before the last step only if it is the last one.
  assert(last + 1 == static_cast<int>(builder.steps.size()));
  (void)last;
  return std::move(builder.steps);
}

namespace shape {

Expr mapAtoms(const Expr &e, const std::function<std::optional<Expr>(const Expr &)> &replace) {
  const Expr::Node &n = node(e);
  switch (n.kind) {
  case Kind::Constant:
  case Kind::Overflow:
    return e;
  case Kind::Product: {
    bool changed = false;
    std::vector<Expr> factors;
    for (const Term &t : n.terms) {
      factors.push_back(mapAtoms(t.base, replace));
      changed |= !Expr::Node::same(factors.back(), t.base);
    }
    if (!changed)
      return e;
    Expr result = 1;
    for (size_t i = 0; i < factors.size(); ++i)
      for (int64_t k = 0; k < n.terms[i].count; ++k)
        result = result * factors[i];
    return result;
  }
  case Kind::Sum: {
    bool changed = false;
    std::vector<Expr> parts;
    for (const Term &t : n.terms) {
      Expr base = mapAtoms(t.base, replace);
      changed |= !Expr::Node::same(base, t.base);
      parts.push_back(base * t.count);
    }
    if (!changed)
      return e;
    parts.push_back(n.value);
    return addAll(parts);
  }
  default: {
    bool changed = false;
    std::vector<Expr> operands;
    for (const Expr &operand : n.operands) {
      operands.push_back(mapAtoms(operand, replace));
      changed |= !Expr::Node::same(operands.back(), operand);
    }
    Expr atom = changed ? rebuildCall(n.kind, operands) : e;
    if (!isAtom(atom)) // rebuilding simplified it
      return atom;
    auto by = replace(atom);
    return by ? *by : atom;
  }
  }
}

Expr replaceTopAtom(const Expr &e, const Expr &atom, const Expr &by) {
  std::vector<Expr> parts;
  SumView view(e);
  for (const Term &t : view.terms()) {
    Expr part = t.count;
    for (const Term &f : factorsOf(t.base))
      for (int64_t i = 0; i < f.count; ++i)
        part = part * (f.base == atom ? by : f.base);
    parts.push_back(part);
  }
  parts.push_back(view.constant());
  return addAll(parts);
}

bool contains(const Expr &e, const Expr &atom) {
  const Expr::Node &n = node(e);
  if (n.size < node(atom).size)
    return false;
  if (e == atom)
    return true;
  for (const Term &t : n.terms)
    if (contains(t.base, atom))
      return true;
  for (const Expr &operand : n.operands)
    if (contains(operand, atom))
      return true;
  return false;
}

std::vector<Expr> topAtoms(const Expr &e) {
  std::vector<Expr> out;
  SumView view(e);
  for (const Term &t : view.terms())
    for (const Term &f : factorsOf(t.base))
      out.push_back(f.base);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

} // namespace shape
} // namespace pliant
