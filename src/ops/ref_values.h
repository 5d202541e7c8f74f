// SPDX-License-Identifier: Apache-2.0
// Whole tensors as vectors of a wide type for references that compute wide and round once: double for floats, 64-bit
// integers for integers.
#pragma once
#include "ops/dispatch.h"
#include "runtime/dense_tensor.h"
#include <vector>

namespace pliant::ref {

template <class T> std::vector<T> read(const DenseTensor &tensor) {
  std::vector<T> values(static_cast<size_t>(tensor.size()));
  dispatch(tensor.dtype(), [&]<class S>(Type<S>) {
    const S *from = tensor.as<S>();
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<T>(static_cast<ComputeOf<S>>(from[i]));
  });
  return values;
}

/// Rounds floats to the tensor's type once; integers wrap.
template <class T> void write(const DenseTensor &tensor, const std::vector<T> &values) {
  dispatch(tensor.dtype(), [&]<class S>(Type<S>) {
    S *to = tensor.as<S>();
    for (size_t i = 0; i < values.size(); ++i)
      to[i] = static_cast<S>(values[i]);
  });
}

/// For sums and products: integers as uint64_t, which wraps as every narrower type does after truncation.
template <class F> decltype(auto) withArithmetic(DType dtype, F &&fn) {
  return isFloat(dtype) ? fn(Type<double>()) : fn(Type<uint64_t>());
}
/// For comparisons: integers keep their order.
template <class F> decltype(auto) withOrder(DType dtype, F &&fn) {
  return isFloat(dtype) ? fn(Type<double>()) : dtype == DType::U64 ? fn(Type<uint64_t>()) : fn(Type<int64_t>());
}
/// NaN counts as beyond every number.
template <class T> bool isNaN(T value) { return value != value; }

} // namespace pliant::ref
