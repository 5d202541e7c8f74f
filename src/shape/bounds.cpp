// SPDX-License-Identifier: Apache-2.0
// Intervals of polynomials and calls. A lower bound is improved by replacing calls by what bounds them, by moving
// symbols to the ends of their ranges, and by subtracting known inequalities.
#include "shape/facts_state.h"
#include <algorithm>
#include <numeric>

namespace pliant {
using namespace shape;

namespace shape {
namespace {
Int128 multiplyBounds(Int128 a, Int128 b) {
  if (a == 0 || b == 0)
    return 0;
  Int128 result;
  bool negative = (a < 0) != (b < 0);
  if (!finite(a) || !finite(b) || __builtin_mul_overflow(a, b, &result))
    return negative ? -limit : limit;
  return clamp(result);
}
Int128 divideBounds(Int128 a, Int128 b) { return finite(a) ? floorDivide(a, b) : a; }
} // namespace

Range addRanges(Range a, Range b) {
  return {finite(a.lo) && finite(b.lo) ? clamp(a.lo + b.lo) : -limit,
          finite(a.hi) && finite(b.hi) ? clamp(a.hi + b.hi) : limit};
}
Range multiplyRanges(Range a, Range b) {
  Int128 p[] = {multiplyBounds(a.lo, b.lo), multiplyBounds(a.lo, b.hi), multiplyBounds(a.hi, b.lo),
                multiplyBounds(a.hi, b.hi)};
  return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}
} // namespace shape

namespace {
Range hull(Range a, Range b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }
Range meet(Range a, Range b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }
} // namespace

class Facts::State::Bounder {
public:
  explicit Bounder(const State &state) : state(state) {}

  Range range(const Expr &e, int depth) {
    if (auto c = e.constant())
      return {*c, *c};
    if (isAtom(e))
      return atom(e, depth);
    if (depth == 0 || fuel <= 0)
      return plain(e, 0);
    Int128 lo = lower(e, depth, limit), hi = lower(Expr(0) - e, depth, limit);
    return {lo, -hi};
  }

  /// A number that `p` is never below; the search stops when it reaches `target`.
  Int128 lower(const Expr &p, int depth, Int128 target) {
    if (isOverflow(p))
      return -limit;
    if (fuel <= 0)
      depth = 0;
    Int128 best = plain(p, depth).lo;
    SumView view(p);
    bool negative = false;
    for (const Term &t : view.terms())
      negative |= t.count < 0;
    if (best >= target || depth == 0 || fuel <= 0 || (!negative && !node(p).hasCalls && state.nonNegative.empty()))
      return best;
    --fuel;
    auto improve = [&](Int128 value) {
      best = std::max(best, value);
      return best >= target;
    };
    if (node(p).hasCalls)
      for (const Expr &a : topAtoms(p))
        if (isCall(a) && improve(replaceCall(p, a, depth, target)))
          return best;
    if (view.terms().size() + (view.constant() != 0) < 2)
      return best;
    if (improve(shifted(p, depth)))
      return best;
    for (size_t index : related(p))
      if (improve(subtract(p, state.nonNegative[index], depth, target)))
        return best;
    return best;
  }

private:
  const State &state;
  int fuel = 300;

  Range rangeOf(const Expr &symbol) const { return state.rangeOf(node(symbol).name); }

  /// Indices of the known inequalities that share a symbol with p, at most 64.
  std::vector<size_t> related(const Expr &p) const {
    std::vector<size_t> out;
    if (state.nonNegative.empty())
      return out;
    for (const std::string &name : p.symbols())
      if (auto it = state.inequalitiesOf.find(name); it != state.inequalitiesOf.end())
        out.insert(out.end(), it->second.begin(), it->second.end());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    if (out.size() > 64)
      out.resize(64);
    return out;
  }

  /// Ranges of calls by depth: nested calls would be visited exponentially often without.
  std::vector<std::unordered_map<Expr, Range>> known;

