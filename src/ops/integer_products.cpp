// SPDX-License-Identifier: Apache-2.0
// Products of quantised operands as integer contractions.
#include "ops/integer_products.h"
#include <algorithm>

namespace pliant {

static bool isZero(ValueBuilder &b, Value v) {
  if (!v)
    return true;
  const Content *content = b.content(v);
  return content && std::all_of(content->begin(), content->end(), [](const Expr &e) { return e.isConstant(0); });
}
static bool single(ValueBuilder &b, Value v) { return product(b.shape(v)).isConstant(1); }
/// A zero point of one entry as a scalar of the operand's type; an invalid one is 0.
static Value scalarZero(ValueBuilder &b, Value zero, Value of) {
  if (!zero)
    return b.scalarLike(of, 0);
  return b.rank(zero) == 0 ? zero : b.reshape(zero, {});
}
static Value wide(ValueBuilder &b, Value v) { return b.cast(v, DType::I32); }
static Value difference(ValueBuilder &b, Value v, Value zero) {
  return isZero(b, zero) ? wide(b, v) : b.sub(wide(b, v), wide(b, zero));
}

Value integerMatmul(ValueBuilder &b, Value lhs, Value lhsZero, Value rhs, Value rhsZero) {
  if (b.failed())
    return {};
  const int64_t last = b.rank(lhs) - 1;
  const bool perRow = lhsZero && !single(b, lhsZero);
  if (rhsZero && single(b, rhsZero))
    rhsZero = scalarZero(b, rhsZero, rhs);
  Value y = b.matmulInteger(lhs, rhs, scalarZero(b, perRow ? Value() : lhsZero, lhs));
  if (perRow)
    y = b.sub(y, b.mul(wide(b, lhsZero), b.reduceSum(wide(b, rhs), {b.rank(rhs) - 2}, true)));
  if (!isZero(b, rhsZero))
    y = b.sub(y, b.mul(wide(b, rhsZero), b.reduceSum(difference(b, lhs, lhsZero), {last}, true)));
  return y;
}

/// Filters of ones, as many as there are groups.
static Value ones(ValueBuilder &b, const Extents &filters, int64_t groups) {
  std::vector<int64_t> dims{groups};
  for (size_t i = 1; i < filters.size(); ++i)
    dims.push_back(*filters[i].constant());
  Result<DenseTensor> made = DenseTensor::allocate(DType::I8, dims);
  if (!made) {
    b.fail(made.takeError());
    return {};
  }
  std::fill_n(made->as<int8_t>(), made->size(), int8_t(1));
  return b.constant(*made);
}

Value integerConv(ValueBuilder &b, Value x, Value xZero, Value w, Value wZero, const std::vector<int64_t> &strides,
                  const std::vector<int64_t> &dilations, const Extents &pads, int64_t groups) {
  if (b.failed())
    return {};
  const Extents filters = b.shape(w);
  xZero = scalarZero(b, xZero, x);
  auto perOutput = [&](size_t axes) { // as its first of so many axes
    if (!wZero || single(b, wZero))
      return wZero ? scalarZero(b, wZero, w) : wZero;
    Extents shape(axes, Expr(1));
    shape[0] = filters[0];
    return b.reshape(wZero, std::move(shape));
  };
  const Value filterZero = perOutput(filters.size()), resultZero = perOutput(filters.size() - 1);
  const bool known =
      std::all_of(filters.begin(), filters.end(), [](const Expr &e) { return e.constant().has_value(); });
  const int64_t taps = known ? *product(Extents(filters.begin() + 2, filters.end())).constant() : 0;
  // One channel a filter is no contraction: in f32, whose integers reach 2^24, products of 255 by 255 add up exactly.
  if (known && groups > 1 && filters[1].isConstant(1) && taps <= (1 << 24) / (255 * 255)) {
    auto exact = [&](Value v, Value zero) { return b.cast(difference(b, v, zero), DType::F32); };
    return b.cast(b.conv(exact(x, xZero), exact(w, filterZero), strides, dilations, pads, groups, false), DType::I32);
  }
  const bool tiles = known && filters.size() <= 4;
  if (!tiles && !isZero(b, wZero)) // no ones to sum with
    return b.conv(difference(b, x, xZero), difference(b, w, filterZero), strides, dilations, pads, groups, false);
  Value y = b.convInteger(x, w, xZero, strides, dilations, pads, groups, false);
  if (isZero(b, wZero) || b.failed())
    return y;
  Value sums = b.convInteger(x, ones(b, filters, groups), xZero, strides, dilations, pads, groups, false);
  if (groups > 1 && !b.failed()) { // one sum for all outputs of a group
    Extents split = b.shape(sums), all = b.shape(y);
    split.insert(split.begin() + 2, Expr(1));
    Extents spread = split;
    spread[2] = floorDiv(all[1], groups);
    sums = b.reshape(b.broadcastTo(b.reshape(sums, split), spread), all);
  }
  return b.sub(y, b.mul(wide(b, resultZero), sums));
}

} // namespace pliant
