// SPDX-License-Identifier: Apache-2.0
// Whether two tensors agree, as the design's section 8 says: the one rule of conformance, bench and verification.
#pragma once
#include "runtime/tensor.h"
#include <string>

namespace pliant::tool {

struct Agreement {
  bool holds = true;
  double maxDifference = 0; ///< over elements where both are finite
  std::string reason;       ///< the first element that disagrees, or how type or shape differ
};

/// |a-b| <= 1e-4 |b| + 1e-5 max|b| for every element, NaN and infinity in the same places; integers and bools exact.
/// For f16 and bf16 a difference of one unit in the last place is allowed: two right roundings of values that differ by
/// 1e-7 are that far apart.
Agreement compare(const Tensor &ours, const Tensor &expected);

/// Smallest, largest and mean element that is no NaN, and how many are NaN or infinite.
struct Summary {
  double min = 0, max = 0, mean = 0;
  int64_t nans = 0, infinities = 0;
};
Summary summarize(const Tensor &tensor);
double elementAsDouble(const Tensor &tensor, int64_t index);

} // namespace pliant::tool
