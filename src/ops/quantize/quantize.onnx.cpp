// SPDX-License-Identifier: Apache-2.0
// ONNX's quantisation: conversions, and integer products as differences, contractions in i32 and one rescaling.
#include "ops/compose.h"
#include "ops/integer_products.h"
#include "ops/onnx_axes.h"

namespace pliant::ops::quantize {
using namespace onnx_import;

/// Input `i` as a zero point; without it 0 of the type in `scale`'s shape.
static Value zeroPoint(NodeImport &n, size_t i, DType type, Value scale) {
  if (n.has(i))
    return n.in(i);
  if (n.b.failed())
    return {};
  Value zero = n.b.scalar(type, 0);
  return n.b.rank(scale) == 0 ? zero : n.b.broadcastTo(zero, n.b.shape(scale));
}

static Status quantizeLinear(NodeImport &n) {
  Value x = n.in(0), scale = n.in(1);
  if (n.b.failed())
    return n.b.status();
  if (n.intAttr("precision", 0) != 0)
    return n.unsupported("the attribute precision");
  if (n.intAttr("block_size", 0) != 0)
    return n.unsupported("quantisation in blocks");
  std::optional<DType> type = DType::U8;
  if (const int64_t code = n.intAttr("output_dtype", 0))
    type = dtypeOf(code);
  if (!type)
    return n.unsupported("this output type");
  int64_t axis = 0;
  if (n.b.rank(scale) > 0 && n.b.rank(x) > 0) {
    PLIANT_TRY(axis, axisOf(n, n.intAttr("axis", n.b.rank(x) > 1 ? 1 : 0), n.b.rank(x)));
  }
  n.out(n.b.quantize(x, scale, zeroPoint(n, 2, *type, scale), axis));
  return n.b.status();
}

static Status dequantizeLinear(NodeImport &n) {
  Value x = n.in(0), scale = n.in(1);
  if (n.b.failed())
    return n.b.status();
  if (n.intAttr("output_dtype", 0) != 0)
    return n.unsupported("the attribute output_dtype");
  if (n.intAttr("block_size", 0) != 0)
    return n.unsupported("quantisation in blocks");
  int64_t axis = 0;
  if (n.b.rank(scale) > 0 && n.b.rank(x) > 0) {
    PLIANT_TRY(axis, axisOf(n, n.intAttr("axis", n.b.rank(x) > 1 ? 1 : 0), n.b.rank(x)));
  }
  n.out(n.b.dequantize(x, scale, zeroPoint(n, 2, n.b.dtype(x), scale), axis));
  return n.b.status();
}

/// To u8 over the range of x, extended to hold 0.
static Status dynamicQuantizeLinear(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0);
  if (b.failed())
    return b.status();
  const std::vector<int64_t> all = compose::axesFrom(b, x, 0);
  Value zero = b.scalarLike(x, 0), least = b.min(b.reduceMin(x, all, false), zero);
  Value range = b.sub(b.max(b.reduceMax(x, all, false), zero), least);
  Value scale = b.div(range, b.scalarLike(x, 255));
  Value point = b.cast(b.round(b.div(b.sub(zero, least), scale)), DType::U8);
  n.out(b.quantize(x, scale, point, 0));
  n.out(scale);
  n.out(point);
  return b.status();
}

/// A list of one entry as a scalar.
static Value single(ValueBuilder &b, Value v) {
  return b.failed() || b.rank(v) == 0 || !product(b.shape(v)).isConstant(1) ? v : b.reshape(v, {});
}

/// A zero point; a list lines up with the axis, counted from the end.
static Value aligned(NodeImport &n, size_t point, int64_t axisFromEnd) {
  ValueBuilder &b = n.b;
  if (!n.has(point))
    return {};
  Value zero = n.in(point);
  if (b.failed() || b.rank(zero) != 1)
    return zero;
  Extents shape(static_cast<size_t>(axisFromEnd), Expr(1));
  shape[0] = b.shape(zero)[0];
  return b.reshape(zero, std::move(shape));
}
/// As in the contracts of the ONNX ops: bytes with zero points of their own type.
static Status checkBytes(NodeImport &n, size_t x, size_t point) {
  ValueBuilder &b = n.b;
  Value v = n.in(x), zero = n.has(point) ? n.in(point) : v;
  if (b.failed())
    return b.status();
  const DType type = b.dtype(v);
  if ((type != DType::I8 && type != DType::U8) || b.dtype(zero) != type)
    return n.error("the operand is " + b.type(v).str() + " and its zero point " + b.type(zero).str() +
                   ": both must be i8 or u8");
  return ok();
}
/// Vectors get an axis as in NumPy, which the product loses again.
static Result<Value> product32(NodeImport &n, size_t lhsAt, size_t lhsPoint, size_t rhsAt, size_t rhsPoint) {
  ValueBuilder &b = n.b;
  PLIANT_CHECK(checkBytes(n, lhsAt, lhsPoint));
  PLIANT_CHECK(checkBytes(n, rhsAt, rhsPoint));
  Value lhs = n.in(lhsAt), rhs = n.in(rhsAt);
  Value lhsZero = aligned(n, lhsPoint, 2), rhsZero = aligned(n, rhsPoint, 1);
  if (b.failed())
    return b.status().takeError();
  const bool row = b.rank(lhs) == 1, column = b.rank(rhs) == 1;
  if (row)
    lhs = b.reshape(lhs, {1, b.shape(lhs)[0]});
  if (column)
    rhs = b.reshape(rhs, {b.shape(rhs)[0], 1});
  Value y = integerMatmul(b, lhs, lhsZero, rhs, rhsZero);
  if (b.failed() || (!row && !column))
    return y;
  Extents shape = b.shape(y);
  if (column)
    shape.pop_back();
  if (row)
    shape.erase(shape.end() - (column ? 1 : 2));
  return b.reshape(y, std::move(shape));
}

