// SPDX-License-Identifier: Apache-2.0
// Reference of unique: groups in the order of first occurrence by comparing each slice with all groups before, then
// sorted when asked for. Entries behind the groups are 0.
#include "ops/op.h"
#include "ops/ref_values.h"
#include "ops/walk.h"
#include <algorithm>
#include <numeric>

namespace pliant::ops::unique {

Status ref(RefContext &c) {
  const auto &a = c.as<UniqueAttrs>();
  const Dims &dims = c.inputs[0].dims();
  const int64_t n = dims[a.axis], inner = stridesOf(dims)[a.axis];
  const int64_t each = n ? c.inputs[0].size() / n : 0;
  int64_t *groups = c.outputs[0].as<int64_t>(), *firsts = c.outputs[1].as<int64_t>(),
          *counts = c.outputs[2].as<int64_t>();
  std::fill_n(firsts, n, 0);
  std::fill_n(counts, n, 0);
  std::vector<int64_t> first;
  ref::withOrder(c.inputs[0].dtype(), [&]<class T>(Type<T>) {
    const std::vector<T> x = ref::read<T>(c.inputs[0]);
    auto compare = [&](int64_t i, int64_t j) { // -1, 0 or 1
      for (int64_t e = 0; e < each; ++e) {
        const T u = x[(e / inner * n + i) * inner + e % inner], v = x[(e / inner * n + j) * inner + e % inner];
        if (u < v || (ref::isNaN(v) && !ref::isNaN(u)))
          return -1;
        if (v < u || (ref::isNaN(u) && !ref::isNaN(v)))
          return 1;
      }
      return 0;
    };
    for (int64_t i = 0; i < n; ++i) {
      size_t g = 0;
      while (g < first.size() && compare(i, first[g]) != 0)
        ++g;
      if (g == first.size())
        first.push_back(i);
      groups[i] = static_cast<int64_t>(g);
    }
    std::vector<int64_t> order(first.size()), place(first.size());
    std::iota(order.begin(), order.end(), 0);
    if (a.sorted)
      std::sort(order.begin(), order.end(), [&](int64_t g, int64_t h) { return compare(first[g], first[h]) < 0; });
    for (size_t g = 0; g < order.size(); ++g) {
      place[order[g]] = static_cast<int64_t>(g);
      firsts[g] = first[order[g]];
    }
    for (int64_t i = 0; i < n; ++i)
      ++counts[groups[i] = place[groups[i]]];
  });
  *c.outputs[3].as<int64_t>() = static_cast<int64_t>(first.size());
  return ok();
}

} // namespace pliant::ops::unique