  Range atom(const Expr &e, int depth) {
    if (kind(e) == Kind::Symbol)
      return rangeOf(e);
    size_t level = fuel > 0 && depth > 0 ? static_cast<size_t>(depth - 1) : 0;
    if (known.size() <= level)
      known.resize(level + 1);
    if (auto it = known[level].find(e); it != known[level].end())
      return it->second;
    Range r = call(e, static_cast<int>(level));
    known[level].insert_or_assign(e, r);
    return r;
  }

  Range power(Range r, int64_t count) {
    Range result = r;
    for (int64_t i = 1; i < count; ++i)
      result = multiplyRanges(result, r);
    if (count % 2 == 0) // of one value, so never below zero
      result.lo = std::max<Int128>(result.lo, 0);
    return result;
  }
  Range base(const Expr &e, int depth) {
    if (kind(e) != Kind::Product)
      return atom(e, depth);
    Range result{1, 1};
    for (const Term &f : node(e).terms)
      result = multiplyRanges(result, power(atom(f.base, depth), f.count));
    return result;
  }
  Range plain(const Expr &p, int depth) {
    SumView view(p);
    Range result{view.constant(), view.constant()};
    for (const Term &t : view.terms())
      result = addRanges(result, multiplyRanges({t.count, t.count}, base(t.base, depth)));
    return result;
  }

  Range call(const Expr &e, int depth) {
    const auto &operands = node(e).operands;
    std::vector<Range> r;
    for (const Expr &operand : operands)
      r.push_back(range(operand, depth));
    switch (kind(e)) {
    case Kind::FloorDiv:
    case Kind::Mod: {
      Range a = r[0], b = r[1];
      // A divisor of zero is an error, not a value.
      if (b.lo == 0)
        b.lo = 1;
      if (b.hi == 0)
        b.hi = -1;
      if (kind(e) == Kind::FloorDiv)
        return quotient(a, b);
      Range result{b.lo < 0 ? clamp(b.lo + 1) : 0, b.hi > 0 ? clamp(b.hi - 1) : 0};
      if (b.lo > 0 && a.lo >= 0)
        result.hi = std::min(result.hi, a.hi);
      return result;
    }
    case Kind::Min:
    case Kind::Max: {
      Range result = r[0];
      for (Range x : r)
        result = kind(e) == Kind::Min ? Range{std::min(result.lo, x.lo), std::min(result.hi, x.hi)}
                                      : Range{std::max(result.lo, x.lo), std::max(result.hi, x.hi)};
      return result;
    }
    default: {
      // The value is one of the operands, it is each operand that is not 1, and where none is 0 it is the greatest.
      Range result = r[0];
      bool positive = true;
      Int128 greatest = r[0].lo;
      for (Range x : r) {
        result = hull(result, x);
        positive &= x.lo >= 1;
        greatest = std::max(greatest, x.lo);
      }
      for (Range x : r)
        if (x.lo >= 2 || x.hi <= 0)
          result = meet(result, x);
      if (positive)
        result.lo = std::max(result.lo, greatest);
      return result;
    }
    }
  }

  static Range quotient(Range a, Range b) {
    if (b.lo > 0) {
      // Monotone in a; in b it goes towards zero, or towards -1 from below.
      Int128 hi = a.hi >= 0 ? divideBounds(a.hi, b.lo) : divideBounds(a.hi, b.hi);
      Int128 lo = a.lo >= 0 ? (finite(a.lo) ? divideBounds(a.lo, b.hi) : 0) : divideBounds(a.lo, b.lo);
      return {lo, hi};
    }
    Int128 most = std::max(a.hi < 0 ? -a.hi : a.hi, a.lo < 0 ? -a.lo : a.lo);
    return {-most, most};
  }

  int signOf(const Expr &e, int depth) {
    if (auto c = e.constant())
      return *c >= 0 ? 1 : -1;
    Range r = range(e, depth > 0 ? depth - 1 : 0);
    return r.lo >= 0 ? 1 : r.hi <= 0 ? -1 : 0;
  }

