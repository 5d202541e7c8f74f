// SPDX-License-Identifier: Apache-2.0
// Reference of transpose.
#include "ops/dispatch.h"
#include "ops/op.h"
#include "ops/walk.h"

namespace pliant::ops::transpose {

Status ref(RefContext &c) {
  const Dims own = stridesOf(c.inputs[0].dims());
  Dims permuted;
  for (int64_t axis : c.as<TransposeAttrs>().perm)
    permuted.push_back(own[static_cast<size_t>(axis)]);
  dispatchSize(c.outputs[0].dtype(), [&]<class T>(Type<T>) {
    walk<1>(c.outputs[0].dims(), {permuted}, {},
            [&](int64_t i, const std::array<int64_t, 1> &at) { c.outputs[0].as<T>()[i] = c.inputs[0].as<T>()[at[0]]; });
  });
  return ok();
}

} // namespace pliant::ops::transpose
