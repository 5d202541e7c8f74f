// SPDX-License-Identifier: Apache-2.0
// Reference of matmul: sums in double, integers wrap.
#include "ops/op.h"
#include "ops/ref_values.h"
#include "ops/walk.h"

namespace pliant::ops::matmul {

Status ref(RefContext &c) {
  const Dims &lhs = c.inputs[0].dims(), &rhs = c.inputs[1].dims(), &out = c.outputs[0].dims();
  const int64_t rows = out[out.size() - 2], columns = out.back(), inner = lhs.back();
  if (rhs[rhs.size() - 2] != inner)
    return c.error("inner extents " + std::to_string(inner) + " and " + std::to_string(rhs[rhs.size() - 2]) + " differ",
                   "C2");
  // The batches: leading axes broadcast, in units of whole matrices.
  const Dims batch(out.begin(), out.end() - 2);
  const std::array<Dims, 2> steps = {broadcastStrides(Dims(lhs.begin(), lhs.end() - 2), batch),
                                     broadcastStrides(Dims(rhs.begin(), rhs.end() - 2), batch)};
  ref::withArithmetic(c.outputs[0].dtype(), [&]<class T>(Type<T>) {
    const std::vector<T> x = ref::read<T>(c.inputs[0]), y = ref::read<T>(c.inputs[1]);
    std::vector<T> sum(static_cast<size_t>(c.outputs[0].size()), T(0));
    walk<2>(batch, steps, {0, 0}, [&](int64_t flat, const std::array<int64_t, 2> &matrix) {
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = 0; k < inner; ++k) {
          const T factor = x[(matrix[0] * rows + i) * inner + k];
          const T *from = y.data() + (matrix[1] * inner + k) * columns;
          T *to = sum.data() + (flat * rows + i) * columns;
          for (int64_t j = 0; j < columns; ++j)
            to[j] += factor * from[j];
        }
    });
    ref::write(c.outputs[0], sum);
  });
  return ok();
}

} // namespace pliant::ops::matmul
