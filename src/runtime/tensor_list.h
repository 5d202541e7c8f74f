// SPDX-License-Identifier: Apache-2.0
// A sequence or optional as programs take and give it.
#pragma once
#include "runtime/dense_tensor.h"

namespace pliant {

struct TensorList {
  bool present = true; ///< false: an optional that is empty
  std::vector<DenseTensor> items;
};

} // namespace pliant
