// SPDX-License-Identifier: Apache-2.0
// References of the folds: sums and products in double or wrapping integers; NaN wins maximum and minimum.
#include "ops/op.h"
#include "ops/ref_values.h"
#include "ops/walk.h"
#include <limits>

namespace pliant::ops::reduce {

/// Strides in the result of the axes of x: 0 along the folded ones.
static Dims resultSteps(const Dims &dims, const std::vector<int64_t> &axes) {
  Dims kept = dims;
  for (int64_t axis : axes)
    kept[axis] = 1;
  Dims steps = stridesOf(kept);
  for (int64_t axis : axes)
    steps[axis] = 0;
  return steps;
}

template <class T, class F> static void fold(RefContext &c, const std::vector<int64_t> &axes, T neutral, F &&combine) {
  const std::vector<T> x = ref::read<T>(c.inputs[0]);
  std::vector<T> result(static_cast<size_t>(c.outputs[0].size()), neutral);
  const Dims &dims = c.inputs[0].dims();
  walk<1>(dims, {resultSteps(dims, axes)}, {0},
          [&](int64_t flat, const std::array<int64_t, 1> &to) { result[to[0]] = combine(result[to[0]], x[flat]); });
  ref::write(c.outputs[0], result);
}

/// The largest or smallest value of an element type, infinite for floats.
template <class T> static T extreme(DType dtype, bool largest) {
  return dispatch(dtype, [&]<class S>(Type<S>) -> T {
    if constexpr (isFloatStorage<S>)
      return static_cast<T>(largest ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity());
    else
      return static_cast<T>(largest ? std::numeric_limits<S>::max() : std::numeric_limits<S>::lowest());
  });
}

Status ref(RefContext &c) {
  const DType dtype = c.inputs[0].dtype();
  switch (c.op) {
  case OpId::ReduceSum:
    ref::withArithmetic(dtype, [&]<class T>(Type<T>) {
      fold<T>(c, c.as<ReduceSumAttrs>().axes, T(0), [](T a, T b) { return a + b; });
    });
    return ok();
  case OpId::ReduceProd:
    ref::withArithmetic(dtype, [&]<class T>(Type<T>) {
      fold<T>(c, c.as<ReduceProdAttrs>().axes, T(1), [](T a, T b) { return a * b; });
    });
    return ok();
  case OpId::ReduceMax:
    ref::withOrder(dtype, [&]<class T>(Type<T>) {
      fold<T>(c, c.as<ReduceMaxAttrs>().axes, extreme<T>(dtype, false),
              [](T a, T b) { return ref::isNaN(b) || b > a ? b : a; });
    });
    return ok();
  case OpId::ReduceMin:
    ref::withOrder(dtype, [&]<class T>(Type<T>) {
      fold<T>(c, c.as<ReduceMinAttrs>().axes, extreme<T>(dtype, true),
              [](T a, T b) { return ref::isNaN(b) || b < a ? b : a; });
    });
    return ok();
  default:
    return internalError("reduce", "no reference");
  }
}

} // namespace pliant::ops::reduce
