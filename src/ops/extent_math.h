// SPDX-License-Identifier: Apache-2.0
// Extent arithmetic that uses facts to stay simple: minimum, maximum and quotients resolved where they are decided.
#pragma once
#include "shape/facts.h"

namespace pliant {

inline Expr minOf(const Facts &facts, const Expr &a, const Expr &b) {
  if (facts.lessEqual(a, b) == Proof::Yes)
    return a;
  return facts.lessEqual(b, a) == Proof::Yes ? b : min(a, b);
}
inline Expr maxOf(const Facts &facts, const Expr &a, const Expr &b) {
  if (facts.lessEqual(a, b) == Proof::Yes)
    return b;
  return facts.lessEqual(b, a) == Proof::Yes ? a : max(a, b);
}
/// a / b where b divides a for all valid values; floor division says the same at run time (b = 0 is an error there).
inline Expr quotient(const Facts &facts, const Expr &a, const Expr &b) {
  if (std::optional<Expr> exact = facts.divideExactly(a, b))
    return *exact;
  return floorDiv(a, b);
}
/// The wording of an extent that two values share: a constant, else the first.
inline const Expr &informative(const Expr &a, const Expr &b) { return !a.constant() && b.constant() ? b : a; }

} // namespace pliant
