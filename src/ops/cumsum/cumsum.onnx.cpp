// SPDX-License-Identifier: Apache-2.0
// CumSum.
#include "ops/onnx_util.h"

namespace pliant::ops::cumsum {
using namespace onnx_import;

static Status importCumSum(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  std::optional<std::vector<int64_t>> given = n.constInts(1);
  if (!given)
    return n.unsupported("an axis computed at run time");
  if (given->size() != 1)
    return n.error("axis has " + std::to_string(given->size()) + " entries but must have one");
  PLIANT_TRY(int64_t axis, axisOf(n, given->front(), n.b.rank(x)));
  n.out(n.b.cumsum(x, axis, n.intAttr("exclusive", 0) != 0, n.intAttr("reverse", 0) != 0));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"CumSum", 1, importCumSum}};
  return rows;
}

} // namespace pliant::ops::cumsum
