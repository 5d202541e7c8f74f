// SPDX-License-Identifier: Apache-2.0
// References of arg_max and arg_min: a NaN is the extreme, the first (or last) of equals wins.
#include "ops/op.h"
#include "ops/ref_values.h"
#include "ops/walk.h"

namespace pliant::ops::arg_reduce {

template <class A, class F> static Status index(RefContext &c, const A &a, F &&beyond) {
  const Dims &dims = c.inputs[0].dims();
  const int64_t count = dims[a.axis], step = stridesOf(dims)[a.axis];
  if (count == 0 && c.outputs[0].size() != 0)
    return c.error("x has shape " + str(dims) + ": an empty axis has no extreme element", "C3");
  int64_t *to = c.outputs[0].template as<int64_t>();
  ref::withOrder(c.inputs[0].dtype(), [&]<class T>(Type<T>) {
    const std::vector<T> x = ref::read<T>(c.inputs[0]);
    for (int64_t line = 0; line < c.outputs[0].size(); ++line) {
      const T *from = x.data() + line / step * step * count + line % step;
      int64_t best = 0;
      for (int64_t i = 1; i < count; ++i) {
        const T value = from[i * step], top = from[best * step];
        const bool equal = value == top || (ref::isNaN(value) && ref::isNaN(top));
        if (equal ? a.lastIndex : !ref::isNaN(top) && (ref::isNaN(value) || beyond(value, top)))
          best = i;
      }
      to[line] = best;
    }
  });
  return ok();
}

Status ref(RefContext &c) {
  if (c.op == OpId::ArgMax)
    return index(c, c.as<ArgMaxAttrs>(), [](auto a, auto b) { return a > b; });
  return index(c, c.as<ArgMinAttrs>(), [](auto a, auto b) { return a < b; });
}

} // namespace pliant::ops::arg_reduce
