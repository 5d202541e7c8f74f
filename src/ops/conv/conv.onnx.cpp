// SPDX-License-Identifier: Apache-2.0
// Conv.
#include "ops/onnx_axes.h"

namespace pliant::ops::conv {
using namespace onnx_import;

static Status importConv(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0), w = n.in(1);
  if (b.failed())
    return b.status();
  PLIANT_TRY(size_t axes, spatialAxes(n, x));
  if (b.rank(w) != b.rank(x))
    return n.error("X has shape " + str(b.shape(x)) + " but W has shape " + str(b.shape(w)) + ": the ranks differ");
  const Extents taps(b.shape(w).begin() + 2, b.shape(w).end());
  if (auto kernel = n.intsAttr("kernel_shape")) {
    bool fits = kernel->size() == axes;
    for (size_t i = 0; fits && i < axes; ++i)
      fits = b.facts().equal(taps[i], (*kernel)[i]) != Proof::No;
    if (!fits)
      return n.error("kernel_shape does not agree with W of shape " + str(b.shape(w)));
  }
  PLIANT_TRY(Window window, readWindow(n, x, taps));
  Value y = b.conv(x, w, window.strides, window.dilations, window.pads, n.intAttr("group", 1), false);
  if (n.has(2))
    y = b.add(y, perChannel(b, n.in(2), static_cast<int64_t>(axes + 2)));
  n.out(y);
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"Conv", 1, importConv}};
  return rows;
}

} // namespace pliant::ops::conv
