// SPDX-License-Identifier: Apache-2.0
// One op as a user has it: an ONNX model of it with symbolic extents, built in memory and compiled; and its tensors.
#pragma once
#include "executable/executable.h"

namespace pliant::bench {

/// One node; inputs named "x0", "x1", ... whose extents are symbols or numbers; weights come after them.
struct OneOp {
  const char *op;
  std::vector<std::vector<const char *>> inputs; ///< extents: "M" or "256"
  std::vector<DenseTensor> weights;
  std::vector<std::pair<const char *, int64_t>> attributes;
  std::vector<int64_t> axes;   ///< as a constant second input, when there are any
  const char *activation = ""; ///< a second node on the result
};

Result<std::unique_ptr<Executable>> compileOp(const OneOp &op);

/// f32 values in [-4, 4), every page written.
Result<DenseTensor> drawn(std::vector<int64_t> dims);

} // namespace pliant::bench
