// SPDX-License-Identifier: Apache-2.0
// ONNX's Det.
#include "ops/onnx_util.h"

namespace pliant::ops::det {
using namespace onnx_import;

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"Det", 11, unaryRow<&ValueBuilder::det>}};
  return rows;
}

} // namespace pliant::ops::det
