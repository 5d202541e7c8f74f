// SPDX-License-Identifier: Apache-2.0
// Equalities in solved form: substitution of symbols, rewriting of monomials, polynomial identities, exact division.
#include "shape/facts_state.h"
#include <algorithm>
#include <numeric>

namespace pliant {
using namespace shape;

namespace {
constexpr size_t maxRules = 64;
constexpr int maxNesting = 24; ///< consequences of consequences; beyond, they are not looked for

/// Names made up by front ends ("?0", "x.1") are solved for before the user's ("batch"), then the later name.
int preference(const std::string &name) {
  return name.find('?') != std::string::npos ? 2 : name.find('.') != std::string::npos ? 1 : 0;
}

/// A multiple of the base occurs as a term, also inside of calls.
bool containsMultiple(const Expr &e, const Expr &base) {
  SumView view(e);
  for (const Term &t : view.terms()) {
    if (divideBases(t.base, base))
      return true;
    for (const Term &f : factorsOf(t.base))
      for (const Expr &operand : node(f.base).operands)
        if (containsMultiple(operand, base))
          return true;
  }
  return false;
}
} // namespace

Expr Facts::State::canonical(const Expr &e) const {
  if (isOverflow(e) || (!node(e).hasCalls && solved.empty() && rules.empty()))
    return e;
  Expr current = e;
  for (int passes = 0; passes < 16; ++passes) {
    Expr next = mapAtoms(current, [this](const Expr &atom) -> std::optional<Expr> {
      if (kind(atom) == Kind::Symbol) {
        auto it = solved.find(node(atom).name);
        return it == solved.end() ? std::nullopt : std::optional(it->second);
      }
      std::vector<Expr> operands;
      bool changed = false;
      for (const Expr &operand : node(atom).operands) {
        operands.push_back(applyRules(operand));
        changed |= !(operands.back() == operand);
      }
      return changed ? rebuildCall(kind(atom), operands) : simplifyCall(atom);
    });
    next = applyRules(next);
    // Rules over each other's calls may grow without end; any stop on the way is equal and so sound.
    if (isOverflow(next) || next == current || node(next).size > 4 * node(e).size + 256)
      break;
    current = next;
  }
  return current;
}

/// Rewrites terms by the rules, and c*floordiv(x, c) to x - r where x is known to be r modulo c.
Expr Facts::State::applyRules(const Expr &e) const {
  if (rules.empty() && !node(e).hasCalls)
    return e;
  Expr current = e;
  for (int fuel = 0; fuel < 128; ++fuel) {
    SumView view(current);
    std::optional<Expr> next;
    for (const Term &t : view.terms()) {
      for (const Rule &rule : rules)
        if (auto rest = divideBases(t.base, rule.lhs)) {
          next = current - t.base * t.count + *rest * t.count * rule.rhs;
          break;
        }
      if (next)
        break;
      for (const Expr &atom : node(e).hasCalls ? topAtoms(t.base) : std::vector<Expr>()) {
        if (kind(atom) != Kind::FloorDiv || !hasConstantDivisor(atom))
          continue;
        const Expr &x = node(atom).operands[0];
        int64_t c = *node(atom).operands[1].constant();
        Residue r = residueOf(x);
        if (t.count % c != 0 || !r.known(c))
          continue;
        int64_t low = floorRemainder(r.residue, c);
        next = current - t.base * t.count + *divideBases(t.base, atom) * (t.count / c) * (x - low);
        break;
      }
      if (next)
        break;
    }
    if (!next || isOverflow(*next) || node(*next).size > 4 * node(e).size + 256)
      return current;
    current = *next;
  }
  return current;
}

std::optional<Expr> Facts::State::simplifyCall(const Expr &call) const {
  const auto &operands = node(call).operands;
  switch (kind(call)) {
  case Kind::FloorDiv:
  case Kind::Mod: {
    const Expr &a = operands[0], &b = operands[1];
    Range divisor = bounds(b, 1);
    if (divisor.lo < 1)
      return std::nullopt;
    Expr quotient = 0, rest = a;
    if (!b.constant()) { // by a constant, this was done when the call was made
      std::vector<Expr> exact, others;
      SumView view(a);
      for (const Term &t : view.terms()) {
        Expr part = t.base * t.count;
        auto q = isBase(b) ? dividePolynomials(part, b) : std::nullopt;
        (q ? exact : others).push_back(q ? *q : part);
      }
      others.push_back(view.constant());
      quotient = addAll(exact);
      rest = addAll(others);
      if (auto whole = dividePolynomials(a, b)) {
        quotient = *whole;
        rest = 0;
      }
    } else if (kind(call) == Kind::Mod) {
      Residue r = residueOf(a);
      int64_t c = *b.constant();
      if (r.known(c))
        return Expr(floorRemainder(r.residue, c));
    }
    if (auto c = b.constant()) {
      Range r = bounds(rest, 2);
      if (finite(r.lo) && finite(r.hi) && floorDivide(r.lo, Int128(*c)) == floorDivide(r.hi, Int128(*c))) {
        Int128 q = floorDivide(r.lo, Int128(*c));
        if (q == static_cast<int64_t>(q)) {
          Expr whole = static_cast<int64_t>(q);
          return kind(call) == Kind::FloorDiv ? whole : rest - whole * *c;
        }
      }
    } else if (rest.isConstant(0) || (bounds(rest, 2).lo >= 0 && nonNegativeProved(b - rest - 1, 2))) {
      return kind(call) == Kind::FloorDiv ? quotient : rest;
    }
    if (quotient.isConstant(0))
      return std::nullopt;
    return kind(call) == Kind::FloorDiv ? quotient + floorDiv(rest, b) : mod(rest, b);
  }
  case Kind::Min:
  case Kind::Max:
  case Kind::Broadcast: {
    // Of operands, those that never decide are dropped. In a broadcast a greater one stands for a lesser one of at
    // least 1, and one that is at least 2 for all.
    std::vector<Expr> kept(operands);
    if (kind(call) == Kind::Broadcast)
      for (const Expr &operand : operands)
        if (bounds(operand, 2).lo >= 2)
          return operand;
    for (size_t i = 0; i < kept.size() && kept.size() <= 16;) {
      bool drop = false;
      for (size_t j = 0; j < kept.size() && !drop; ++j)
        drop = j != i && nonNegativeProved(kind(call) == Kind::Min ? kept[i] - kept[j] : kept[j] - kept[i], 2) &&
               (kind(call) != Kind::Broadcast || bounds(kept[i], 2).lo >= 1);
      if (drop)
        kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
      else
        ++i;
    }
    if (kept.size() == operands.size())
      return std::nullopt;
    return rebuildCall(kind(call), kept);
  }
  default:
    return std::nullopt;
  }
}

bool Facts::State::addEqual(const Expr &a, const Expr &b) { return addZero(a - b, 0); }

bool Facts::State::addZero(Expr p, int depth) {
  p = canonical(p);
  if (isOverflow(p) || depth > maxNesting)
    return true; // knowing less is always sound
  if (auto c = p.constant())
    return *c == 0;
  Range range = bounds(p);
  if (range.lo > 0 || range.hi < 0 || !intersect(residueOf(p), {0, 0}))
    return false;
  SumView view(p);
  int64_t content = 0;
  for (const Term &t : view.terms())
    if (t.count != INT64_MIN)
      content = std::gcd(content, t.count);
    else
      content = std::gcd(content, INT64_MIN / 2);
  if (view.constant() % content != 0)
    return false;
  if (content > 1)
    p = dividePolynomials(p, content).value_or(p);
  SumView terms(p);

  // mod(x, c) == r is a congruence.
  if (terms.terms().size() == 1 && kind(terms.terms()[0].base) == Kind::Mod &&
      hasConstantDivisor(terms.terms()[0].base) && (terms.terms()[0].count == 1 || terms.terms()[0].count == -1)) {
    const auto &operands = node(terms.terms()[0].base).operands;
    Expr value = terms.constant();
    if (terms.terms()[0].count > 0)
      value = 0 - value;
    if (!addDivides(*operands[1].constant(), operands[0] - value))
      return false;
  }
  // c*floordiv(x, c) == x - r as well.
  for (const Term &t : terms.terms())
    if (kind(t.base) == Kind::FloorDiv && hasConstantDivisor(t.base)) {
      const auto &operands = node(t.base).operands;
      int64_t c = *operands[1].constant();
      if (t.count != c && t.count != -c)
        continue;
      Expr rest = p - t.base * t.count + operands[0] * (t.count / c); // equal to +-mod(x, c)
      if (rest.constant() && !addDivides(c, operands[0] - rest * (t.count / c)))
        return false;
    }

  // Nothing is above what a maximum is equal to, nor below a minimum.
  for (const Term &t : terms.terms())
    if ((kind(t.base) == Kind::Max || kind(t.base) == Kind::Min) && (t.count == 1 || t.count == -1)) {
      const Expr value = (t.base * t.count - p) * t.count;
      for (const Expr &operand : node(t.base).operands)
        if (!addNonNegative(kind(t.base) == Kind::Max ? value - operand : operand - value))
          return false;
    }

  if (!(canonical(p) == p)) // one of these settled a symbol, or a call
    return addZero(p, depth + 1);

  const Term *chosen = nullptr;
  for (const Term &t : terms.terms()) {
    if (kind(t.base) != Kind::Symbol || (t.count != 1 && t.count != -1) || contains(p - t.base * t.count, t.base))
      continue;
    if (!chosen || preference(node(t.base).name) > preference(node(chosen->base).name) ||
        (preference(node(t.base).name) == preference(node(chosen->base).name) &&
         node(t.base).name > node(chosen->base).name))
      chosen = &t;
  }
  if (chosen) {
    Expr by = (chosen->base * chosen->count - p) * chosen->count;
    return isOverflow(by) || solve(node(chosen->base).name, by, depth);
  }
  const Term &lead = terms.terms()[0];
  Expr rest = lead.base * lead.count - p;
  if ((lead.count == 1 || lead.count == -1) && !containsMultiple(rest, lead.base) && rules.size() < maxRules) {
    Expr rhs = rest * lead.count;
    return isOverflow(rhs) || addRule(lead.base, rhs, depth);
  }
  if (identities.size() < maxRules && std::find(identities.begin(), identities.end(), p) == identities.end())
    identities.push_back(p);
  return addNonNegative(p) && addNonNegative(0 - p); // ranges follow from both directions
}

bool Facts::State::solve(const std::string &name, const Expr &by, int depth) {
  assert(!solved.count(name));
  Range range = rangeOf(name);
  Residue residue = residueOf(Expr::symbol(name));
  Range value = bounds(by);
  if (value.hi < range.lo || value.lo > range.hi)
    return false;
  solved.emplace(name, by);
  for (const std::string &symbol : by.symbols())
    solvedOver[symbol].insert(name);
  for (const std::string &other : solvedOver[name]) {
    Expr next = canonical(solved.at(other));
    for (const std::string &symbol : next.symbols())
      if (symbol != name)
        solvedOver[symbol].insert(other);
    solved.insert_or_assign(other, next);
  }
  Expr symbol = Expr::symbol(name);
  return refresh([&](const Expr &e) { return contains(e, symbol); }, depth) && narrow(name, range) &&
         (residue.modulus < 2 || addDivides(residue.modulus, by - residue.residue));
}

/// Restates every known thing that a new equality affects.
bool Facts::State::refresh(const std::function<bool(const Expr &)> &affected, int depth) {
  std::vector<Expr> zeros;
  std::erase_if(rules, [&](const Rule &rule) {
    if (!affected(rule.lhs) && !affected(rule.rhs))
      return false;
    zeros.push_back(rule.lhs - rule.rhs);
    return true;
  });
  std::erase_if(identities, [&](const Expr &p) {
    if (!affected(p))
      return false;
    zeros.push_back(p);
    return true;
  });
  std::vector<Congruence> again;
  std::erase_if(congruences, [&](const Congruence &c) {
    if (!affected(c.e))
      return false;
    again.push_back(c);
    return true;
  });
  std::vector<std::string> changed;
  for (size_t i = 0; i < nonNegative.size(); ++i) {
    if (!affected(nonNegative[i]))
      continue;
    Expr next = canonical(nonNegative[i]);
    if (bounds(next, 0).hi < 0)
      return false;
    setNonNegative(i, next);
    for (const std::string &symbol : next.symbols())
      changed.push_back(symbol);
  }
  for (const Expr &p : zeros)
    if (!addZero(p, depth + 1))
      return false;
  for (const Congruence &c : again)
    if (!addDivides(c.modulus, c.e))
      return false;
  return propagate(std::move(changed));
}

bool Facts::State::addRule(const Expr &lhs, const Expr &rhs, int depth) {
  std::vector<Rule> old = rules;
  rules.push_back({lhs, rhs});
  for (auto &[name, by] : solved)
    if (Expr next = canonical(by); !(next == by)) {
      by = next;
      for (const std::string &symbol : next.symbols())
        solvedOver[symbol].insert(name);
    }
  // Rules that the new one rewrites are restated.
  rules.pop_back();
  std::vector<Expr> restated;
  std::erase_if(rules, [&](const Rule &rule) {
    const bool hit = containsMultiple(rule.lhs, lhs);
    if (hit)
      restated.push_back(rule.lhs - rule.rhs);
    return hit;
  });
  rules.push_back({lhs, rhs});
  for (Rule &rule : rules)
    rule.rhs = canonical(rule.rhs);
  for (size_t i = 0; i < nonNegative.size(); ++i)
    setNonNegative(i, canonical(nonNegative[i]));
  for (Expr &p : identities)
    p = canonical(p);
  std::erase_if(identities, [](const Expr &p) { return p.isConstant(0); });
  for (Congruence &c : congruences)
    c.e = canonical(c.e);
  for (const Expr &p : restated)
    if (!addZero(p, depth + 1))
      return false;
  // Where two left sides share factors, both rewritings of their least common multiple are equal.
  if (depth < 4)
    for (const Rule &rule : old) {
      std::vector<Term> x = factorsOf(lhs);
      Expr common = 1;
      for (const Term &f : x)
        for (int64_t i = 0; i < f.count; ++i) {
          Expr more = common * f.base;
          if (divideBases(rule.lhs, more))
            common = more;
        }
      if (common.isConstant(1))
        continue;
      Expr p = *divideBases(rule.lhs, common) * rhs - *divideBases(lhs, common) * rule.rhs;
      if (!isOverflow(p) && node(p).size < 200 && !addZero(p, depth + 1))
        return false;
    }
  return addNonNegative(lhs - rhs) && addNonNegative(rhs - lhs);
}

/// Proof that a canonical polynomial is zero: extremes and remainders are written through one another, then identities
/// are subtracted after scaling with their leading coefficients.
bool Facts::State::reducesToZero(Expr p) const {
  std::vector<Expr> zero = identities;
  if (node(p).hasCalls) {
    for (const Expr &atom : topAtoms(p)) {
      if (!isCall(atom))
        continue;
      const auto &operands = node(atom).operands;
      if (kind(atom) == Kind::Min && operands.size() == 2)
        p = replaceTopAtom(p, atom, operands[0] + operands[1] - max(operands[0], operands[1]));
      else if (kind(atom) == Kind::Mod)
        p = replaceTopAtom(p, atom, operands[0] - operands[1] * floorDiv(operands[0], operands[1]));
    }
    p = canonical(p);
    for (const Expr &atom : topAtoms(p))
      if (kind(atom) == Kind::FloorDiv && hasConstantDivisor(atom)) {
        const Expr &x = node(atom).operands[0];
        int64_t c = *node(atom).operands[1].constant();
        Residue r = residueOf(x);
        if (r.known(c))
          zero.push_back(atom * c - x + floorRemainder(r.residue, c));
      }
  }
  for (int fuel = 0; fuel < 64; ++fuel) {
    if (isOverflow(p))
      return false;
    if (auto c = p.constant())
      return *c == 0;
    std::optional<Expr> next;
    SumView view(p);
    for (const Expr &identity : zero) {
      SumView known(identity);
      if (known.terms().empty())
        continue;
      const Term &lead = known.terms()[0];
      for (const Term &t : view.terms())
        if (auto q = divideBases(t.base, lead.base); q && t.count != INT64_MIN && lead.count != INT64_MIN) {
          int64_t g = std::gcd(t.count, lead.count), sign = lead.count < 0 ? -1 : 1;
          next = p * (lead.count / g * sign) - *q * (t.count / g * sign) * identity;
          break;
        }
      if (next)
        break;
    }
    if (!next)
      return false;
    p = *next;
  }
  return false;
}

std::optional<Expr> Facts::State::divide(const Expr &a, const Expr &b) const {
  if (isOverflow(a) || isOverflow(b) || b.isConstant(0))
    return std::nullopt;
  if (auto q = dividePolynomials(a, b))
    return q;
  // By a constant factor, a known congruence serves: a == c*floordiv(a, c).
  SumView divisor(b);
  if (divisor.terms().size() + (divisor.constant() != 0) == 1) {
    int64_t c = divisor.terms().empty() ? divisor.constant() : divisor.terms()[0].count;
    auto part = divisor.terms().empty() ? std::optional(a) : dividePolynomials(a, divisor.terms()[0].base);
    if (part && c != INT64_MIN && dividesProved(c, *part)) {
      Expr q = floorDiv(*part, c);
      if (!isOverflow(q))
        return q;
    }
  }
  // With a rule b*m -> r and a == r*q, the quotient is m*q.
  if (isBase(b))
    for (const Rule &rule : rules)
      if (auto m = divideBases(rule.lhs, b))
        if (auto q = dividePolynomials(a, rule.rhs)) {
          Expr result = *m * *q;
          if (!isOverflow(result))
            return result;
        }
  return std::nullopt;
}

} // namespace pliant
