// SPDX-License-Identifier: Apache-2.0
// Reference of the elementwise choice.
#include "ops/dispatch.h"
#include "ops/op.h"
#include "ops/walk.h"

namespace pliant::ops::select {

Status ref(RefContext &c) {
  const DenseTensor &result = c.outputs[0];
  std::array<Dims, 3> strides;
  for (size_t i = 0; i < 3; ++i)
    strides[i] = broadcastStrides(c.inputs[i].dims(), result.dims());
  dispatchSize(result.dtype(), [&]<class T>(Type<T>) {
    walk<3>(result.dims(), strides, {}, [&](int64_t i, const std::array<int64_t, 3> &at) {
      const size_t pick = c.inputs[0].as<bool>()[at[0]] ? 1 : 2;
      result.as<T>()[i] = c.inputs[pick].as<T>()[at[pick]];
    });
  });
  return ok();
}

} // namespace pliant::ops::select
