// SPDX-License-Identifier: Apache-2.0
// The type of a tensor without MLIR: an element type and one symbolic extent per axis.
#pragma once
#include "pliant/dtype.h"
#include "shape/expr.h"

namespace pliant {

struct TensorType {
  DType dtype = DType::F32;
  Extents shape;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  bool operator==(const TensorType &other) const = default;
  std::string str() const { return std::string(name(dtype)) + pliant::str(shape); }
};

} // namespace pliant
