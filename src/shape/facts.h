// SPDX-License-Identifier: Apache-2.0
// Facts about symbols and what can be proved from them. Every answer is sound for all values that satisfy the facts;
// "unknown" is always allowed, a wrong "yes" or "no" never is.
#pragma once
#include "shape/expr.h"
#include <limits>
#include <map>

namespace pliant {

/// Closed interval of 64-bit integers; the extreme values stand for "no bound".
struct Interval {
  int64_t lo = std::numeric_limits<int64_t>::min();
  int64_t hi = std::numeric_limits<int64_t>::max();
};

/// Yes: true, No: false, each for all values that satisfy the facts and for which both sides have a value.
enum class Proof : uint8_t { No, Unknown, Yes };

class Facts {
public:
  Facts();
  ~Facts();
  Facts(const Facts &);
  Facts &operator=(const Facts &);
  Facts(Facts &&) noexcept;
  Facts &operator=(Facts &&) noexcept;

  /// Symbols are extents: by default in [0, 2^47]. The first fact about a symbol may give it a wider range (a negative
  /// one too); every other range narrows. `source` is kept for explanations ("input x, axis 1").
  Status assumeRange(const std::string &symbol, Interval range, const std::string &source = {});
  /// Equality of two expressions, products included. An error when it contradicts what is known (both printed).
  Status assumeEqual(const Expr &a, const Expr &b, const std::string &source = {});
  Status assumeLessEqual(const Expr &a, const Expr &b, const std::string &source = {});
  Status assumeDivides(int64_t divisor, const Expr &e, const std::string &source = {});

  /// The canonical member of the class of `e` under the equalities; equal canonical forms mean proved equal.
  Expr canonical(const Expr &e) const;
  Interval bounds(const Expr &e) const;
  Proof equal(const Expr &a, const Expr &b) const;
  Proof lessEqual(const Expr &a, const Expr &b) const;
  bool divides(int64_t divisor, const Expr &e) const; ///< proved, for all values
  bool atLeast(const Expr &e, int64_t lo) const { return bounds(e).lo >= lo; }

  /// Exact division of products: q with a == b*q for all values, when there is one ("S*768 / 768" is "S").
  std::optional<Expr> divideExactly(const Expr &a, const Expr &b) const;

  struct Fact {
    enum class Kind : uint8_t { Range, Equal, LessEqual, Divides } kind;
    Expr a, b;           ///< Range: a is the symbol; Divides: a is the expression
    Interval range;      ///< Range
    int64_t divisor = 0; ///< Divides
    std::string source;
    std::string str() const;
  };
  const std::vector<Fact> &all() const; ///< in the order in which they were assumed

private:
  struct State;
  Status assume(Fact fact);
  std::unique_ptr<State> state;
};

} // namespace pliant
