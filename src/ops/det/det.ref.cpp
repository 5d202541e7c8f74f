// SPDX-License-Identifier: Apache-2.0
// Reference of det: elimination in double.
#include "ops/op.h"
#include "ops/ref_values.h"
#include <cmath>

namespace pliant::ops::det {

Status ref(RefContext &c) {
  const int64_t n = c.inputs[0].dims().back();
  std::vector<double> x = ref::read<double>(c.inputs[0]), results(static_cast<size_t>(c.outputs[0].size()), 1);
  for (size_t matrix = 0; matrix < results.size(); ++matrix) {
    double *m = x.data() + matrix * static_cast<size_t>(n * n);
    for (int64_t i = 0; i < n; ++i) {
      int64_t pivot = i;
      for (int64_t row = i + 1; row < n; ++row)
        if (std::fabs(m[row * n + i]) > std::fabs(m[pivot * n + i]))
          pivot = row;
      for (int64_t column = i; column < n && pivot != i; ++column)
        std::swap(m[i * n + column], m[pivot * n + column]);
      results[matrix] *= pivot == i ? m[i * n + i] : -m[i * n + i];
      for (int64_t row = i + 1; row < n && m[i * n + i] != 0; ++row) { // else singular: the determinant is 0
        const double factor = m[row * n + i] / m[i * n + i];
        for (int64_t column = i; column < n; ++column)
          m[row * n + column] -= factor * m[i * n + column];
      }
    }
  }
  ref::write(c.outputs[0], results);
  return ok();
}

} // namespace pliant::ops::det
