// SPDX-License-Identifier: Apache-2.0
// The Reduce* operators.
#include "ops/compose.h"
#include "ops/onnx_axes.h"

namespace pliant::ops::reduce {
using namespace onnx_import;

using Axes = std::vector<int64_t>;
using Fold = Value (*)(ValueBuilder &, Value, const Axes &, bool);

// Without axes these are x itself.
static Value sum(ValueBuilder &b, Value x, const Axes &axes, bool keep) {
  return axes.empty() ? x : b.reduceSum(x, axes, keep);
}
static Value mean(ValueBuilder &b, Value x, const Axes &axes, bool keep) {
  return axes.empty() ? x : b.reduceMean(x, axes, keep);
}
static Value maximum(ValueBuilder &b, Value x, const Axes &axes, bool keep) {
  return axes.empty() ? x : b.reduceMax(x, axes, keep);
}
static Value minimum(ValueBuilder &b, Value x, const Axes &axes, bool keep) {
  return axes.empty() ? x : b.reduceMin(x, axes, keep);
}
static Value prod(ValueBuilder &b, Value x, const Axes &axes, bool keep) {
  return axes.empty() ? x : b.reduceProd(x, axes, keep);
}
static Value sumAbs(ValueBuilder &b, Value x, const Axes &axes, bool keep) { return sum(b, b.abs(x), axes, keep); }
static Value sumSquare(ValueBuilder &b, Value x, const Axes &axes, bool keep) {
  return sum(b, b.mul(x, x), axes, keep);
}
static Value norm(ValueBuilder &b, Value x, const Axes &axes, bool keep) { return b.sqrt(sumSquare(b, x, axes, keep)); }
static Value logSum(ValueBuilder &b, Value x, const Axes &axes, bool keep) { return b.log(sum(b, x, axes, keep)); }
/// The maximum is taken out first; an infinite one stays in, since inf - inf would be NaN.
static Value logSumExp(ValueBuilder &b, Value x, const Axes &axes, bool keep) {
  if (axes.empty())
    return x;
  Value top = b.reduceMax(x, axes, true);
  top = b.select(b.isInf(top, true, true), b.scalarLike(x, 0), top);
  Value total = b.reduceSum(b.exp(b.sub(x, top)), axes, keep);
  if (!keep && !b.failed())
    top = b.reshape(top, Extents(b.shape(total)));
  return b.add(b.log(total), top);
}

enum Inside { Native, Wide, Float }; // in which type several ops in a row compute; Float: integers in f64

template <Fold fold, Inside inside> static Status importReduce(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0);
  if (b.failed())
    return b.status();
  PLIANT_TRY(Axes axes, reducedAxes(n, b.rank(x)));
  const DType dtype = b.dtype(x);
  if (inside != Native)
    x = compose::widen(b, x);
  if (inside == Float && !isFloat(dtype))
    x = b.cast(x, DType::F64);
  n.out(compose::castTo(b, fold(b, x, axes, n.intAttr("keepdims", 1) != 0), dtype));
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"ReduceSum", 1, importReduce<sum, Native>},
      {"ReduceMean", 1, importReduce<mean, Native>},
      {"ReduceMax", 1, importReduce<maximum, Native>},
      {"ReduceMin", 1, importReduce<minimum, Native>},
      {"ReduceProd", 1, importReduce<prod, Native>},
      {"ReduceL1", 1, importReduce<sumAbs, Wide>},
      {"ReduceL2", 1, importReduce<norm, Float>},
      {"ReduceLogSum", 1, importReduce<logSum, Float>},
      {"ReduceLogSumExp", 1, importReduce<logSumExp, Float>},
      {"ReduceSumSquare", 1, importReduce<sumSquare, Wide>},
  };
  return rows;
}

} // namespace pliant::ops::reduce
