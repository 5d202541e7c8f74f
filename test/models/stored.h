// SPDX-License-Identifier: Apache-2.0
// Runs of a model that came with it: inputs and the outputs that it must give.
#pragma once
#include "executable/executable.h"

namespace pliant::models {

using Named = std::vector<std::pair<std::string, DenseTensor>>;

struct StoredRun {
  std::string name;
  std::vector<DenseTensor> inputs, outputs; ///< in the program's order
};

/// NAME.io0.npz, NAME.io1.npz, ... beside NAME.onnx; of a model in a folder of its own io.npz, and ONNX's
/// test_data_set_<k>/{input,output}_<i>.pb, in the model's order.
std::vector<std::string> storedRuns(const std::string &model);
Result<StoredRun> readStored(const std::string &path, const Program &program);

} // namespace pliant::models
