// SPDX-License-Identifier: Apache-2.0
// ScatterElements, its older name Scatter, and ScatterND.
#include "ops/onnx_util.h"

namespace pliant::ops::scatter {
using namespace onnx_import;

static Status importElements(NodeImport &n) {
  Value x = n.in(0), indices = n.in(1), updates = n.in(2);
  if (n.b.failed())
    return n.b.status();
  PLIANT_TRY(int64_t axis, axisOf(n, n.intAttr("axis", 0), n.b.rank(x)));
  n.out(n.b.scatterElements(x, indices, updates, axis, n.strAttr("reduction", "none")));
  return n.b.status();
}
static Status importNd(NodeImport &n) {
  Value x = n.in(0), indices = n.in(1), updates = n.in(2);
  n.out(n.b.scatterNd(x, indices, updates, n.strAttr("reduction", "none")));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"ScatterElements", 1, importElements},
      {"Scatter", 1, importElements},
      {"ScatterND", 1, importNd},
  };
  return rows;
}

} // namespace pliant::ops::scatter
