// SPDX-License-Identifier: Apache-2.0
// Cuts a model on which the three disagree down to the least that still shows it.
#pragma once
#include "judge.h"

namespace pliant::differential {

struct Finding {
  Model model;
  Point point;
  Verdict verdict;
  bool illConditioned = false; ///< rounding within the model alone makes as much of a difference
  /// The model's own tensors when the disagreement does not show again with the same inputs, as when it comes from
  /// memory that nobody wrote; else none.
  std::map<std::string, DenseTensor> fleeting;
};

Finding shrink(const Model &model, const Point &point, const Verdict &verdict, const std::string &ort);

} // namespace pliant::differential
