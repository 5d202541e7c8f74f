// SPDX-License-Identifier: Apache-2.0
// Reference of non_zero.
#include "ops/dispatch.h"
#include "ops/op.h"
#include "ops/walk.h"

namespace pliant::ops::non_zero {

Status ref(RefContext &c) {
  const Dims &dims = c.inputs[0].dims(), steps = stridesOf(dims);
  const int64_t count = c.outputs[0].dims()[1];
  int64_t found = 0;
  dispatch(c.inputs[0].dtype(), [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < c.inputs[0].size(); ++i)
      if (static_cast<ComputeOf<T>>(c.inputs[0].as<T>()[i]) != 0 && found++ < count)
        for (size_t axis = 0; axis < dims.size(); ++axis)
          c.outputs[0].as<int64_t>()[static_cast<int64_t>(axis) * count + found - 1] = i / steps[axis] % dims[axis];
  });
  if (found != count)
    return c.error(std::to_string(found) + " elements are not zero but count is " + std::to_string(count), "C1");
  return ok();
}

} // namespace pliant::ops::non_zero
