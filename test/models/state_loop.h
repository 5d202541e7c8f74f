// SPDX-License-Identifier: Apache-2.0
// A decoder's steps with its states growing in place, beside the same steps on plain tensors.
#pragma once
#include "executable/executable.h"
#include <string>
#include <vector>

namespace pliant::models {

class StateLoop {
public:
  /// The states are the program's, which must outlive this.
  explicit StateLoop(Executable &executable) : executable(executable) {}

  /// One step: the inputs and the outputs of the same step on plain tensors. All outputs must have the same bits, and
  /// no past may be copied while all states have room. Says what is wrong; empty when nothing is.
  Result<std::string> step(std::vector<DenseTensor> inputs, const std::vector<DenseTensor> &plain);

  int inPlace() const { return withRoom; } ///< steps so far that copied nothing

private:
  Executable &executable;
  std::vector<GrowingTensor> states;
  int withRoom = 0;
};

} // namespace pliant::models
