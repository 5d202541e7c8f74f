// SPDX-License-Identifier: Apache-2.0
// ONNX comparisons.
#include "ops/onnx_util.h"

namespace pliant::ops::compare {
using namespace onnx_import;
using B = ValueBuilder;

static Status equal(NodeImport &n) {
  Value lhs = n.in(0), rhs = legacyRhs(n);
  const bool texts = !n.b.failed() && n.b.dtype(lhs) == DType::String;
  n.out(texts ? n.b.textEqual(lhs, rhs) : n.b.equal(lhs, rhs));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"Equal", 1, equal},
      {"Less", 1, binaryRow<&B::less>},
      {"LessOrEqual", 12, binaryRow<&B::lessEqual>},
      {"Greater", 1, binaryRow<&B::greater>},
      {"GreaterOrEqual", 12, binaryRow<&B::greaterEqual>},
  };
  return rows;
}

} // namespace pliant::ops::compare
