// SPDX-License-Identifier: Apache-2.0
// ArgMax and ArgMin.
#include "ops/onnx_util.h"

namespace pliant::ops::arg_reduce {
using namespace onnx_import;

template <Value (ValueBuilder::*index)(Value, int64_t, bool, bool)> static Status importArg(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  PLIANT_TRY(int64_t axis, axisOf(n, n.intAttr("axis", 0), n.b.rank(x)));
  n.out((n.b.*index)(x, axis, n.intAttr("keepdims", 1) != 0, n.intAttr("select_last_index", 0) != 0));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"ArgMax", 1, importArg<&ValueBuilder::argMax>},
      {"ArgMin", 1, importArg<&ValueBuilder::argMin>},
  };
  return rows;
}

} // namespace pliant::ops::arg_reduce
