// SPDX-License-Identifier: Apache-2.0
// ONNX Gather.
#include "ops/onnx_util.h"

namespace pliant::ops::gather {
using namespace onnx_import;

static Status gather(NodeImport &n) {
  Value x = n.in(0);
  n.out(n.b.gather(x, n.in(1), n.intAttr("axis", 0)));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"Gather", 1, gather}};
  return rows;
}

} // namespace pliant::ops::gather
