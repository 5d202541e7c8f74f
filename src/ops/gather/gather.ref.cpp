// SPDX-License-Identifier: Apache-2.0
// Reference of gather.
#include "ops/index.h"

namespace pliant::ops::gather {

Status ref(RefContext &c) {
  const DenseTensor &x = c.inputs[0], &indices = c.inputs[1];
  const int64_t given = c.as<GatherAttrs>().axis, axis = given < 0 ? given + x.rank() : given;
  const int64_t extent = x.dims()[static_cast<size_t>(axis)];
  int64_t outer = 1;
  auto run = static_cast<int64_t>(byteSize(x.dtype())); // bytes of one slice
  for (int64_t i = 0; i < x.rank(); ++i)
    (i < axis ? outer : run) *= i == axis ? 1 : x.dims()[static_cast<size_t>(i)];
  char *to = c.outputs[0].as<char>();
  for (int64_t k = 0; k < outer && run > 0; ++k) // without an element no index is asked for
    for (int64_t i = 0; i < indices.size(); ++i, to += run) {
      PLIANT_TRY(int64_t at, indexAt(c, indices, i, extent, "C3"));
      std::memcpy(to, x.as<char>() + (k * extent + at) * run, static_cast<size_t>(run));
    }
  return ok();
}

} // namespace pliant::ops::gather
