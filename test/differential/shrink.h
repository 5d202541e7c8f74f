// SPDX-License-Identifier: Apache-2.0
// Cuts a model on which the three disagree down to the least that still shows it.
#pragma once
#include "judge.h"
#include <set>

namespace pliant::differential {

struct Finding {
  Model model;
  Point point;
  Verdict verdict;
  bool illConditioned = false; ///< rounding within the model alone moves every element that differs
  /// It does not show again with the same inputs, as when it comes from memory that nobody wrote.
  bool fleeting = false;
  std::map<std::string, DenseTensor> values; ///< the model's own tensors, as valuesOf
  std::optional<Disagreement> found;         ///< the elements that differ, where values do and it shows again
};

/// Names that a node reads, in its bodies too.
std::set<std::string> readBy(const onnx::NodeProto &node);

Finding shrink(const Model &model, const Point &point, const Verdict &verdict, const std::string &ort);

} // namespace pliant::differential
