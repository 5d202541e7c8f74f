// SPDX-License-Identifier: Apache-2.0
// Residues of polynomials and calls, and proofs of divisibility.
#include "shape/facts_state.h"
#include <numeric>

namespace pliant {
using namespace shape;

namespace shape {
namespace {
constexpr int64_t maxModulus = int64_t(1) << 40;

Residue normal(Int128 modulus, Int128 residue) {
  if (modulus < 0)
    modulus = -modulus;
  if (modulus == 0) {
    if (residue == static_cast<int64_t>(residue))
      return {0, static_cast<int64_t>(residue)};
    return {1, 0};
  }
  if (modulus > maxModulus)
    return {1, 0};
  Int128 r = residue % modulus;
  return {static_cast<int64_t>(modulus), static_cast<int64_t>(r < 0 ? r + modulus : r)};
}
Int128 gcd(Int128 a, Int128 b) {
  if (a < 0)
    a = -a;
  if (b < 0)
    b = -b;
  while (b != 0) {
    Int128 r = a % b;
    a = b;
    b = r;
  }
  return a;
}
Residue add(Residue a, Residue b) { return normal(gcd(a.modulus, b.modulus), Int128(a.residue) + b.residue); }
Residue multiply(Residue a, Residue b) {
  // (r + q*i)(s + p*j) = rs + q*s*i + p*r*j + q*p*i*j
  Int128 modulus =
      gcd(gcd(Int128(a.modulus) * b.residue, Int128(b.modulus) * a.residue), Int128(a.modulus) * b.modulus);
  return normal(modulus, Int128(a.residue) * b.residue);
}
Residue join(Residue a, Residue b) {
  return normal(gcd(gcd(a.modulus, b.modulus), Int128(a.residue) - b.residue), a.residue);
}
/// x with a*x = 1 modulo m, for coprime a and m > 0.
int64_t inverse(int64_t a, int64_t m) {
  Int128 r0 = m, r1 = ((a % m) + m) % m, x0 = 0, x1 = 1;
  while (r1 > 1) {
    Int128 q = r0 / r1, r2 = r0 - q * r1, x2 = x0 - q * x1;
    r0 = r1, r1 = r2, x0 = x1, x1 = x2;
  }
  Int128 x = x1 % m;
  return static_cast<int64_t>(x < 0 ? x + m : x);
}
} // namespace

std::optional<Residue> intersect(Residue a, Residue b) {
  if (a.modulus == 0 && b.modulus == 0)
    return a.residue == b.residue ? std::optional(a) : std::nullopt;
  if (a.modulus == 0)
    std::swap(a, b);
  int64_t g = std::gcd(a.modulus, b.modulus);
  if ((Int128(a.residue) - b.residue) % g != 0)
    return std::nullopt;
  if (b.modulus == 0)
    return b;
  int64_t p = a.modulus / g, q = b.modulus / g;
  if (Int128(a.modulus) * q > maxModulus)
    return a.modulus >= b.modulus ? a : b; // weaker, still right
  // a.residue + a.modulus*k = b.residue modulo b.modulus
  Int128 k = (Int128(b.residue) - a.residue) / g % q * (q == 1 ? 0 : inverse(p, q)) % q;
  return normal(Int128(a.modulus) * q, a.residue + a.modulus * k);
}
} // namespace shape

Residue Facts::State::residueOf(const Expr &e) const {
  const Expr::Node &n = node(e);
  switch (n.kind) {
  case Kind::Constant:
    return {0, n.value};
  case Kind::Symbol: {
    auto it = residues.find(n.name);
    return it == residues.end() ? Residue{} : it->second;
  }
  case Kind::Product: {
    Residue result{0, 1};
    for (const Term &t : n.terms) {
      Residue factor = residueOf(t.base);
      for (int64_t i = 0; i < t.count; ++i)
        result = multiply(result, factor);
    }
    return result;
  }
  case Kind::Sum: {
    Residue result{0, n.value};
    for (const Term &t : n.terms)
      result = add(result, multiply({0, t.count}, residueOf(t.base)));
    return result;
  }
  case Kind::FloorDiv: {
    auto c = n.operands[1].constant();
    Residue a = residueOf(n.operands[0]);
    if (!c || *c <= 0 || a.modulus % *c != 0)
      return {};
    return normal(a.modulus / *c, floorDivide(a.residue, *c));
  }
  case Kind::Mod: {
    auto c = n.operands[1].constant();
    Residue a = residueOf(n.operands[0]);
    if (!c || *c <= 0)
      return {};
    if (a.modulus % *c == 0)
      return {0, floorRemainder(a.residue, *c)};
    return normal(std::gcd(a.modulus, *c), a.residue);
  }
  case Kind::Min:
  case Kind::Max:
  case Kind::Broadcast: {
    Residue result = residueOf(n.operands[0]);
    for (size_t i = 1; i < n.operands.size(); ++i)
      result = join(result, residueOf(n.operands[i]));
    return result;
  }
  case Kind::Overflow:
    break;
  }
  return {};
}

/// Subtracts multiples of known congruent polynomials so that leading terms cancel.
bool Facts::State::dividesWith(int64_t m, const Expr &e, int depth) const {
  if (isOverflow(e))
    return false;
  if (residueOf(e).multipleOf(m))
    return true;
  if (depth == 0)
    return false;
  SumView view(e);
  for (const auto &known : congruences) {
    SumView other(known.e);
    if (other.terms().empty())
      continue;
    const Term &lead = other.terms()[0];
    for (const Term &t : view.terms()) {
      if (t.count == INT64_MIN || t.count % lead.count != 0)
        continue;
      int64_t factor = t.count / lead.count;
      auto base = divideBases(t.base, lead.base);
      if (!base || Int128(factor) * known.modulus % m != 0)
        continue;
      if (dividesWith(m, e - *base * factor * known.e, depth - 1))
        return true;
    }
  }
  return false;
}

bool Facts::State::dividesProved(int64_t divisor, const Expr &e) const {
  if (isOverflow(e) || divisor == INT64_MIN)
    return false;
  if (divisor == 0)
    return e.isConstant(0);
  int64_t m = divisor < 0 ? -divisor : divisor;
  return m == 1 || dividesWith(m, e, 3);
}

bool Facts::State::addDivides(int64_t divisor, const Expr &original) {
  Expr e = canonical(original);
  if (divisor == 0)
    return addZero(e, 0);
  if (isOverflow(e) || divisor == INT64_MIN)
    return true;
  int64_t m = divisor < 0 ? -divisor : divisor;
  if (m == 1)
    return true;
  if (!intersect(residueOf(e), {m, 0}))
    return false;
  congruences.push_back({m, e});
  // A congruence of a single symbol, a*x + k = 0 modulo m, gives the residue of the symbol.
  SumView view(e);
  if (view.terms().size() != 1 || kind(view.terms()[0].base) != Kind::Symbol || m > maxModulus)
    return true;
  int64_t a = view.terms()[0].count % m, k = view.constant() % m, g = std::gcd(a, m);
  if (k % g != 0)
    return false;
  int64_t modulus = m / g;
  Int128 x = modulus == 1 ? Int128(0) : -(Int128(k / g)) % modulus * inverse(a / g, modulus);
  const std::string &name = node(view.terms()[0].base).name;
  auto met = intersect(residueOf(view.terms()[0].base), normal(modulus, x));
  if (!met)
    return false;
  residues[name] = *met;
  // The ends of the range move to members of the class.
  Range range = rangeOf(name);
  if (met->modulus == 0)
    return narrow(name, {met->residue, met->residue});
  if (finite(range.lo))
    range.lo = met->residue - floorDivide(met->residue - range.lo, Int128(met->modulus)) * met->modulus;
  if (finite(range.hi))
    range.hi = met->residue + floorDivide(range.hi - met->residue, Int128(met->modulus)) * met->modulus;
  return narrow(name, range);
}

} // namespace pliant