  /// Lower bound of p = factor*t + rest through what is known of the call t.
  Int128 replaceCall(const Expr &p, const Expr &t, int depth, Int128 target) {
    std::vector<Expr> with, without;
    SumView view(p);
    bool linear = true;
    for (const Term &term : view.terms()) {
      auto q = divideBases(term.base, t);
      linear &= !q || !divideBases(*q, t);
      (q ? with : without).push_back((q ? *q : term.base) * term.count);
    }
    without.push_back(view.constant());
    Expr factor = addAll(with), rest = addAll(without);
    if (!linear)
      return oneOf(p, t, depth, target);
    int sign = signOf(factor, depth);
    auto at = [&](const Expr &value) { return lower(factor * value + rest, depth - 1, target); };
    const auto &operands = node(t).operands;
    Int128 best = -limit;
    switch (kind(t)) {
    case Kind::Max:
    case Kind::Min:
      if (sign != 0 && (sign > 0) == (kind(t) == Kind::Max)) {
        for (const Expr &operand : operands)
          if ((best = std::max(best, at(operand))) >= target)
            break;
        return best;
      }
      return oneOf(p, t, depth, target);
    case Kind::Broadcast: {
      best = oneOf(p, t, depth, target);
      bool positive = true;
      for (const Expr &operand : operands)
        positive &= range(operand, depth - 1).lo >= 1;
      if (positive && sign > 0)
        for (const Expr &operand : operands)
          best = std::max(best, at(operand));
      return best;
    }
    case Kind::FloorDiv: {
      // c*t is in [a - c + 1, a] for c > 0.
      const Expr &a = operands[0], &b = operands[1];
      if (sign == 0 || range(b, depth - 1).lo < 0)
        return best;
      if (auto c = b.constant()) {
        if (*c <= 0)
          return best;
        Expr scaled = factor * (sign > 0 ? a - (*c - 1) : a) + rest * *c;
        return ceilDivide(lower(scaled, depth - 1, multiplyBounds(target, *c)), *c);
      }
      if (auto q = dividePolynomials(factor, b)) {
        int qSign = signOf(*q, depth);
        if (qSign != 0)
          best = lower(*q * (qSign > 0 ? a - b + 1 : a) + rest, depth - 1, target);
      }
      if (sign < 0 && best < target && range(a, depth - 1).lo >= 0)
        best = std::max(best, at(a));
      return best;
    }
    case Kind::Mod: {
      const Expr &a = operands[0], &b = operands[1];
      if (range(b, depth - 1).lo < 0)
        return best;
      best = lower(factor * (a - b * floorDiv(a, b)) + rest, depth - 1, target); // also where they cancel
      if (sign > 0 && best < target)
        best = std::max(best, lower(rest, depth - 1, target));
      if (sign < 0 && best < target)
        best = std::max(best, at(b - 1));
      if (sign < 0 && best < target && range(a, depth - 1).lo >= 0)
        best = std::max(best, at(a));
      return best;
    }
    default:
      return best;
    }
  }

  /// The call is one of its operands: the least over the cases.
  Int128 oneOf(const Expr &p, const Expr &t, int depth, Int128 target) {
    if (kind(t) != Kind::Max && kind(t) != Kind::Min && kind(t) != Kind::Broadcast)
      return -limit;
    Int128 worst = limit;
    for (const Expr &operand : node(t).operands) {
      worst = std::min(worst, lower(replaceTopAtom(p, t, operand), depth - 1, target));
      if (worst == -limit)
        break;
    }
    return worst;
  }

