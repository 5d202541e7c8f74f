// SPDX-License-Identifier: Apache-2.0
// Reference of concat: for each index before the axis, the rest of every operand one after another.
#include "ops/op.h"

namespace pliant::ops::concat {

Status ref(RefContext &c) {
  const DenseTensor &result = c.outputs[0];
  int64_t axis = c.as<ConcatAttrs>().axis;
  axis = axis < 0 ? axis + result.rank() : axis;
  int64_t outer = 1;
  for (int64_t i = 0; i < axis; ++i)
    outer *= result.dims()[static_cast<size_t>(i)];
  char *to = result.as<char>();
  for (int64_t k = 0; k < outer; ++k)
    for (const DenseTensor &input : c.inputs) {
      const size_t run = input.bytes() / static_cast<size_t>(outer);
      if (run > 0)
        std::memcpy(to, input.as<char>() + static_cast<size_t>(k) * run, run);
      to += run;
    }
  return ok();
}

} // namespace pliant::ops::concat
