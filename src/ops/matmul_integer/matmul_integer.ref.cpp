// SPDX-License-Identifier: Apache-2.0
// Reference of matmul_integer: sums that wrap.
#include "ops/op.h"
#include "ops/ref_values.h"
#include "ops/walk.h"

namespace pliant::ops::matmul_integer {

Status ref(RefContext &c) {
  const Dims &lhs = c.inputs[0].dims(), &rhs = c.inputs[1].dims(), &out = c.outputs[0].dims();
  const int64_t rows = out[out.size() - 2], columns = out.back(), inner = lhs.back();
  if (rhs[rhs.size() - 2] != inner)
    return c.error("inner extents " + std::to_string(inner) + " and " + std::to_string(rhs[rhs.size() - 2]) + " differ",
                   "C2");
  const Dims batch(out.begin(), out.end() - 2);
  const std::array<Dims, 2> steps = {broadcastStrides(Dims(lhs.begin(), lhs.end() - 2), batch),
                                     broadcastStrides(Dims(rhs.begin(), rhs.end() - 2), batch)};
  using Word = uint64_t; // wraps as i32 does after truncation
  const std::vector<Word> x = ref::read<Word>(c.inputs[0]), y = ref::read<Word>(c.inputs[1]);
  const Word zero = ref::read<Word>(c.inputs[2])[0];
  std::vector<Word> sum(static_cast<size_t>(c.outputs[0].size()));
  walk<2>(batch, steps, {0, 0}, [&](int64_t flat, const std::array<int64_t, 2> &matrix) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t k = 0; k < inner; ++k) {
        const Word factor = x[(matrix[0] * rows + i) * inner + k] - zero;
        for (int64_t j = 0; j < columns; ++j)
          sum[(flat * rows + i) * columns + j] += factor * y[(matrix[1] * inner + k) * columns + j];
      }
  });
  ref::write(c.outputs[0], sum);
  return ok();
}

} // namespace pliant::ops::matmul_integer
