// SPDX-License-Identifier: Apache-2.0
// Reference of slice.
#include "ops/dispatch.h"
#include "ops/op.h"
#include "ops/walk.h"

namespace pliant::ops::slice {

Status ref(RefContext &c) {
  const SliceAttrs &a = c.as<SliceAttrs>();
  Dims strides = stridesOf(c.inputs[0].dims());
  int64_t start = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    start += a.starts[i].constant().value_or(0) * strides[i];
    strides[i] *= a.steps[i];
  }
  dispatchSize(c.outputs[0].dtype(), [&]<class T>(Type<T>) {
    walk<1>(c.outputs[0].dims(), {strides}, {start},
            [&](int64_t i, const std::array<int64_t, 1> &at) { c.outputs[0].as<T>()[i] = c.inputs[0].as<T>()[at[0]]; });
  });
  return ok();
}

} // namespace pliant::ops::slice
