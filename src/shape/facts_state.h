// SPDX-License-Identifier: Apache-2.0
// Inside of the solver, for the files of src/shape only: what is known, kept in solved form, and the provers over it.
#pragma once
#include "shape/expr_node.h"
#include "shape/facts.h"
#include <set>
#include <unordered_map>

namespace pliant {

namespace shape {

/// A bound in 128 bits; beyond +-limit it stands for "none".
constexpr Int128 limit = Int128(1) << 120;
inline Int128 clamp(Int128 v) { return v > limit ? limit : v < -limit ? -limit : v; }
inline bool finite(Int128 v) { return v > -limit && v < limit; }

struct Range {
  Int128 lo = -limit, hi = limit;
};
Range addRanges(Range a, Range b);
Range multiplyRanges(Range a, Range b);

constexpr int64_t defaultHigh = int64_t(1) << 47;

/// All values that are `residue` modulo `modulus`; modulus 0 is the single value `residue`.
struct Residue {
  int64_t modulus = 1, residue = 0;
  bool multipleOf(int64_t m) const { return modulus % m == 0 && residue % m == 0; }
  bool known(int64_t m) const { return modulus % m == 0; }
};
/// Nothing when the two sets do not meet.
std::optional<Residue> intersect(Residue a, Residue b);

} // namespace shape

struct Facts::State {
  std::vector<Fact> facts;

  /// Solved form. `solved` maps a symbol to an expression free of solved symbols; a rule rewrites a base to smaller
  /// ones; an identity is a polynomial equal to zero without a leading coefficient of one.
  struct Rule {
    Expr lhs, rhs;
  };
  struct Congruence {
    int64_t modulus;
    Expr e;
  };
  std::map<std::string, Expr> solved;
  std::vector<Rule> rules;
  std::vector<Expr> identities;
  std::vector<Expr> nonNegative;
  std::vector<Congruence> congruences;
  std::unordered_map<std::string, shape::Range> ranges;
  std::unordered_map<std::string, shape::Residue> residues;
  /// Which entries of `nonNegative` and which solved symbols mention a symbol (also ones that no longer do).
  std::unordered_map<std::string, std::vector<size_t>> inequalitiesOf;
  std::unordered_map<std::string, std::set<std::string>> solvedOver;

  bool assume(const Fact &fact); ///< facts.cpp; false when it contradicts what is known

  struct Signs {
    bool negative = false, zero = false, positive = false;
  };
  Signs someSigns(const Expr &d) const; ///< facts.cpp

  // equalities.cpp
  Expr canonical(const Expr &e) const;
  Expr applyRules(const Expr &e) const;
  std::optional<Expr> simplifyCall(const Expr &call) const;
  bool addEqual(const Expr &a, const Expr &b); ///< false on contradiction
  bool addZero(Expr p, int depth);
  bool solve(const std::string &name, const Expr &by, int depth);
  bool refresh(const std::function<bool(const Expr &)> &affected, int depth);
  bool addRule(const Expr &lhs, const Expr &rhs, int depth);
  bool reducesToZero(Expr p) const;
  std::optional<Expr> divide(const Expr &a, const Expr &b) const;

  // bounds.cpp
  class Bounder;
  shape::Range rangeOf(const std::string &name) const {
    auto it = ranges.find(name);
    return it == ranges.end() ? shape::Range{0, shape::defaultHigh} : it->second;
  }
  shape::Range bounds(const Expr &canonicalExpr, int depth = 3) const;
  bool nonNegativeProved(const Expr &canonicalExpr, int depth = 4) const;
  bool addNonNegative(const Expr &e);
  void setNonNegative(size_t index, const Expr &e);
  bool narrow(const std::string &name, shape::Range range);
  bool propagate(std::vector<std::string> changed);

  // congruence.cpp
  shape::Residue residueOf(const Expr &e) const;
  bool dividesProved(int64_t divisor, const Expr &canonicalExpr) const;
  bool dividesWith(int64_t m, const Expr &e, int depth) const;
  bool addDivides(int64_t divisor, const Expr &e);
};

} // namespace pliant
