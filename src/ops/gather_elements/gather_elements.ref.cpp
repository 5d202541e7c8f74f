// SPDX-License-Identifier: Apache-2.0
// Reference of gather_elements.
#include "ops/dispatch.h"
#include "ops/index.h"
#include "ops/walk.h"

namespace pliant::ops::gather_elements {

Status ref(RefContext &c) {
  const DenseTensor &x = c.inputs[0], &indices = c.inputs[1];
  const int64_t given = c.as<GatherElementsAttrs>().axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + x.rank() : given);
  Dims strides = stridesOf(x.dims());
  const int64_t step = strides[axis];
  for (size_t i = 0; i < strides.size(); ++i)
    if (i != axis && indices.dims()[i] > x.dims()[i])
      return c.error("the indices have shape " + str(indices.dims()) + ", beyond x of shape " + str(x.dims()), "C2");
  strides[axis] = 0;
  return dispatchSize(x.dtype(), [&]<class T>(Type<T>) -> Status {
    Status status = ok();
    walk<1>(indices.dims(), {strides}, {}, [&](int64_t i, const std::array<int64_t, 1> &at) {
      if (!status)
        return;
      Result<int64_t> index = indexAt(c, indices, i, x.dims()[axis], "C4");
      if (index)
        c.outputs[0].as<T>()[i] = x.as<T>()[at[0] + *index * step];
      else
        status = index.takeError();
    });
    return status;
  });
}

} // namespace pliant::ops::gather_elements
