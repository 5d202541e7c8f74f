// SPDX-License-Identifier: Apache-2.0
// Reference of iota.
#include "ops/dispatch.h"
#include "ops/op.h"

namespace pliant::ops::iota {

Status ref(RefContext &c) {
  dispatch(c.outputs[0].dtype(), [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < c.outputs[0].size(); ++i)
      c.outputs[0].as<T>()[i] = static_cast<T>(i);
  });
  return ok();
}

} // namespace pliant::ops::iota
