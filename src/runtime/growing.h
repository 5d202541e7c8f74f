// SPDX-License-Identifier: Apache-2.0
// A tensor that grows along one axis: its elements lie in a block that may be longer than it along that axis.
#pragma once
#include "runtime/dense_tensor.h"

namespace pliant {

class GrowingTensor {
public:
  GrowingTensor() = default;
  /// A copy of the tensor, with room for at least `capacity` elements along the axis, which is one of the tensor's.
  static Result<GrowingTensor> copyOf(const DenseTensor &tensor, size_t axis, int64_t capacity = 0);
  /// Of `dims`, in fresh memory with room for at least `capacity` elements along the axis, uninitialised.
  static Result<GrowingTensor> allocate(DType dtype, std::vector<int64_t> dims, size_t axis, int64_t capacity);

  DType dtype() const { return type; }
  const std::vector<int64_t> &dims() const { return extents; }
  size_t axis() const { return along; }
  int64_t capacity() const { return room; } ///< elements along the axis that there is memory for
  /// Element (i, j, ...) lies at its row-major place in a tensor that is as long as the capacity.
  void *data() const { return memory.get(); }
  explicit operator bool() const { return memory != nullptr; }

  /// Whether no copy of this shares the block, so that it may be written.
  bool sole() const { return memory.use_count() == 1; }
  /// What is in the block up to `length`, at most the capacity, counts.
  void setLength(int64_t length) { extents[along] = length; }
  /// As a dense tensor: shares the block where it is one, else a copy.
  Result<DenseTensor> tensor() const;

private:
  DType type = DType::F32;
  size_t along = 0;
  int64_t room = 0;
  std::vector<int64_t> extents;
  std::shared_ptr<void> memory;

  struct Rows {
    size_t count, bytes, step; ///< the runs of memory that hold elements
  };
  Rows rows() const;
};

} // namespace pliant
