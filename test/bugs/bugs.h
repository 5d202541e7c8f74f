// SPDX-License-Identifier: Apache-2.0
// A kind of bug: a model, and what it must give.
#pragma once
#include <string>
#include <vector>

namespace pliant::bugs {

struct Sample {
  std::string inputs, gives; ///< tensors as of text_tensor.h; or " error", and parts of its text between "&"
};
struct Case {
  std::string name, report, model; ///< model as of text_model.h
  int opset = 18;
  std::vector<Sample> samples;
  std::string place; ///< of the table
  int line = 0;
};

/// Cases that loops make: every pair of element types, NaN in every place.
std::vector<Case> sweeps();

} // namespace pliant::bugs