static Status matMulInteger(NodeImport &n) {
  PLIANT_TRY(Value sum, product32(n, 0, 2, 1, 3));
  n.out(sum);
  return n.b.status();
}

/// An i32 accumulator rescaled and quantised again. The factor lhsScale * rhsScale / scale is formed first.
static Value requantized(NodeImport &n, Value sum, Value lhsScale, Value rhsScale, Value scale, Value point) {
  ValueBuilder &b = n.b;
  Value factor = b.div(b.mul(lhsScale, rhsScale), asScalar(n, scale));
  Value scaled = b.round(b.mul(b.cast(sum, DType::F32), compose::castTo(b, factor, DType::F32)));
  return b.failed() ? Value{} : b.cast(b.add(scaled, b.cast(asScalar(n, point), DType::F32)), b.dtype(point));
}

static Status qLinearMatMul(NodeImport &n) {
  ValueBuilder &b = n.b;
  PLIANT_TRY(Value sum, product32(n, 0, 2, 3, 5));
  Value lhsScale = single(b, n.in(1)), rhsScale = single(b, n.in(4));
  if (b.failed())
    return b.status();
  if (b.rank(lhsScale) == 1) // one per row
    lhsScale = b.reshape(lhsScale, {b.shape(lhsScale)[0], 1});
  n.out(requantized(n, sum, lhsScale, rhsScale, n.in(6), n.in(7)));
  return b.status();
}

/// The convolution of x (input `x`) with w (input `w`) in i32; the zero points of w are one or one per output.
static Result<Value> convolution32(NodeImport &n, size_t x, size_t xPoint, size_t w, size_t wPoint) {
  ValueBuilder &b = n.b;
  Value input = n.in(x), filters = n.in(w);
  if (b.failed())
    return Value{};
  PLIANT_TRY(size_t axes, spatialAxes(n, input));
  if (b.rank(filters) != b.rank(input))
    return n.error("x has shape " + str(b.shape(input)) + " but w has shape " + str(b.shape(filters)) +
                   ": the ranks differ");
  const Extents taps(b.shape(filters).begin() + 2, b.shape(filters).end());
  PLIANT_TRY(Window window, readWindow(n, input, taps));
  PLIANT_CHECK(checkBytes(n, x, xPoint));
  PLIANT_CHECK(checkBytes(n, w, wPoint));
  const int64_t rank = static_cast<int64_t>(axes) + 2;
  Value xZero = aligned(n, xPoint, rank);
  if (!b.failed() && xZero && !product(b.shape(xZero)).isConstant(1))
    return n.error("the zero point of x has shape " + str(b.shape(xZero)) + " but must be a scalar");
  // Padding stands for the zero point, so it is 0 once that is subtracted.
  return integerConv(b, input, xZero, filters, n.has(wPoint) ? n.in(wPoint) : Value(), window.strides, window.dilations,
                     window.pads, n.intAttr("group", 1));
}

static Status convInteger(NodeImport &n) {
  PLIANT_TRY(Value sum, convolution32(n, 0, 2, 1, 3));
  n.out(sum);
  return n.b.status();
}

static Status qLinearConv(NodeImport &n) {
  ValueBuilder &b = n.b;
  PLIANT_TRY(Value sum, convolution32(n, 0, 2, 3, 5));
  if (b.failed())
    return b.status();
  const int64_t rank = b.rank(sum);
  if (n.has(8))
    sum = b.add(sum, perChannel(b, n.in(8), rank));
  Value filterScale = perChannel(b, single(b, n.in(4)), rank);
  n.out(requantized(n, sum, asScalar(n, n.in(1)), filterScale, n.in(6), n.in(7)));
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"QuantizeLinear", 10, quantizeLinear},
      {"DequantizeLinear", 10, dequantizeLinear},
      {"DynamicQuantizeLinear", 11, dynamicQuantizeLinear},
      {"MatMulInteger", 10, matMulInteger},
      {"QLinearMatMul", 10, qLinearMatMul},
      {"ConvInteger", 10, convInteger},
      {"QLinearConv", 10, qLinearConv},
  };
  return rows;
}

} // namespace pliant::ops::quantize
