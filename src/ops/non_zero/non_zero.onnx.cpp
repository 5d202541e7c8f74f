// SPDX-License-Identifier: Apache-2.0
// NonZero and Compress: the elements are counted first, and the host reads the count, a fresh symbol. Where every
// element is known to be the same, as in NonZero(ConstantOfShape(n)) with which exporters count from 0 to n, it is no
// symbol.
#include "ops/compose.h"
#include "ops/dispatch.h"
#include "ops/onnx_axes.h"

namespace pliant::ops::non_zero {
using namespace onnx_import;

/// (rank, count) indices of what is not zero in x.
static Value indicesOf(NodeImport &n, Value x) {
  ValueBuilder &b = n.b;
  if (b.failed())
    return {};
  if (const DenseTensor *each = b.uniform(x)) {
    bool none = false;
    dispatch(each->dtype(), [&]<class T>(Type<T>) { none = !(static_cast<double>(*each->as<T>()) != 0); });
    const Expr count = none ? Expr(0) : product(b.shape(x));
    return b.rank(x) == 1 ? b.reshape(b.iota({count}, DType::I64), {1, count}) : b.nonZero(x, {count});
  }
  Value counts = b.cast(b.dtype(x) == DType::Bool ? x : b.cast(x, DType::Bool), DType::I64);
  const Interval bounds{0, product(b.shape(x)).constant().value_or(extentBounds.hi)};
  const Extents count = b.bind(b.reduceSum(counts, compose::axesFrom(b, x, 0), false), bounds, "count");
  return b.failed() ? Value{} : b.nonZero(x, count);
}

static Status nonZero(NodeImport &n) {
  n.out(indicesOf(n, n.in(0)));
  return n.b.status();
}

/// The slices along an axis, or elements of x flattened, where the condition holds; it may be shorter than the axis.
static Status compress(NodeImport &n) {
  ValueBuilder &b = n.b;
  PLIANT_TRY(auto place, axisOrFlattened(n));
  const auto [x, axis] = place;
  const Value condition = n.in(1);
  if (b.failed())
    return b.status();
  if (b.rank(condition) != 1)
    return n.error("the condition has shape " + str(b.shape(condition)) + " but must be a list");
  Value indices = indicesOf(n, condition);
  if (!b.failed())
    n.out(b.gather(x, b.reshape(indices, {b.shape(indices)[1]}), axis));
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"NonZero", 9, nonZero}, {"Compress", 9, compress}};
  return rows;
}

} // namespace pliant::ops::non_zero
