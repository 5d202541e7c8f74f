// SPDX-License-Identifier: Apache-2.0
// Reference of cumsum: running sums in double, each rounded once; integers wrap.
#include "ops/op.h"
#include "ops/ref_values.h"
#include "ops/walk.h"

namespace pliant::ops::cumsum {

Status ref(RefContext &c) {
  const auto &a = c.as<CumsumAttrs>();
  const Dims &dims = c.inputs[0].dims();
  const int64_t count = dims[a.axis], step = stridesOf(dims)[a.axis];
  if (c.inputs[0].size() == 0)
    return ok();
  ref::withArithmetic(c.inputs[0].dtype(), [&]<class T>(Type<T>) {
    const std::vector<T> x = ref::read<T>(c.inputs[0]);
    std::vector<T> sums(x.size());
    for (int64_t line = 0; line < c.inputs[0].size() / count; ++line) {
      const int64_t start = line / step * step * count + line % step;
      T sum{};
      for (int64_t i = 0; i < count; ++i) {
        const int64_t at = start + (a.reverse ? count - 1 - i : i) * step;
        sums[at] = a.exclusive ? sum : sum + x[at];
        sum += x[at];
      }
    }
    ref::write(c.outputs[0], sums);
  });
  return ok();
}

} // namespace pliant::ops::cumsum