  /// Products of symbols whose ranges begin above zero: with x = lo + x' all x' are at least zero, and B*S - B becomes
  /// B*x'. The names are reused for the differences. A second try moves one symbol to its upper end.
  Int128 shifted(const Expr &p, int depth) {
    std::vector<Expr> inProducts;
    SumView view(p);
    if (view.terms().size() > 24)
      return -limit;
    for (const Term &t : view.terms())
      if (node(t.base).degree > 4)
        return -limit;
      else if (kind(t.base) == Kind::Product)
        for (const Term &f : node(t.base).terms)
          if (kind(f.base) == Kind::Symbol)
            inProducts.push_back(f.base);
    std::sort(inProducts.begin(), inProducts.end());
    inProducts.erase(std::unique(inProducts.begin(), inProducts.end()), inProducts.end());
    if (inProducts.empty() || inProducts.size() > 6)
      return -limit;
    std::map<std::string, Range> moved;
    auto bound = [&](const Expr &e) {
      Range result{SumView(e).constant(), SumView(e).constant()};
      SumView v(e);
      for (const Term &t : v.terms()) {
        Range product{t.count, t.count};
        for (const Term &f : factorsOf(t.base)) {
          auto it = kind(f.base) == Kind::Symbol ? moved.find(node(f.base).name) : moved.end();
          product = multiplyRanges(product, power(it == moved.end() ? atom(f.base, depth - 1) : it->second, f.count));
        }
        result = addRanges(result, product);
      }
      return result.lo;
    };
    Expr low = p;
    for (const Expr &s : inProducts) {
      Range r = rangeOf(s);
      if (!finite(r.lo) || r.lo == 0 || r.lo != static_cast<int64_t>(r.lo))
        continue;
      low = replaceTopAtom(low, s, s + static_cast<int64_t>(r.lo));
      moved[node(s).name] = addRanges(r, {-r.lo, -r.lo});
    }
    if (isOverflow(low))
      return -limit;
    Int128 best = moved.empty() ? -limit : bound(low);
    for (const Expr &s : inProducts) {
      Range r = rangeOf(s);
      if (!finite(r.hi) || !finite(r.lo) || r.hi != static_cast<int64_t>(r.hi))
        continue;
      auto before = moved.find(node(s).name);
      std::optional<Range> old = before == moved.end() ? std::nullopt : std::optional(before->second);
      // From the form that is already moved by lo: x' = (hi - lo) - x''.
      Int128 width = old ? r.hi - r.lo : r.hi;
      if (width != static_cast<int64_t>(width))
        continue;
      Expr high = replaceTopAtom(low, s, Expr(static_cast<int64_t>(width)) - s);
      if (isOverflow(high))
        continue;
      moved[node(s).name] = {0, r.hi - r.lo};
      best = std::max(best, bound(high));
      if (old)
        moved[node(s).name] = *old;
      else
        moved.erase(node(s).name);
    }
    return best;
  }

  /// x*p = p' + y*m*d with d >= 0 known and m, x, y >= 0: a term of p is cancelled by one of d.
  Int128 subtract(const Expr &p, const Expr &d, int depth, Int128 target) {
    Int128 best = -limit;
    SumView view(p), known(d);
    if (view.terms().size() * known.terms().size() > 1024)
      return best;
    for (const Term &t : view.terms()) {
      if (t.count == INT64_MIN)
        continue;
      for (const Term &u : known.terms()) {
        if ((u.count < 0) != (t.count < 0) || u.count == INT64_MIN)
          continue;
        auto m = divideBases(t.base, u.base);
        if (!m || (!m->constant() && base(*m, 0).lo < 0))
          continue;
        int64_t g = std::gcd(t.count, u.count), x = std::abs(u.count) / g, y = std::abs(t.count) / g;
        Expr rest = p * x - *m * y * d;
        best = std::max(best, ceilDivide(lower(rest, depth - 1, multiplyBounds(target, x)), x));
        if (best >= target)
          return best;
      }
    }
    return best;
  }

