// SPDX-License-Identifier: Apache-2.0
// Conv.
#include "ops/onnx_axes.h"

namespace pliant::ops::conv {
using namespace onnx_import;

static Status importConv(NodeImport &n) {
  ValueBuilder &b = n.b;
  PLIANT_TRY(auto operands, convOperands(n));
  const auto &[x, w, axes, taps] = operands;
  if (auto kernel = n.intsAttr("kernel_shape")) {
    bool fits = kernel->size() == axes;
    for (size_t i = 0; fits && i < axes; ++i)
      fits = b.facts().equal(taps[i], (*kernel)[i]) != Proof::No;
    if (!fits)
      return n.error("kernel_shape does not agree with W of shape " + str(b.shape(w)));
  }
  PLIANT_TRY(Window window, readWindow(n, x, taps));
  Value y = b.conv(x, w, window.strides, window.dilations, window.pads, n.intAttr("group", 1), false);
  n.out(withBias(n, y, axes));
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"Conv", 1, importConv}};
  return rows;
}

} // namespace pliant::ops::conv
