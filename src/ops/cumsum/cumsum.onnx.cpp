// SPDX-License-Identifier: Apache-2.0
// CumSum.
#include "ops/onnx_run_axes.h"

namespace pliant::ops::cumsum {
using namespace onnx_import;

static Status importCumSum(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  const bool exclusive = n.intAttr("exclusive", 0) != 0, reverse = n.intAttr("reverse", 0) != 0;
  std::optional<std::vector<int64_t>> given = n.constInts(1);
  if (!given) {
    Value lines = splitAt(n, x, n.in(1));
    n.out(n.b.reshape(n.b.cumsum(lines, 1, exclusive, reverse), n.b.shape(x)));
    return n.b.status();
  }
  if (given->size() != 1)
    return n.error("axis has " + std::to_string(given->size()) + " entries but must have one");
  PLIANT_TRY(int64_t axis, axisOf(n, given->front(), n.b.rank(x)));
  n.out(n.b.cumsum(x, axis, exclusive, reverse));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"CumSum", 1, importCumSum}};
  return rows;
}

} // namespace pliant::ops::cumsum
