// SPDX-License-Identifier: Apache-2.0
// ONNX Transpose.
#include "ops/onnx_util.h"

namespace pliant::ops::transpose {
using namespace onnx_import;

static Status transpose(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  std::vector<int64_t> perm;
  for (int64_t i = n.b.rank(x); i-- > 0;)
    perm.push_back(i);
  if (std::optional<std::vector<int64_t>> given = n.intsAttr("perm"))
    perm = *given;
  n.out(n.b.transpose(x, perm));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"Transpose", 1, transpose}};
  return rows;
}

} // namespace pliant::ops::transpose
