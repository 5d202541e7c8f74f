// SPDX-License-Identifier: Apache-2.0
// Walks over index spaces for references: row-major order, with one running element offset per strided operand.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace pliant {

using Dims = std::vector<int64_t>;

/// Row-major element strides.
inline Dims stridesOf(const Dims &dims) {
  Dims strides(dims.size());
  int64_t step = 1;
  for (size_t i = dims.size(); i-- > 0; step *= dims[i])
    strides[i] = step;
  return strides;
}
/// Strides of `dims` seen under the broadcast shape `target`: right-aligned, 0 where an axis repeats.
inline Dims broadcastStrides(const Dims &dims, const Dims &target) {
  Dims own = stridesOf(dims), strides(target.size(), 0);
  for (size_t i = 0; i < dims.size() && i < target.size(); ++i)
    if (dims[dims.size() - 1 - i] != 1)
      strides[target.size() - 1 - i] = own[dims.size() - 1 - i];
  return strides;
}

/// Calls `fn(flat, offsets)` for every index of `dims`, where offsets[k] = start[k] + sum of index * strides[k].
template <size_t n, class F>
void walk(const Dims &dims, const std::array<Dims, n> &strides, std::array<int64_t, n> offsets, F &&fn) {
  for (int64_t extent : dims)
    if (extent == 0)
      return;
  Dims index(dims.size(), 0);
  for (int64_t flat = 0;; ++flat) {
    fn(flat, offsets);
    size_t axis = dims.size();
    for (;;) {
      if (axis-- == 0)
        return;
      for (size_t k = 0; k < n; ++k)
        offsets[k] += strides[k][axis];
      if (++index[axis] < dims[axis])
        break;
      for (size_t k = 0; k < n; ++k)
        offsets[k] -= strides[k][axis] * dims[axis];
      index[axis] = 0;
    }
  }
}

} // namespace pliant
