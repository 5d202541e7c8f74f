// SPDX-License-Identifier: Apache-2.0
// References of comparisons.
#include "ops/dispatch.h"
#include "ops/op.h"
#include "ops/walk.h"

namespace pliant::ops::compare {

template <class C> bool compare(OpId op, C a, C b) {
  switch (op) {
  case OpId::Equal:
    return a == b;
  case OpId::NotEqual:
    return a != b;
  case OpId::Less:
    return a < b;
  case OpId::LessEqual:
    return a <= b;
  case OpId::Greater:
    return a > b;
  default:
    return a >= b;
  }
}

Status ref(RefContext &c) {
  const DenseTensor &lhs = c.inputs[0], &rhs = c.inputs[1], &result = c.outputs[0];
  const std::array strides{broadcastStrides(lhs.dims(), result.dims()), broadcastStrides(rhs.dims(), result.dims())};
  dispatch(lhs.dtype(), [&]<class T>(Type<T>) {
    walk<2>(result.dims(), strides, {}, [&](int64_t i, const std::array<int64_t, 2> &at) {
      result.as<bool>()[i] = compare<ComputeOf<T>>(c.op, lhs.as<T>()[at[0]], rhs.as<T>()[at[1]]);
    });
  });
  return ok();
}

} // namespace pliant::ops::compare
