// SPDX-License-Identifier: Apache-2.0
// Symbolic extents: canonical integer polynomials over named symbols, with floor division, modulus, minimum, maximum
// and broadcast as atoms. Two expressions with the same canonical form compare equal; whether two different forms are
// equal under facts is asked of `Facts` (facts.h).
#pragma once
#include "support/result.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

class Expr {
public:
  struct Node;         // expr.cpp
  Expr();              ///< the constant 0
  Expr(int64_t value); ///< a constant
  /// Any text. Printed bare when it is [A-Za-z_?][A-Za-z0-9_.?:]* and no call's name ("batch", "x.1", "?0"), else in
  /// single quotes with inner ones doubled ("'a-b'", "'it''s'", "'max'").
  static Expr symbol(std::string_view name);

  std::optional<int64_t> constant() const;
  bool isConstant(int64_t value) const { return constant() == value; }
  std::optional<std::string> symbolName() const; ///< set when the expression is one bare symbol
  std::vector<std::string> symbols() const;      ///< all names that occur, sorted, each once

  /// Canonical text; `parse` reads it back: "2*S+1", "floordiv(W-1, 2)+1", "max(A, B)", "broadcast(A, B)". Powers are
  /// repeated factors. An expression beyond the caps (64-bit coefficients, 16384 nodes, degree 64, nesting 100) is
  /// "overflow()": it absorbs every operation, has no value, and nothing is ever proved of it.
  std::string str() const;
  static Result<Expr> parse(std::string_view text);

  /// The value under an assignment. An error names a missing symbol, an overflow of 64 bits, a division by zero or
  /// extents that do not broadcast.
  Result<int64_t> evaluate(const std::function<std::optional<int64_t>(const std::string &)> &valueOf) const;
  /// Replaces symbols; `replace` returns nothing for symbols to keep.
  Expr substitute(const std::function<std::optional<Expr>(const std::string &)> &replace) const;

  bool operator==(const Expr &other) const;
  bool operator<(const Expr &other) const; ///< a total order for maps; no numeric meaning
  size_t hash() const;

  friend Expr operator+(const Expr &, const Expr &);
  friend Expr operator-(const Expr &, const Expr &);
  friend Expr operator*(const Expr &, const Expr &);
  friend Expr floorDiv(const Expr &, const Expr &); ///< rounds towards minus infinity
  friend Expr mod(const Expr &, const Expr &);      ///< a - b*floorDiv(a, b)
  friend Expr min(const Expr &, const Expr &);
  friend Expr max(const Expr &, const Expr &);
  /// The extent of two broadcast axes: b where a is 1, else a (with a == b or one of them 1 required of the inputs).
  friend Expr broadcast(const Expr &a, const Expr &b);

  /// Structural walk for code generation: the canonical form as a tree of simple operations, operands first.
  enum class Op : uint8_t { Constant, Symbol, Add, Mul, FloorDiv, Mod, Min, Max, Broadcast };
  struct Step {
    Op op;
    int64_t value = 0;      ///< Constant
    std::string symbol;     ///< Symbol
    int lhs = -1, rhs = -1; ///< indices of earlier steps
  };
  std::vector<Step> steps() const; ///< the last step is the value; shared subterms occur once

private:
  explicit Expr(std::shared_ptr<const Node> node) : node(std::move(node)) {}
  std::shared_ptr<const Node> node;
};

Expr floorDiv(const Expr &, const Expr &);
Expr mod(const Expr &, const Expr &);
Expr min(const Expr &, const Expr &);
Expr max(const Expr &, const Expr &);
Expr broadcast(const Expr &, const Expr &);
inline Expr ceilDiv(const Expr &a, const Expr &b) { return floorDiv(a + b - 1, b); }

using Extents = std::vector<Expr>;
Expr product(const Extents &extents);
std::string str(const Extents &extents); ///< "(B, 2*S+1, 64)"

} // namespace pliant

template <> struct std::hash<pliant::Expr> {
  size_t operator()(const pliant::Expr &e) const { return e.hash(); }
};
