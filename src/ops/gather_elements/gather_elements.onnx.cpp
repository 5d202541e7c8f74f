// SPDX-License-Identifier: Apache-2.0
// ONNX GatherElements.
#include "ops/onnx_util.h"

namespace pliant::ops::gather_elements {
using namespace onnx_import;

static Status gatherElements(NodeImport &n) {
  Value x = n.in(0);
  n.out(n.b.gatherElements(x, n.in(1), n.intAttr("axis", 0)));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"GatherElements", 11, gatherElements}};
  return rows;
}

} // namespace pliant::ops::gather_elements
