// SPDX-License-Identifier: Apache-2.0
// ONNX GatherElements and ReverseSequence.
#include "ops/onnx_util.h"

namespace pliant::ops::gather_elements {
using namespace onnx_import;

static Status gatherElements(NodeImport &n) {
  Value x = n.in(0);
  n.out(n.b.gatherElements(x, n.in(1), n.intAttr("axis", 0)));
  return n.b.status();
}

/// Per batch the first `length` elements along the time axis in reverse order, the others as they are.
static Status reverseSequence(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0), lengths = n.in(1);
  if (b.failed())
    return b.status();
  PLIANT_TRY(int64_t time, axisOf(n, n.intAttr("time_axis", 0), b.rank(x)));
  PLIANT_TRY(int64_t batch, axisOf(n, n.intAttr("batch_axis", 1), b.rank(x)));
  const Extents shape = b.shape(x);
  if (time == batch || b.rank(lengths) != 1 || b.facts().equal(b.shape(lengths)[0], shape[batch]) == Proof::No)
    return n.error("the lengths have shape " + str(b.shape(lengths)) + " for batch axis " + std::to_string(batch) +
                   " and time axis " + std::to_string(time) + " of shape " + str(shape));
  Extents row(shape.size(), Expr(1)), column = row;
  row[time] = shape[time], column[batch] = shape[batch];
  Value at = b.reshape(b.iota({shape[time]}, DType::I64), row);
  Value length = b.reshape(b.cast(lengths, DType::I64), column);
  Value last = b.sub(length, b.scalar(DType::I64, 1));
  Value places = b.select(b.less(at, length), b.sub(last, at), at);
  n.out(b.gatherElements(x, b.broadcastTo(places, shape), time));
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"GatherElements", 11, gatherElements}, {"ReverseSequence", 10, reverseSequence}};
  return rows;
}

} // namespace pliant::ops::gather_elements
