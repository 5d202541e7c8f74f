// SPDX-License-Identifier: Apache-2.0
// Arithmetic of index maps.
#include "group/index_map.h"

namespace pliant {

Affine operator+(const Affine &a, const Affine &b) {
  Affine sum = a;
  for (size_t d = 0; d < sum.coefficients.size(); ++d)
    sum.coefficients[d] = sum.coefficients[d] + b.coefficients[d];
  sum.offset = sum.offset + b.offset;
  for (const Affine::Term &term : b.terms) {
    auto same = std::find_if(sum.terms.begin(), sum.terms.end(),
                             [&](const Affine::Term &t) { return t.instance == term.instance; });
    if (same == sum.terms.end())
      sum.terms.push_back(term);
    else
      same->coefficient = same->coefficient + term.coefficient;
  }
  return sum;
}

Affine operator*(const Affine &a, const Expr &factor) {
  if (factor.isConstant(0))
    return Affine::constant(a.coefficients.size(), 0);
  Affine scaled = a;
  for (Expr &c : scaled.coefficients)
    c = c * factor;
  scaled.offset = scaled.offset * factor;
  for (Affine::Term &term : scaled.terms)
    term.coefficient = term.coefficient * factor;
  return scaled;
}

IndexMap identityMap(size_t dims) {
  IndexMap map;
  for (size_t d = 0; d < dims; ++d)
    map.push_back(Affine::dimension(dims, d));
  return map;
}

Extents rowMajor(const Extents &shape) {
  Extents strides(shape.size());
  Expr stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride = stride * shape[i];
  }
  return strides;
}

Affine linearize(const IndexMap &map, const Extents &strides, size_t dims) {
  Affine sum = Affine::constant(dims, 0);
  for (size_t i = 0; i < map.size(); ++i)
    sum = sum + map[i] * strides[i];
  return sum;
}

std::optional<IndexMap> delinearize(const Affine &linear, const Extents &shape, const Extents &domain,
                                    const Facts &facts) {
  IndexMap map(shape.size());
  Affine rest = linear;
  for (size_t axis = shape.size(); axis-- > 0;) {
    const Expr &size = shape[axis];
    if (axis == 0) { // the outermost axis takes what is left
      map[0] = rest;
      return map;
    }
    if (size.isConstant(1)) {
      map[axis] = Affine::constant(domain.size(), 0);
      continue;
    }
    // Whole multiples of the axis move outwards; what remains must stay below the axis for every point.
    Affine inner = Affine::constant(domain.size(), 0), outer = inner;
    Expr highest = 0;
    auto place = [&](const Expr &coefficient, Expr &in, Expr &out, const Expr &largest) {
      if (coefficient.isConstant(0))
        return true;
      if (auto quotient = facts.divideExactly(coefficient, size)) {
        out = *quotient;
        return true;
      }
      in = coefficient;
      highest = highest + coefficient * largest;
      return facts.atLeast(coefficient, 0);
    };
    for (size_t d = 0; d < domain.size(); ++d)
      if (!domain[d].isConstant(1) &&
          !place(rest.coefficients[d], inner.coefficients[d], outer.coefficients[d], domain[d] - 1))
        return std::nullopt;
    if (!place(rest.offset, inner.offset, outer.offset, 1))
      return std::nullopt;
    for (const Affine::Term &term : rest.terms) {
      auto quotient = facts.divideExactly(term.coefficient, size);
      if (!quotient)
        return std::nullopt;
      outer.terms.push_back({term.instance, *quotient});
    }
    if (facts.lessEqual(highest, size - 1) != Proof::Yes)
      return std::nullopt;
    map[axis] = inner;
    rest = outer;
  }
  return map;
}

IndexMap broadcastMap(const IndexMap &map, const Extents &operand, const Extents &result, size_t dims) {
  IndexMap mapped(operand.size());
  size_t lead = result.size() - operand.size();
  for (size_t i = 0; i < operand.size(); ++i) {
    const Expr &mine = operand[i], &full = result[lead + i];
    if (mine.isConstant(1))
      mapped[i] = Affine::constant(dims, 0);
    else if (mine == full || (mine.constant() && !full.constant()))
      mapped[i] = map[lead + i];
    else // 1 or equal, decided at run time: the index times 0 or 1
      mapped[i] = map[lead + i] * min(mine - 1, 1);
  }
  return mapped;
}

bool isZeroOrOne(const Expr &stride) {
  const std::vector<Expr::Step> steps = stride.steps();
  const Expr::Step &last = steps.back();
  auto isOne = [&](int at) { return at >= 0 && steps[at].op == Expr::Op::Constant && steps[at].value == 1; };
  return last.op == Expr::Op::Min && (isOne(last.lhs) || isOne(last.rhs));
}

} // namespace pliant
