// SPDX-License-Identifier: Apache-2.0
// The only schedule of passes.
#include "passes/passes.h"

namespace pliant::passes {

std::span<const PassInfo> pipeline() {
  static const PassInfo passes[] = {
      {"integers", "products of dequantised bytes become integer contractions", integers}, // while dequantize is one op
      {"decompose", "composites become the ops they stand for", decompose, false},
      {"layout", "convolutions and their surroundings work with channels last", layout},
      {"simplify", "equal ops are shared, dead ones vanish", simplify},
      {"fold_weights", "ops on weights alone are computed when the program is loaded", foldWeights},
      {"fuse", "ops are put into groups, one kernel each", fuse},
  };
  return passes;
}

} // namespace pliant::passes
