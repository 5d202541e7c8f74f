// SPDX-License-Identifier: Apache-2.0
// ConvTranspose: pads given, or worked out from the extents wanted of the result.
#include "ops/onnx_axes.h"

namespace pliant::ops::conv_transpose {
using namespace onnx_import;

static Status importConvTranspose(NodeImport &n) {
  ValueBuilder &b = n.b;
  PLIANT_TRY(auto operands, convOperands(n));
  const auto &[x, w, axes, taps] = operands;
  const Extents shape = b.shape(x);
  PLIANT_TRY(std::vector<int64_t> strides, perAxis(n, "strides", axes, 1));
  PLIANT_TRY(std::vector<int64_t> dilations, perAxis(n, "dilations", axes, 1));
  PLIANT_TRY(std::vector<int64_t> extra, perAxis(n, "output_padding", axes, 0));
  const std::string mode = n.strAttr("auto_pad", "NOTSET");
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  std::optional<std::vector<int64_t>> wanted = n.intsAttr("output_shape");
  if (wanted && wanted->size() == axes + 2) // some exporters give all axes
    wanted->erase(wanted->begin(), wanted->begin() + 2);
  if (wanted && wanted->size() != axes)
    return n.error("output_shape needs one entry for each of the " + std::to_string(axes) + " spatial axes");

  Extents pads(2 * axes, Expr(0));
  if (wanted || same) {
    // The total is spread over both sides, the odd one high for SAME_UPPER and low otherwise. A negative total (the
    // taps do not reach the wanted extent) becomes zeros on the high side.
    for (size_t i = 0; i < axes; ++i) {
      const Expr extent = wanted ? Expr((*wanted)[i]) : shape[2 + i] * strides[i];
      const Expr total = (shape[2 + i] - 1) * strides[i] + extra[i] + (taps[i] - 1) * dilations[i] + 1 - extent;
      const Expr half = floorDiv(total, 2);
      Expr low = mode == "SAME_UPPER" ? half : total - half;
      if (b.facts().lessEqual(0, low) != Proof::Yes)
        low = max(low, Expr(0));
      pads[i] = low;
      pads[axes + i] = total - low;
    }
  } else if (mode != "VALID") {
    std::vector<int64_t> given = n.intsAttr("pads").value_or(std::vector<int64_t>(2 * axes, 0));
    if (given.size() != 2 * axes)
      return n.error("pads has " + std::to_string(given.size()) + " entries for " + std::to_string(axes) +
                     " spatial axes");
    pads.assign(given.begin(), given.end());
  }
  Value y = b.convTranspose(x, w, strides, dilations, pads, Extents(extra.begin(), extra.end()), n.intAttr("group", 1),
                            false);
  n.out(withBias(n, y, axes));
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"ConvTranspose", 1, importConvTranspose}};
  return rows;
}

} // namespace pliant::ops::conv_transpose