  static Int128 ceilDivide(Int128 a, Int128 b) { return finite(a) ? -floorDivide(-a, b) : a; }
};

Range Facts::State::bounds(const Expr &e, int depth) const {
  if (isOverflow(e))
    return {};
  Range r = Bounder(*this).range(e, depth);
  Residue residue = residueOf(e);
  if (residue.modulus == 0)
    return {residue.residue, residue.residue};
  if (residue.modulus > 1) {
    Int128 m = residue.modulus, x = residue.residue;
    if (finite(r.lo))
      r.lo = x - floorDivide(x - r.lo, m) * m;
    if (finite(r.hi))
      r.hi = x + floorDivide(r.hi - x, m) * m;
  }
  return r;
}

bool Facts::State::nonNegativeProved(const Expr &e, int depth) const {
  if (auto c = e.constant())
    return *c >= 0;
  return !isOverflow(e) && Bounder(*this).lower(e, depth, 0) >= 0;
}

bool Facts::State::addNonNegative(const Expr &original) {
  Expr e = canonical(original);
  if (isOverflow(e))
    return true;
  if (bounds(e).hi < 0)
    return false;
  if (bounds(e, 0).lo >= 0)
    return true;
  nonNegative.push_back(0);
  setNonNegative(nonNegative.size() - 1, e);
  return propagate(e.symbols());
}

void Facts::State::setNonNegative(size_t index, const Expr &e) {
  if (nonNegative[index] == e)
    return;
  nonNegative[index] = e;
  for (const std::string &name : e.symbols()) {
    auto &list = inequalitiesOf[name];
    if (std::find(list.begin(), list.end(), index) == list.end())
      list.push_back(index);
  }
}

bool Facts::State::narrow(const std::string &name, Range range) {
  if (solved.count(name)) { // its range became inequalities of the solution
    const Expr &by = solved.at(name);
    auto fits = [](Int128 v) { return finite(v) && v == static_cast<int64_t>(v); };
    return (!fits(range.lo) || addNonNegative(by - static_cast<int64_t>(range.lo))) &&
           (!fits(range.hi) || addNonNegative(Expr(static_cast<int64_t>(range.hi)) - by));
  }
  Range old = rangeOf(name), next = meet(old, range);
  if (next.lo > next.hi)
    return false;
  if (next.lo == old.lo && next.hi == old.hi)
    return true;
  ranges[name] = next;
  if (next.lo == next.hi && next.lo == static_cast<int64_t>(next.lo))
    return addZero(Expr::symbol(name) - static_cast<int64_t>(next.lo), 0);
  return propagate({name});
}

/// Tightens ranges through the inequalities that mention changed symbols; bounded, so not to a fixed point.
bool Facts::State::propagate(std::vector<std::string> changed) {
  std::vector<std::string> pinned;
  for (int steps = 0; !changed.empty() && steps < 64; ++steps) {
    std::string name = std::move(changed.back());
    changed.pop_back();
    std::vector<size_t> indices = inequalitiesOf[name];
    for (size_t index : indices) {
      Expr d = nonNegative[index];
      SumView view(d);
      if (view.terms().size() > 64)
        continue;
      for (const Term &t : view.terms()) {
        if (kind(t.base) != Kind::Symbol)
          continue;
        // count*x >= -(rest), with rest at its greatest.
        Range rest = Bounder(*this).range(d - t.base * t.count, 0);
        if (!finite(rest.hi))
          continue;
        const std::string &x = node(t.base).name;
        Range old = rangeOf(x), next = old;
        if (t.count > 0)
          next.lo = std::max(next.lo, -floorDivide(rest.hi, Int128(t.count)));
        else
          next.hi = std::min(next.hi, floorDivide(rest.hi, -Int128(t.count)));
        if (next.lo > next.hi)
          return false;
        if (next.lo == old.lo && next.hi == old.hi)
          continue;
        ranges[x] = next;
        changed.push_back(x);
        if (next.lo == next.hi)
          pinned.push_back(x);
      }
    }
  }
  for (const std::string &name : pinned) {
    Range r = rangeOf(name);
    if (!solved.count(name) && r.lo == static_cast<int64_t>(r.lo) &&
        !addZero(Expr::symbol(name) - static_cast<int64_t>(r.lo), 0))
      return false;
  }
  return true;
}

} // namespace pliant
