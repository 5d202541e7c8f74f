// SPDX-License-Identifier: Apache-2.0
// ONNX Concat.
#include "ops/onnx_util.h"

namespace pliant::ops::concat {
using namespace onnx_import;

static Status concat(NodeImport &n) {
  std::vector<Value> operands;
  for (size_t i = 0; i < n.inputs(); ++i)
    operands.push_back(n.in(i));
  if (n.opset >= 4 && !n.hasAttr("axis"))
    return n.error("the attribute axis is missing");
  n.out(n.b.concat(operands, n.intAttr("axis", 1)));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"Concat", 1, concat}};
  return rows;
}

} // namespace pliant::ops::concat
