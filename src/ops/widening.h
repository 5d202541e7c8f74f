// SPDX-License-Identifier: Apache-2.0
// Conversions that matrix products do themselves on the way into the sums.
#pragma once
#include "pliant/dtype.h"

namespace pliant {

/// Whether a matrix product in `to` can read elements of type `from` in the place of converted ones: they widen
/// exactly.
constexpr bool isWidening(DType from, DType to) {
  return to == DType::F32 && (from == DType::F16 || from == DType::BF16 || from == DType::I8 || from == DType::U8);
}

} // namespace pliant
