// SPDX-License-Identifier: Apache-2.0
// Inside of symbolic extents, for the files of src/shape only: immutable nodes, their order, and their makers.
#pragma once
#include "shape/expr.h"
#include <span>

namespace pliant {

/// A canonical expression is one of: a constant; an atom (symbol or call); a product of at least two atoms, counted
/// with their powers; a sum of coefficient*base plus a constant, where a base is an atom or a product; or "overflow",
/// which absorbs every operation and whose value is an error. Sums are sorted by `compareBases`.
struct Expr::Node {
  enum class Kind : uint8_t { Constant, Symbol, FloorDiv, Mod, Min, Max, Broadcast, Product, Sum, Overflow };
  struct Term {
    Expr base;
    int64_t count; ///< coefficient in a sum, power in a product
  };

  Kind kind = Kind::Constant;
  bool hasCalls = false; ///< a call occurs somewhere below
  uint16_t depth = 0;    ///< nesting of calls; bounds every recursion
  uint32_t degree = 0;   ///< of a base
  uint32_t size = 1;     ///< nodes of the expression as a tree; bounds every traversal
  size_t hash = 0;
  int64_t value = 0; ///< Constant; Sum: the constant part
  std::string name;  ///< Symbol
  std::vector<Term> terms;
  std::vector<Expr> operands; ///< of calls: two, or at least two for Min, Max and Broadcast

  static const Node &of(const Expr &e) { return *e.node; }
  static bool same(const Expr &a, const Expr &b) { return a.node == b.node; }
  /// Computes the cached fields; the result is "overflow" when the node is larger than the caps.
  static Expr seal(Node &&node);
};

namespace shape {
using Kind = Expr::Node::Kind;
using Term = Expr::Node::Term;
using Int128 = __int128;

/// Caps of one expression. Beyond them it becomes "overflow": an error when evaluated, never a wrong value.
constexpr uint32_t maxSize = 1 << 14;
constexpr uint16_t maxDepth = 100;
constexpr uint32_t maxDegree = 64;

inline const Expr::Node &node(const Expr &e) { return Expr::Node::of(e); }
inline Kind kind(const Expr &e) { return node(e).kind; }
inline bool isOverflow(const Expr &e) { return kind(e) == Kind::Overflow; }
inline bool isAtom(const Expr &e) { return kind(e) >= Kind::Symbol && kind(e) <= Kind::Broadcast; }
inline bool isCall(const Expr &e) { return kind(e) >= Kind::FloorDiv && kind(e) <= Kind::Broadcast; }
inline bool isBase(const Expr &e) { return isAtom(e) || kind(e) == Kind::Product; }
/// A call of floordiv or mod with a positive constant divisor.
inline bool hasConstantDivisor(const Expr &e) {
  return (kind(e) == Kind::FloorDiv || kind(e) == Kind::Mod) && node(node(e).operands[1]).kind == Kind::Constant &&
         node(node(e).operands[1]).value > 0;
}

Expr overflow();
/// A total order that depends on structure only.
int compare(const Expr &a, const Expr &b);
/// Graded lexicographic order of bases, the greatest monomial first. Multiplication preserves it.
int compareBases(const Expr &a, const Expr &b);

/// An expression seen as a sum. Keeps the expression alive.
class SumView {
public:
  explicit SumView(const Expr &e);
  std::span<const Term> terms() const;
  int64_t constant() const;

private:
  Expr expr;
  std::optional<Term> single;
};

/// The factors of a base with their powers.
std::vector<Term> factorsOf(const Expr &base);
Expr makeProduct(std::vector<Term> &&sortedFactors);
Expr makeSum(std::vector<Term> &&sortedTerms, int64_t constant);
/// Sorts and merges; coefficients may repeat and be zero.
Expr makeSumUnsorted(std::vector<Term> &&terms, int64_t constant);
Expr makeCall(Kind kind, std::vector<Expr> &&operands);
Expr addAll(const std::vector<Expr> &summands);
/// Applies the canonicalizing constructor of a call.
Expr rebuildCall(Kind kind, const std::vector<Expr> &operands);
/// base / divisor when every factor of the divisor is in base; the constant 1 when they are equal.
std::optional<Expr> divideBases(const Expr &base, const Expr &divisor);
/// Exact polynomial division by leading terms: q with a == b*q as polynomials.
std::optional<Expr> dividePolynomials(const Expr &a, const Expr &b);
/// Replaces atoms at the top level and inside of calls, bottom up; nothing keeps an atom.
Expr mapAtoms(const Expr &e, const std::function<std::optional<Expr>(const Expr &)> &replace);
/// Replaces one atom where it is a factor of a term, not inside of calls.
Expr replaceTopAtom(const Expr &e, const Expr &atom, const Expr &by);
bool contains(const Expr &e, const Expr &atom);
/// The atoms that are factors of terms, sorted, each once.
std::vector<Expr> topAtoms(const Expr &e);

inline int64_t floorDivide(int64_t a, int64_t b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }
/// a - c*floorDivide(a, c) for c > 0, without an intermediate beyond 64 bits.
inline int64_t floorRemainder(int64_t a, int64_t c) { return a % c < 0 ? a % c + c : a % c; }
inline Int128 floorDivide(Int128 a, Int128 b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }

} // namespace shape
} // namespace pliant
