// SPDX-License-Identifier: Apache-2.0
// Softmax, LogSoftmax, Hardmax. Before opset 13 they work on x flattened to a matrix, split at the axis.
#include "ops/onnx_axes.h"

namespace pliant::ops::softmax {
using namespace onnx_import;

static Value hardmax(ValueBuilder &b, Value x, int64_t axis) {
  if (b.failed())
    return {};
  const Extents shape = b.shape(x);
  const DType dtype = b.dtype(x);
  Extents line(shape.size(), Expr(1));
  line[axis] = shape[axis];
  Value index = b.reshape(b.iota({shape[axis]}, DType::I64), line);
  if (!b.facts().atLeast(shape[axis], 1)) { // an empty row has no largest element, and needs none
    Extents none(shape.size(), Expr(0)), more = none;
    more[axis] = max(1 - shape[axis], 0);
    x = b.pad(x, b.scalarLike(x, 0), none, more, "constant");
  }
  return b.cast(b.equal(index, b.argMax(x, axis, true, false)), dtype);
}
static Value soft(ValueBuilder &b, Value x, int64_t axis) { return b.softmax(x, axis); }
static Value logSoft(ValueBuilder &b, Value x, int64_t axis) { return b.logSoftmax(x, axis); }

template <Value (*along)(ValueBuilder &, Value, int64_t)> static Status importAlong(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0);
  if (b.failed())
    return b.status();
  int64_t axis = n.intAttr("axis", n.opset < 13 ? 1 : -1);
  // The matrix of a vector that is split behind its end has one column; versions from 11 on exclude it.
  bool flat = n.opset < 11 && axis == b.rank(x);
  if (!flat) {
    PLIANT_TRY(axis, axisOf(n, axis, b.rank(x)));
  }
  const Extents shape = b.shape(x);
  // Flattening changes nothing when all axes behind are structurally 1.
  for (size_t i = static_cast<size_t>(axis) + 1; n.opset < 13 && i < shape.size(); ++i)
    flat = flat || !shape[i].isConstant(1);
  if (flat) {
    const auto split = shape.begin() + axis;
    x = b.reshape(x, {product(Extents(shape.begin(), split)), product(Extents(split, shape.end()))});
  }
  Value y = along(b, x, flat ? 1 : axis);
  n.out(flat ? b.reshape(y, shape) : y);
  return b.status();
}

Status attention(NodeImport &n); // softmax_attention.onnx.cpp

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"Softmax", 1, importAlong<soft>},
      {"LogSoftmax", 1, importAlong<logSoft>},
      {"Hardmax", 1, importAlong<hardmax>},
      {"Attention", 23, attention},
  };
  return rows;
}

} // namespace pliant::ops::softmax
