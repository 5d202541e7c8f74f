// SPDX-License-Identifier: Apache-2.0
// The surface of the solver: assuming facts, explaining contradictions, and asking. Proofs are in the files beside.
#include "shape/facts.h"
#include "shape/facts_state.h"
#include <algorithm>

namespace pliant {
using namespace shape;

Facts::Facts() : state(std::make_unique<State>()) {}
Facts::~Facts() = default;
Facts::Facts(const Facts &other) : state(std::make_unique<State>(*other.state)) {}
Facts &Facts::operator=(const Facts &other) {
  if (this != &other)
    state = std::make_unique<State>(*other.state);
  return *this;
}
Facts::Facts(Facts &&other) noexcept = default;
Facts &Facts::operator=(Facts &&other) noexcept = default;

namespace {
std::string text(Interval r) {
  constexpr Interval open;
  if (r.lo == open.lo && r.hi == open.hi)
    return "any value";
  if (r.hi == open.hi)
    return "at least " + std::to_string(r.lo);
  if (r.lo == open.lo)
    return "at most " + std::to_string(r.hi);
  return r.lo == r.hi ? std::to_string(r.lo) : "in [" + std::to_string(r.lo) + ", " + std::to_string(r.hi) + "]";
}
Range toRange(Interval r) {
  constexpr Interval open;
  return {r.lo == open.lo ? -limit : Int128(r.lo), r.hi == open.hi ? limit : Int128(r.hi)};
}
Interval toInterval(Range r) {
  Interval out;
  if (r.lo > out.lo)
    out.lo = r.lo > out.hi ? out.hi : static_cast<int64_t>(r.lo);
  if (r.hi < out.hi)
    out.hi = r.hi < Interval().lo ? Interval().lo : static_cast<int64_t>(r.hi);
  return out;
}
} // namespace

std::string Facts::Fact::str() const {
  std::string out;
  switch (kind) {
  case Kind::Range:
    out = a.str() + " is " + text(range);
    break;
  case Kind::Equal:
    out = a.str() + " == " + b.str();
    break;
  case Kind::LessEqual:
    out = a.str() + " <= " + b.str();
    break;
  case Kind::Divides:
    out = std::to_string(divisor) + " divides " + a.str();
    break;
  }
  return source.empty() ? out : out + " (" + source + ")";
}

bool Facts::State::assume(const Fact &fact) {
  switch (fact.kind) {
  case Fact::Kind::Range: {
    const std::string name = *fact.a.symbolName();
    Range range = toRange(fact.range);
    bool beyond = (finite(range.lo) && range.lo < 0) || (finite(range.hi) && range.hi > defaultHigh);
    if (beyond && range.lo <= range.hi && !ranges.count(name) && !solved.count(name)) {
      // Not an extent: the given ends replace the default ones, unless those have been used already.
      bool used = false;
      for (const Fact &old : facts)
        used |= contains(old.a, fact.a) || contains(old.b, fact.a);
      if (!used)
        ranges[name] = {finite(range.lo) ? range.lo : Int128(0), finite(range.hi) ? range.hi : Int128(defaultHigh)};
    }
    return narrow(name, range);
  }
  case Fact::Kind::Equal:
    return addEqual(fact.a, fact.b);
  case Fact::Kind::LessEqual:
    return addNonNegative(fact.b - fact.a);
  case Fact::Kind::Divides:
    return addDivides(fact.divisor, fact.a);
  }
  return true;
}

/// Adds a fact. When it contradicts the earlier ones, the state is built again from those, and the error names the
/// last of them that shares a symbol.
Status Facts::assume(Fact fact) {
  Interval a = bounds(fact.a), b = bounds(fact.b);
  if (state->assume(fact)) {
    state->facts.push_back(std::move(fact));
    return ok();
  }
  auto before = std::make_unique<State>();
  for (const Fact &old : state->facts) {
    before->assume(old);
    before->facts.push_back(old);
  }
  state = std::move(before);

  std::string known = fact.a.str() + " is " + text(a);
  if (fact.kind == Fact::Kind::Equal || fact.kind == Fact::Kind::LessEqual)
    known += ", " + fact.b.str() + " is " + text(b);
  std::vector<std::string> names = fact.a.symbols(), more = fact.b.symbols();
  names.insert(names.end(), more.begin(), more.end());
  std::string hint;
  for (auto old = state->facts.rbegin(); old != state->facts.rend() && hint.empty(); ++old) {
    std::vector<std::string> theirs = old->a.symbols(), others = old->b.symbols();
    theirs.insert(theirs.end(), others.begin(), others.end());
    for (const std::string &name : theirs)
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        hint = "known before: " + old->str();
        break;
      }
  }
  return userError("shape", fact.str() + " contradicts what is known: " + known, {}, hint);
}

