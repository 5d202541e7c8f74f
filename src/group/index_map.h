// SPDX-License-Identifier: Apache-2.0
// Index maps: for each axis of a value, the index as an affine function of the loop domain, with symbolic coefficients
// and, for gathers, values computed at run time.
#pragma once
#include "group/group.h"

namespace pliant {

/// sum(coefficients[d] * domain index d) + offset + sum(term.coefficient * value of term.instance)
struct Affine {
  struct Term {
    int instance;
    Expr coefficient;
    bool operator==(const Term &) const = default;
  };
  std::vector<Expr> coefficients;
  Expr offset;
  std::vector<Term> terms;

  static Affine constant(size_t dims, Expr value) { return {std::vector<Expr>(dims), std::move(value), {}}; }
  static Affine dimension(size_t dims, size_t d) {
    Affine a = constant(dims, 0);
    a.coefficients[d] = 1;
    return a;
  }
  bool operator==(const Affine &) const = default;
};
Affine operator+(const Affine &a, const Affine &b);
Affine operator*(const Affine &a, const Expr &factor);
inline Affine operator+(Affine a, const Expr &e) {
  a.offset = a.offset + e;
  return a;
}

using IndexMap = std::vector<Affine>; ///< one per axis

IndexMap identityMap(size_t dims);
/// Row-major strides of a shape.
Extents rowMajor(const Extents &shape);
/// The linear element index of a map into a buffer with the given strides.
Affine linearize(const IndexMap &map, const Extents &strides, size_t dims);
/// Splits a linear index into indices of `shape`, if it divides evenly for every point of the domain.
std::optional<IndexMap> delinearize(const Affine &linear, const Extents &shape, const Extents &domain,
                                    const Facts &facts);
/// The map of an operand of shape `operand` of a pointwise node of shape `result` accessed by `map`.
IndexMap broadcastMap(const IndexMap &map, const Extents &operand, const Extents &result, size_t dims);
/// Whether it is the stride of an axis whose extent is 1 or the result's: min(extent - 1, 1), as broadcastMap writes
/// it.
bool isZeroOrOne(const Expr &stride);

} // namespace pliant
