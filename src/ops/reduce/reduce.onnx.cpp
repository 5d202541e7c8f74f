// SPDX-License-Identifier: Apache-2.0
// The Reduce* operators.
#include "ops/compose.h"
#include "ops/onnx_axes.h"
#include "ops/onnx_run_axes.h"

namespace pliant::ops::reduce {
using namespace onnx_import;

Status importTfIdf(NodeImport &n); // reduce_ngrams.onnx.cpp

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

/// Axes known only at run time: every axis of extent d becomes a kept one and a folded one, (d, 1) or (1, d).
static Result<Value> reduceBy(NodeImport &n, Value x, Value axes, Fold fold, bool keep) {
  ValueBuilder &b = n.b;
  if (b.failed())
    return Value{};
  const Extents shape = b.shape(x);
  const int64_t rank = b.rank(x);
  if (b.rank(axes) != 1)
    return n.error("the axes have shape " + str(b.shape(axes)) + " but must be a list");
  const Expr count = b.shape(axes)[0];
  const bool noop = n.intAttr("noop_with_empty_axes", 0) != 0;
  if (count.isConstant(0) || rank == 0)
    return fold(b, x, noop && rank ? Axes() : compose::axesFrom(b, x, 0), keep);
  if (!keep && !count.constant())
    return n.unsupported("a number of axes known only at run time, on which the rank of the result depends,");
  Value named = namedAxes(b, axes, rank);
  if (!count.constant() && !noop) // none at all means all
    named = b.logicalOr(named, b.equal(b.extents({count}, true), b.scalar(DType::I64, 0)));
  const Extents kept = b.bind(b.select(named, b.scalar(DType::I64, 1), b.extents(shape)), extentBounds, "reduced");
  if (b.failed())
    return Value{};
  Extents split;
  Axes folded;
  for (int64_t i = 0; i < rank; ++i) {
    split.push_back(kept[i]);
    split.push_back(shape[i] + 1 - kept[i]);
    folded.push_back(2 * i + 1);
  }
  Value y = fold(b, b.reshape(x, split), folded, false);
  return keep ? y : b.reshape(y, keptExtents(b, shape, named, rank - *count.constant()));
}

template <Fold fold, Inside inside> static Status importReduce(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0);
  if (b.failed())
    return b.status();
  const DType dtype = b.dtype(x);
  if (inside != Native)
    x = compose::widen(b, x);
  if (inside == Float && !isFloat(dtype))
    x = b.cast(x, DType::F64);
  const bool keep = n.intAttr("keepdims", 1) != 0;
  if (n.has(1) && !n.constInts(1)) {
    PLIANT_TRY(Value y, reduceBy(n, x, n.in(1), fold, keep));
    n.out(compose::castTo(b, y, dtype));
    return b.status();
  }
  PLIANT_TRY(Axes axes, reducedAxes(n, b.rank(x)));
  n.out(compose::castTo(b, fold(b, x, axes, keep), dtype));
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
      {"TfIdfVectorizer", 9, importTfIdf},
  };
  return rows;
}

} // namespace pliant::ops::reduce
