// SPDX-License-Identifier: Apache-2.0
// ScatterElements, its older name Scatter, ScatterND, and MaxUnpool.
#include "ops/onnx_axes.h"

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

/// What max pooling took goes back to where it was, counted over the whole tensor that the window implies; a larger
/// output_shape adds zeros at the ends.
static Status importMaxUnpool(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0), indices = n.in(1);
  if (b.failed())
    return b.status();
  PLIANT_TRY(size_t axes, spatialAxes(n, x));
  const std::vector<int64_t> kernel = n.intsAttr("kernel_shape").value_or(std::vector<int64_t>());
  PLIANT_TRY(std::vector<int64_t> strides, perAxis(n, "strides", axes, 1));
  PLIANT_TRY(std::vector<int64_t> pads, perAxis(n, "pads", 2 * axes, 0));
  if (kernel.size() != axes)
    return n.error("kernel_shape has " + std::to_string(kernel.size()) + " entries for shape " + str(b.shape(x)));
  Extents shape = b.shape(x);
  const Expr count = product(shape);
  for (size_t i = 0; i < axes; ++i)
    shape[2 + i] = (shape[2 + i] - 1) * strides[i] + kernel[i] - pads[i] - pads[axes + i];
  Value zero = b.scalarLike(x, 0);
  Value y = b.scatterElements(b.broadcastTo(zero, {product(shape)}), b.reshape(indices, {count}), b.reshape(x, {count}),
                              0, "none");
  y = b.reshape(y, shape);
  if (n.has(2)) {
    const Extents target = n.ints(2, extentBounds, "output_shape");
    if (!b.failed() && target.size() != shape.size())
      return n.error("output_shape has " + std::to_string(target.size()) + " entries for shape " + str(shape));
    Extents more;
    for (size_t i = 0; i < target.size(); ++i)
      more.push_back(target[i] - shape[i]);
    y = b.pad(y, zero, Extents(shape.size(), Expr(0)), std::move(more), "constant");
  }
  n.out(y);
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"ScatterElements", 1, importElements},
      {"Scatter", 1, importElements},
      {"ScatterND", 1, importNd},
      {"MaxUnpool", 9, importMaxUnpool},
  };
  return rows;
}

} // namespace pliant::ops::scatter
