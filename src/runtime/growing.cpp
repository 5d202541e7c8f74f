// SPDX-License-Identifier: Apache-2.0
// Blocks with room, and dense copies of what is in them.
#include "runtime/growing.h"
#include "runtime/block_pool.h"
#include <algorithm>

namespace pliant {

Result<GrowingTensor> GrowingTensor::allocate(DType dtype, std::vector<int64_t> dims, size_t axis, int64_t capacity) {
  GrowingTensor made;
  made.type = dtype;
  made.along = axis;
  made.room = std::max(dims[axis], capacity);
  made.extents = dims;
  dims[axis] = made.room;
  PLIANT_TRY(int64_t elements, elementCount(dims));
  PLIANT_TRY(made.memory, newBlock(static_cast<size_t>(elements) * byteSize(dtype), "a state"));
  return made;
}

GrowingTensor::Rows GrowingTensor::rows() const {
  int64_t outer = 1, inner = 1;
  for (size_t i = 0; i < extents.size(); ++i)
    if (i != along)
      (i < along ? outer : inner) *= extents[i];
  const auto row = static_cast<size_t>(inner) * byteSize(type);
  return {static_cast<size_t>(outer), static_cast<size_t>(extents[along]) * row, static_cast<size_t>(room) * row};
}

Result<GrowingTensor> GrowingTensor::copyOf(const DenseTensor &tensor, size_t axis, int64_t capacity) {
  PLIANT_TRY(GrowingTensor made, allocate(tensor.dtype(), tensor.dims(), axis, capacity));
  const Rows to = made.rows();
  for (size_t i = 0; to.bytes && i < to.count; ++i)
    std::memcpy(static_cast<char *>(made.data()) + i * to.step, tensor.as<char>() + i * to.bytes, to.bytes);
  return made;
}

Result<DenseTensor> GrowingTensor::tensor() const {
  const Rows from = rows();
  if (from.count <= 1 || from.bytes == from.step)
    return DenseTensor::borrow(type, extents, memory.get(), memory);
  PLIANT_TRY(DenseTensor dense, DenseTensor::allocate(type, extents));
  for (size_t i = 0; from.bytes && i < from.count; ++i)
    std::memcpy(dense.as<char>() + i * from.bytes, static_cast<const char *>(data()) + i * from.step, from.bytes);
  return dense;
}

} // namespace pliant
