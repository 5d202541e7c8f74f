// SPDX-License-Identifier: Apache-2.0
// Reference of top_k: a sort of each line, NaN above every number.
#include "ops/op.h"
#include "ops/ref_values.h"
#include "ops/walk.h"
#include <algorithm>
#include <numeric>

namespace pliant::ops::top_k {

Status ref(RefContext &c) {
  const auto &a = c.as<TopKAttrs>();
  const Dims &dims = c.inputs[0].dims();
  const int64_t count = dims[a.axis], step = stridesOf(dims)[a.axis], k = c.outputs[0].dims()[a.axis];
  if (k > count)
    return c.error("k is " + std::to_string(k) + " but the axis has " + std::to_string(count) + " elements", "C2");
  if (c.outputs[0].size() == 0)
    return ok();
  ref::withOrder(c.inputs[0].dtype(), [&]<class T>(Type<T>) {
    const std::vector<T> x = ref::read<T>(c.inputs[0]);
    std::vector<T> values(static_cast<size_t>(c.outputs[0].size()));
    int64_t *indices = c.outputs[1].as<int64_t>();
    const auto below = [](T u, T v) { return u < v || (!ref::isNaN(u) && ref::isNaN(v)); };
    std::vector<int64_t> order(static_cast<size_t>(count));
    for (int64_t line = 0; line < c.outputs[0].size() / k; ++line) {
      const T *from = x.data() + line / step * step * count + line % step;
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
        const T u = from[i * step], v = from[j * step];
        if (a.largest ? below(v, u) : below(u, v))
          return true;
        return !(a.largest ? below(u, v) : below(v, u)) && i < j; // ties: the lower index first
      });
      for (int64_t i = 0; i < k; ++i) {
        const int64_t to = line / step * step * k + line % step + i * step;
        values[to] = from[order[i] * step];
        indices[to] = order[i];
      }
    }
    ref::write(c.outputs[0], values);
  });
  return ok();
}

} // namespace pliant::ops::top_k