Status Facts::assumeRange(const std::string &symbol, Interval range, const std::string &source) {
  return assume({Fact::Kind::Range, Expr::symbol(symbol), {}, range, 0, source});
}
Status Facts::assumeEqual(const Expr &a, const Expr &b, const std::string &source) {
  return assume({Fact::Kind::Equal, a, b, {}, 0, source});
}
Status Facts::assumeLessEqual(const Expr &a, const Expr &b, const std::string &source) {
  return assume({Fact::Kind::LessEqual, a, b, {}, 0, source});
}
Status Facts::assumeDivides(int64_t divisor, const Expr &e, const std::string &source) {
  return assume({Fact::Kind::Divides, e, {}, {}, divisor, source});
}

Expr Facts::canonical(const Expr &e) const { return state->canonical(e); }
Interval Facts::bounds(const Expr &e) const { return toInterval(state->bounds(state->canonical(e))); }

/// Signs that d takes at a few values, when nothing relates its symbols, so that these values satisfy the facts. Most
/// questions without an answer end here, before any search.
Facts::State::Signs Facts::State::someSigns(const Expr &d) const {
  Signs signs;
  if (!rules.empty() || !identities.empty() || !nonNegative.empty() || !congruences.empty())
    return signs;
  for (int64_t step : {0, 1, 2, 1000}) {
    auto value = d.evaluate([&](const std::string &name) -> std::optional<int64_t> {
      Range r = rangeOf(name);
      Int128 offset = step > 1 && !name.empty() ? step + (name.back() & 31) : step; // symbols differ
      if (finite(r.lo) && finite(r.hi))
        return static_cast<int64_t>(r.lo + offset % (r.hi - r.lo + 1));
      return static_cast<int64_t>(finite(r.lo) ? r.lo + offset : finite(r.hi) ? r.hi - offset : offset);
    });
    if (value) {
      signs.negative |= *value < 0;
      signs.zero |= *value == 0;
      signs.positive |= *value > 0;
    }
  }
  return signs;
}

Proof Facts::equal(const Expr &a, const Expr &b) const {
  if (isOverflow(a) || isOverflow(b))
    return Proof::Unknown; // two values that cannot be computed
  if (a == b)
    return Proof::Yes;
  Expr d = state->canonical(a - b);
  if (isOverflow(d))
    return state->canonical(a) == state->canonical(b) ? Proof::Yes : Proof::Unknown;
  if (auto c = d.constant())
    return *c == 0 ? Proof::Yes : Proof::No;
  if (auto signs = state->someSigns(d); signs.zero && (signs.negative || signs.positive))
    return Proof::Unknown;
  Range r = state->bounds(d);
  if (r.lo > 0 || r.hi < 0 || !intersect(state->residueOf(d), {0, 0}))
    return Proof::No;
  if ((r.lo == 0 && r.hi == 0) || state->reducesToZero(d) || state->canonical(a) == state->canonical(b))
    return Proof::Yes;
  return Proof::Unknown;
}

Proof Facts::lessEqual(const Expr &a, const Expr &b) const {
  Expr d = state->canonical(b - a);
  if (isOverflow(d))
    return Proof::Unknown;
  if (auto c = d.constant())
    return *c >= 0 ? Proof::Yes : Proof::No;
  if (auto signs = state->someSigns(d); signs.negative && (signs.zero || signs.positive))
    return Proof::Unknown;
  if (state->nonNegativeProved(d))
    return Proof::Yes;
  return state->nonNegativeProved(Expr(-1) - d) ? Proof::No : Proof::Unknown;
}

bool Facts::divides(int64_t divisor, const Expr &e) const {
  return state->dividesProved(divisor, state->canonical(e)) || state->dividesProved(divisor, e);
}

std::optional<Expr> Facts::divideExactly(const Expr &a, const Expr &b) const {
  if (auto q = dividePolynomials(a, b))
    return q;
  return state->divide(state->canonical(a), state->canonical(b));
}

const std::vector<Facts::Fact> &Facts::all() const { return state->facts; }

} // namespace pliant
