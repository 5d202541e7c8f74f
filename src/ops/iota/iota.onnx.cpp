// SPDX-License-Identifier: Apache-2.0
// ONNX ops made of counting: Range, OneHot, EyeLike, Trilu.
#include "ops/extent_math.h"
#include "ops/onnx_util.h"
#include <cmath>

namespace pliant::ops::iota {
using namespace onnx_import;

Status importHann(NodeImport &n); // iota_signal.onnx.cpp
Status importHamming(NodeImport &n);
Status importBlackman(NodeImport &n);
Status importMelWeights(NodeImport &n);
Status importDft(NodeImport &n);
Status importStft(NodeImport &n);

/// The number of elements, ceil((limit - start) / delta) but not below 0; exact in integers for either sign of delta.
static Expr integerCount(NodeImport &n, Value start, Value limit, Value delta) {
  const Content *from = n.b.content(start), *to = n.b.content(limit), *by = n.b.content(delta);
  if (from && to && by && from->size() == 1 && to->size() == 1 && by->size() == 1) {
    const Expr step = by->front();
    if (step.isConstant(0)) {
      n.b.fail(n.error("delta is 0"));
      return 0;
    }
    const Expr gap = from->front() - to->front();
    return maxOf(n.b.facts(), step.isConstant(1) ? Expr(0) - gap : Expr(0) - floorDiv(gap, step), 0);
  }
  // Read at run time: floor division by way of the remainder, which has the sign of delta.
  ValueBuilder &b = n.b;
  auto wide = [&](Value v) { return b.dtype(v) == DType::I64 ? asScalar(n, v) : b.cast(asScalar(n, v), DType::I64); };
  Value step = wide(delta), gap = b.sub(wide(start), wide(limit));
  Value count = b.neg(b.div(b.sub(gap, b.mod(gap, step)), step));
  const Extents bound = b.bind(b.max(count, b.scalar(DType::I64, 0)), extentBounds, "range");
  return bound.size() == 1 ? bound[0] : Expr(0);
}

/// Floats are counted in f64, from constants or by a value that the host reads.
static Expr floatCount(NodeImport &n, Value start, Value limit, Value delta) {
  std::array<std::optional<std::vector<double>>, 3> known{n.constFloats(0), n.constFloats(1), n.constFloats(2)};
  if (known[0] && known[1] && known[2] && known[0]->size() == 1 && known[1]->size() == 1 && known[2]->size() == 1) {
    const double count = std::ceil((known[1]->front() - known[0]->front()) / known[2]->front());
    if (!(count < 0x1p47)) {
      n.b.fail(n.error("the range has no bounded number of elements"));
      return 0;
    }
    return count > 0 ? static_cast<int64_t>(count) : 0;
  }
  auto wide = [&](Value v) { return n.b.cast(asScalar(n, v), DType::F64); };
  Value count = n.b.ceil(n.b.div(n.b.sub(wide(limit), wide(start)), wide(delta)));
  const Extents bound =
      n.b.bind(n.b.cast(n.b.max(count, n.b.scalar(DType::F64, 0)), DType::I64), extentBounds, "range");
  return bound.size() == 1 ? bound[0] : Expr(0);
}

static Status range(NodeImport &n) {
  Value start = n.in(0), limit = n.in(1), delta = n.in(2);
  if (n.b.failed())
    return n.b.status();
  const DType type = n.b.dtype(start);
  Expr count = isFloat(type) ? floatCount(n, start, limit, delta) : integerCount(n, start, limit, delta);
  if (n.b.failed())
    return n.b.status();
  Value steps = n.b.iota({count}, type);
  const Content *by = n.b.content(delta), *from = n.b.content(start);
  if (!by || by->size() != 1 || !by->front().isConstant(1))
    steps = n.b.mul(steps, asScalar(n, delta));
  if (!from || from->size() != 1 || !from->front().isConstant(0))
    steps = n.b.add(steps, asScalar(n, start));
  n.out(steps);
  return n.b.status();
}

/// Counts 0, 1, ... along `axis` of a broadcastable shape of `rank` axes.
static Value countAlong(NodeImport &n, const Expr &extent, int64_t axis, int64_t rank, DType type = DType::I64) {
  Extents shape(static_cast<size_t>(rank), 1);
  shape[static_cast<size_t>(axis)] = extent;
  Value counted = n.b.iota({extent}, type);
  return rank == 1 ? counted : n.b.reshape(counted, std::move(shape));
}

/// Indices in [-depth, depth) light one element; others light none.
static Status oneHot(NodeImport &n) {
  Value indices = n.in(0), values = n.in(2), given = n.in(1);
  if (n.b.failed())
    return n.b.status();
  Extents depth;
  if (isFloat(n.b.dtype(given)))
    depth = n.b.bind(n.b.cast(given, DType::I64), extentBounds, "depth");
  else
    depth = n.ints(1, extentBounds, "depth");
  const int64_t rank = n.b.rank(indices) + 1;
  PLIANT_TRY(int64_t axis, axisOf(n, n.intAttr("axis", -1), rank));
  if (n.b.failed() || depth.size() != 1)
    return n.b.failed() ? n.b.status() : Status(n.error("depth must be a scalar"));
  Value picks = n.b.dtype(indices) == DType::I64 ? indices : n.b.cast(indices, DType::I64);
  picks = n.b.select(n.b.less(picks, n.b.scalar(DType::I64, 0)), n.b.add(picks, n.b.extents(depth, true)), picks);
  Extents shape = n.b.shape(indices);
  shape.insert(shape.begin() + axis, Expr(1));
  Value lit = n.b.equal(n.b.reshape(picks, std::move(shape)), countAlong(n, depth[0], axis, rank));
  auto value = [&](int64_t at) { return n.b.reshape(n.b.slice(values, {at}, {1}, {1}), {}); };
  n.out(n.b.select(lit, value(1), value(0)));
  return n.b.status();
}

static Status eyeLike(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  const Extents shape = n.b.shape(x);
  const int64_t code = n.intAttr("dtype", 0), k = n.intAttr("k", 0);
  const std::optional<DType> type = code == 0 ? n.b.dtype(x) : dtypeOf(code);
  if (!type || shape.size() != 2)
    return n.error("an input of rank 2 and a known element type are needed, not shape " + str(shape));
  Value rows = countAlong(n, shape[0], 0, 2), columns = countAlong(n, shape[1], 1, 2);
  Value diagonal = n.b.equal(k == 0 ? rows : n.b.add(rows, n.b.scalar(DType::I64, static_cast<double>(k))), columns);
  n.out(*type == DType::Bool ? diagonal : n.b.cast(diagonal, *type));
  return n.b.status();
}

static Status trilu(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  const Extents shape = n.b.shape(x);
  if (shape.size() < 2)
    return n.error("shape " + str(shape) + " has no matrices");
  Value rows = countAlong(n, shape[shape.size() - 2], 0, 2), columns = countAlong(n, shape.back(), 1, 2);
  if (n.has(1))
    rows = n.b.add(rows, asScalar(n, n.in(1)));
  Value kept = n.intAttr("upper", 1) != 0 ? n.b.greaterEqual(columns, rows) : n.b.lessEqual(columns, rows);
  n.out(n.b.select(kept, x, n.b.scalarLike(x, 0)));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"Range", 11, range},
      {"OneHot", 9, oneHot},
      {"EyeLike", 9, eyeLike},
      {"Trilu", 14, trilu},
      {"HannWindow", 17, importHann},
      {"HammingWindow", 17, importHamming},
      {"BlackmanWindow", 17, importBlackman},
      {"MelWeightMatrix", 17, importMelWeights},
      {"DFT", 17, importDft},
      {"STFT", 17, importStft},
  };
  return rows;
}

} // namespace pliant::ops::iota
