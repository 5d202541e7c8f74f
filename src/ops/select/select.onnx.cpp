// SPDX-License-Identifier: Apache-2.0
// ONNX Where.
#include "ops/onnx_util.h"

namespace pliant::ops::select {
using namespace onnx_import;

static Status where(NodeImport &n) {
  Value condition = n.in(0), onTrue = n.in(1);
  n.out(n.b.select(condition, onTrue, n.in(2)));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"Where", 9, where}};
  return rows;
}

} // namespace pliant::ops::select
