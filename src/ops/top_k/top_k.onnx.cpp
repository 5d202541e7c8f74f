// SPDX-License-Identifier: Apache-2.0
// TopK. The result is always sorted, which `sorted = 0` permits.
#include "ops/onnx_util.h"

namespace pliant::ops::top_k {
using namespace onnx_import;

static Status importTopK(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0);
  if (b.failed())
    return b.status();
  PLIANT_TRY(int64_t axis, axisOf(n, n.intAttr("axis", -1), b.rank(x)));
  Extents k;
  if (n.has(1))
    k = n.ints(1, extentBounds, "k");
  else if (n.hasAttr("k"))
    k = {n.intAttr("k", 0)};
  else
    return n.error("k is missing");
  for (Value v : b.topK(x, std::move(k), axis, n.intAttr("largest", 1) != 0))
    n.out(v);
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"TopK", 1, importTopK}};
  return rows;
}

} // namespace pliant::ops::top_k
