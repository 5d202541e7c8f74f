// SPDX-License-Identifier: Apache-2.0
// ONNX comparisons.
#include "ops/onnx_util.h"

namespace pliant::ops::compare {
using namespace onnx_import;
using B = ValueBuilder;

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"Equal", 1, binaryRow<&B::equal>},
      {"Less", 1, binaryRow<&B::less>},
      {"LessOrEqual", 12, binaryRow<&B::lessEqual>},
      {"Greater", 1, binaryRow<&B::greater>},
      {"GreaterOrEqual", 12, binaryRow<&B::greaterEqual>},
  };
  return rows;
}

} // namespace pliant::ops::compare
