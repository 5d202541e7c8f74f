// SPDX-License-Identifier: Apache-2.0
// Index operands of gather and scatter: i64 or i32, negative ones counted from the end, checked.
#pragma once
#include "ops/op.h"

namespace pliant {

inline Status indexType(const ShapeContext &c, size_t operand, const char *constraint) {
  const DType type = c.operand(operand).dtype;
  if (type == DType::I64 || type == DType::I32)
    return ok();
  return c.error("the indices have element type " + std::string(name(type)) + " but i64 or i32 is needed", constraint);
}

/// Element `flat` of the indices as a position in [0, extent).
inline Result<int64_t> indexAt(const RefContext &c, const DenseTensor &indices, int64_t flat, int64_t extent,
                               const char *constraint) {
  const int64_t raw = indices.dtype() == DType::I64 ? indices.as<int64_t>()[flat] : indices.as<int32_t>()[flat];
  if (raw >= -extent && raw < extent)
    return raw < 0 ? raw + extent : raw;
  return c.error("index " + std::to_string(raw) + " at element " + std::to_string(flat) +
                     " of the indices is out of range [-" + std::to_string(extent) + ", " + std::to_string(extent) +
                     ")",
                 constraint);
}

} // namespace pliant
