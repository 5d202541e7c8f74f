// SPDX-License-Identifier: Apache-2.0
// Reference of gather_nd.
#include "ops/index.h"
#include "ops/walk.h"

namespace pliant::ops::gather_nd {

Status ref(RefContext &c) {
  const DenseTensor &x = c.inputs[0], &indices = c.inputs[1];
  const auto batch = static_cast<size_t>(c.as<GatherNdAttrs>().batchDims);
  const auto depth = static_cast<size_t>(indices.dims().back());
  const Dims strides = stridesOf(x.dims());
  int64_t batches = 1, tuples = 1;
  auto run = static_cast<int64_t>(byteSize(x.dtype())); // bytes of one slice
  for (size_t i = 0; i + 1 < indices.dims().size(); ++i)
    (i < batch ? batches : tuples) *= indices.dims()[i];
  for (size_t i = batch + depth; i < x.dims().size(); ++i)
    run *= x.dims()[i];
  const int64_t perBatch = batches > 0 ? x.size() / batches : 0;
  char *to = c.outputs[0].as<char>();
  for (int64_t k = 0; k < batches * tuples && run > 0; ++k, to += run) { // else no index is asked for
    int64_t offset = k / tuples * perBatch;
    for (size_t d = 0; d < depth; ++d) {
      PLIANT_TRY(int64_t at, indexAt(c, indices, k * static_cast<int64_t>(depth) + static_cast<int64_t>(d),
                                     x.dims()[batch + d], "C3"));
      offset += at * strides[batch + d];
    }
    std::memcpy(to, x.as<char>() + offset * static_cast<int64_t>(byteSize(x.dtype())), static_cast<size_t>(run));
  }
  return ok();
}

} // namespace pliant::ops::gather_nd
