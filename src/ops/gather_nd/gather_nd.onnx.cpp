// SPDX-License-Identifier: Apache-2.0
// ONNX GatherND.
#include "ops/onnx_util.h"

namespace pliant::ops::gather_nd {
using namespace onnx_import;

static Status gatherNd(NodeImport &n) {
  Value x = n.in(0);
  n.out(n.b.gatherNd(x, n.in(1), n.intAttr("batch_dims", 0)));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"GatherND", 11, gatherNd}};
  return rows;
}

} // namespace pliant::ops::gather_nd
