// SPDX-License-Identifier: Apache-2.0
// Whether two tensors agree, as the design's section 8 says: the one rule of conformance, bench and verification.
#pragma once
#include "runtime/dense_tensor.h"
#include <string>
#include <vector>

namespace pliant::tool {

struct Agreement {
  bool holds = true;
  double maxDifference = 0; ///< over elements where both are finite
  std::string reason;       ///< the first element that disagrees, or how type or shape differ
};

/// |a-b| <= 1e-4 |b| + 1e-5 max|b| for every element, NaN and infinity in the same places; integers, bools and strings
/// exact. For f16 and bf16 a difference of one unit in the last place is allowed: two right roundings of values that
/// differ by 1e-7 are that far apart. `slack` is added for an oracle that is itself only so exact. `where`, if given,
/// gets the linear index of every element that disagrees; nothing where type or shape do.
Agreement compare(const DenseTensor &ours, const DenseTensor &expected, double slack = 0,
                  std::vector<int64_t> *where = nullptr);

/// ONNX Runtime computes sigmoid as 1/2 plus an odd function: near 0 its results are multiples of 2^-25 and wrong by a
/// few of them. It shows where all of an output is near 0.
inline constexpr double ortSlack = 0x1p-22;

/// Smallest, largest and mean element that is no NaN, and how many are NaN or infinite; of strings nothing.
struct Summary {
  double min = 0, max = 0, mean = 0;
  int64_t nans = 0, infinities = 0;
};
Summary summarize(const DenseTensor &tensor);
/// NaN for a string.
double elementAsDouble(const DenseTensor &tensor, int64_t index);

} // namespace pliant::tool
