// SPDX-License-Identifier: Apache-2.0
// Reference of broadcast_to.
#include "ops/dispatch.h"
#include "ops/op.h"
#include "ops/walk.h"

namespace pliant::ops::broadcast_to {

Status ref(RefContext &c) {
  const Dims &dims = c.outputs[0].dims();
  dispatchSize(c.outputs[0].dtype(), [&]<class T>(Type<T>) {
    walk<1>(dims, {broadcastStrides(c.inputs[0].dims(), dims)}, {},
            [&](int64_t i, const std::array<int64_t, 1> &at) { c.outputs[0].as<T>()[i] = c.inputs[0].as<T>()[at[0]]; });
  });
  return ok();
}

} // namespace pliant::ops::broadcast_to
