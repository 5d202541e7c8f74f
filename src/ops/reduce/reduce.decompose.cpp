// SPDX-License-Identifier: Apache-2.0
// reduce_mean as sum over count.
#include "ops/compose.h"

namespace pliant::ops::reduce {

std::vector<Value> reduceMean(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const auto &a = std::get<ReduceMeanAttrs>(attrs);
  const DType dtype = b.dtype(operands[0]);
  Value x = compose::widen(b, operands[0]);
  Value sum = b.reduceSum(x, a.axes, a.keepDims);
  return {compose::castTo(b, b.div(sum, compose::extentAs(b, compose::countOf(b, x, a.axes), compose::wide(dtype))),
                          dtype)};
}

} // namespace pliant::ops::reduce
