// SPDX-License-Identifier: Apache-2.0
// A sequence or optional as programs take and give it.
#pragma once
#include "runtime/tensor.h"

namespace pliant {

struct TensorList {
  bool present = true; ///< false: an optional that is empty
  std::vector<Tensor> items;
};

} // namespace pliant
