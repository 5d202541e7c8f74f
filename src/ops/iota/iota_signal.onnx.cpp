// SPDX-License-Identifier: Apache-2.0
// ONNX's signal operators, made of counting, cosines and matrix products: windows, Fourier transforms, mel weights.
#include "ops/compose.h"
#include "ops/extent_math.h"
#include "ops/onnx_util.h"
#include <numbers>

namespace pliant::ops::iota {
using namespace onnx_import;

static Value f64(ValueBuilder &b, double value) { return b.scalar(DType::F64, value); }

/// The sum of terms[i] * cos(2 pi i n / N) for n = 0, 1, ...; N is the size when periodic, else one less.
static Status window(NodeImport &n, std::initializer_list<double> terms) {
  ValueBuilder &b = n.b;
  const Extents size = n.ints(0, extentBounds, "size");
  const std::optional<DType> type = dtypeOf(n.intAttr("output_datatype", 1));
  if (b.failed())
    return b.status();
  if (size.size() != 1 || !type)
    return n.error("a window needs one size and a known element type");
  const bool periodic = n.intAttr("periodic", 1) != 0;
  Value turn = b.div(f64(b, 2 * std::numbers::pi), compose::extentAs(b, periodic ? size[0] : size[0] - 1, DType::F64));
  Value angle = b.mul(b.iota(size, DType::F64), turn), sum;
  double factor = 0;
  for (double term : terms) {
    Value part = f64(b, term);
    if (factor != 0)
      part = b.mul(part, b.cos(b.mul(angle, f64(b, factor))));
    sum = sum ? b.add(sum, part) : part;
    ++factor;
  }
  n.out(compose::castTo(b, sum, *type));
  return b.status();
}
Status importHann(NodeImport &n) { return window(n, {0.5, -0.5}); }
Status importHamming(NodeImport &n) { return window(n, {25.0 / 46, -21.0 / 46}); }
Status importBlackman(NodeImport &n) { return window(n, {0.42, -0.5, 0.08}); }

/// Triangles over the bins of a spectrum, evenly spaced in mels, by the steps of ONNX's reference.
Status importMelWeights(NodeImport &n) {
  ValueBuilder &b = n.b;
  const Extents bins = n.ints(0, extentBounds, "mels"), length = n.ints(1, extentBounds, "length");
  const std::optional<DType> type = dtypeOf(n.intAttr("output_datatype", 1));
  if (b.failed())
    return b.status();
  if (bins.size() != 1 || length.size() != 1 || !type)
    return n.error("the numbers of bins and of the transform must be scalars, the element type a known one");
  auto real = [&](size_t i) { return b.cast(asScalar(n, n.in(i)), DType::F64); };
  const double perDecade = 2595, corner = 700, ln10 = std::numbers::ln10;
  auto mels = [&](Value hertz) {
    Value log = b.log(b.add(b.div(hertz, f64(b, corner)), f64(b, 1)));
    return b.mul(log, f64(b, perDecade / ln10));
  };
  Value low = mels(real(3)), step = b.div(b.sub(mels(real(4)), low), compose::extentAs(b, bins[0] + 2, DType::F64));
  Value mel = b.add(b.mul(b.iota({bins[0] + 2}, DType::F64), step), low);
  Value hertz = b.mul(b.sub(b.exp(b.mul(mel, f64(b, ln10 / perDecade))), f64(b, 1)), f64(b, corner));
  Value bin = b.floor(b.div(b.mul(hertz, compose::extentAs(b, length[0] + 1, DType::F64)), real(2)));
  auto edge = [&](int64_t from) { return b.slice(bin, {from}, {1}, {bins[0]}); };
  Value lower = edge(0), centre = edge(1), higher = edge(2);
  const Expr rows = floorDiv(length[0], 2) + 1;
  Value j = b.reshape(b.iota({rows}, DType::F64), {rows, 1}), zero = f64(b, 0), one = f64(b, 1);
  Value rise = b.sub(centre, lower), fall = b.sub(higher, centre);
  Value up = b.select(b.equal(rise, zero), one, b.div(b.sub(j, lower), rise));
  Value down = b.div(b.sub(higher, j), fall);
  Value rising = b.logicalAnd(b.greaterEqual(j, lower), b.lessEqual(j, centre));
  Value falling = b.logicalAnd(b.greaterEqual(j, centre), b.less(j, higher));
  n.out(compose::castTo(b, b.select(falling, down, b.select(rising, up, zero)), *type));
  return b.status();
}

/// Part 0 (real) or 1 (imaginary) of (..., 1 or 2) numbers, without the last axis; invalid where there is none.
static Value partOf(ValueBuilder &b, Value x, int64_t part) {
  if (b.failed())
    return {};
  Extents shape = b.shape(x), starts(shape.size(), 0);
  if (shape.back().isConstant(part))
    return {};
  starts.back() = part;
  Extents one = shape;
  one.back() = 1;
  shape.pop_back();
  return b.reshape(b.slice(x, starts, std::vector<int64_t>(starts.size(), 1), std::move(one)), std::move(shape));
}

/// The transform of `length` elements along an axis, as a product with the matrix of its roots of unity. These are
/// computed in f64 from exponents below the length, so that no angle is large.
static Value transformed(ValueBuilder &b, Value x, int64_t axis, const Expr &length, bool inverse, bool oneSided) {
  if (b.failed())
    return {};
  const DType dtype = b.dtype(x), wide = compose::wide(dtype);
  const Expr bins = oneSided ? floorDiv(length, 2) + 1 : length;
  Value rows = b.reshape(b.iota({length}, DType::I64), {length, 1});
  Value exponent = b.mod(b.mul(rows, b.iota({bins}, DType::I64)), compose::extentAs(b, length, DType::I64));
  Value turn = b.div(f64(b, 2 * std::numbers::pi), compose::extentAs(b, length, DType::F64));
  Value angle = b.mul(b.cast(exponent, DType::F64), turn);
  Value cosines = compose::castTo(b, b.cos(angle), wide), sines = compose::castTo(b, b.sin(angle), wide);

  const Expr parts = b.shape(x).back();
  if (!parts.constant()) // 1 or 2, which the product checks at run time
    x = b.mul(x, b.broadcastTo(b.scalarLike(x, 1), {2}));
  Value real = partOf(b, x, 0), imaginary = partOf(b, x, 1);
  if (!parts.constant() && !b.failed())
    imaginary = b.select(b.equal(b.extents({parts}, true), b.scalar(DType::I64, 2)), imaginary, b.scalarLike(x, 0));
  if (b.failed())
    return {};
  // The axis goes last, the others become rows.
  std::vector<int64_t> perm, back;
  for (int64_t i = 0; i < b.rank(real); ++i)
    if (i != axis)
      perm.push_back(i);
  perm.push_back(axis);
  for (int64_t i = 0; i < b.rank(real); ++i)
    back.push_back(i < axis ? i : i == axis ? b.rank(real) - 1 : i - 1);
  Extents outer;
  for (int64_t i : perm)
    outer.push_back(b.shape(real)[i]);
  outer.pop_back();
  auto rowsOf = [&](Value part) {
    Value wideRows = compose::castTo(b, part, wide);
    return b.reshape(b.transpose(wideRows, perm), {product(outer), length});
  };
  Value re = rowsOf(real), outRe = b.matmul(re, cosines), outIm = b.matmul(re, sines);
  if (!inverse)
    outIm = b.neg(outIm);
  if (imaginary) {
    Value im = rowsOf(imaginary), product = b.matmul(im, sines);
    outRe = inverse ? b.sub(outRe, product) : b.add(outRe, product);
    outIm = b.add(outIm, b.matmul(im, cosines));
  }
  Extents shape = outer, column;
  shape.push_back(bins);
  std::vector<Value> results;
  for (Value part : {outRe, outIm}) {
    if (inverse)
      part = b.div(part, compose::extentAs(b, length, wide));
    part = b.transpose(b.reshape(part, shape), back);
    if (b.failed())
      return {};
    column = b.shape(part);
    column.push_back(1);
    results.push_back(compose::castTo(b, b.reshape(part, column), dtype));
  }
  return b.concat(results, static_cast<int64_t>(column.size()) - 1);
}

static Status checkComplex(const NodeImport &n, const Extents &shape, size_t least) {
  if (shape.size() >= least && (!shape.back().constant() || shape.back().isConstant(1) || shape.back().isConstant(2)))
    return ok();
  return n.error("the input has shape " + str(shape) + " but its last axis must hold 1 or 2 numbers");
}

Status importDft(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value x = n.in(0);
  if (b.failed())
    return b.status();
  const Extents shape = b.shape(x);
  PLIANT_CHECK(checkComplex(n, shape, 2));
  int64_t given = n.intAttr("axis", n.opset < 20 ? 1 : -2);
  if (n.has(2)) {
    std::optional<std::vector<int64_t>> list = n.constInts(2);
    if (!list || list->size() != 1)
      return n.unsupported("an axis computed at run time");
    given = list->front();
  }
  PLIANT_TRY(int64_t axis, axisOf(n, given, b.rank(x)));
  if (axis + 1 == b.rank(x))
    return n.error("the axis is that of real and imaginary parts");
  Expr length = shape[axis];
  if (n.has(1)) {
    const Extents wanted = n.ints(1, extentBounds, "length");
    if (wanted.size() == 1 && !(wanted[0] == length)) { // cut, or zeros at the end
      Extents more(shape.size(), Expr(0));
      more[axis] = wanted[0] - length;
      x = b.pad(x, b.scalarLike(x, 0), Extents(shape.size(), Expr(0)), more, "constant");
      length = wanted[0];
    }
  }
  n.out(transformed(b, x, axis, length, n.intAttr("inverse", 0) != 0, n.intAttr("onesided", 0) != 0));
  return b.status();
}

/// Frames of the signal (B, length, 1 or 2), each windowed and transformed.
Status importStft(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value signal = n.in(0);
  const Extents step = n.ints(1, {1, extentBounds.hi}, "frame_step");
  if (b.failed())
    return b.status();
  const Extents shape = b.shape(signal);
  PLIANT_CHECK(checkComplex(n, shape, 3));
  Extents length;
  if (n.has(3))
    length = n.ints(3, {1, extentBounds.hi}, "frame_length");
  else if (n.has(2) && n.rank(2) == 1)
    length = {b.shape(n.in(2))[0]};
  if (b.failed())
    return b.status();
  if (shape.size() != 3 || step.size() != 1 || length.size() != 1)
    return n.error("a signal of rank 3, a frame step, and a window or a frame length are needed");
  const Expr frames = maxOf(b.facts(), floorDiv(shape[1] - length[0], step[0]) + 1, 0);
  Value starts = b.mul(b.reshape(b.iota({frames}, DType::I64), {frames, 1}), compose::extentAs(b, step[0], DType::I64));
  Value framed = b.gather(signal, b.add(starts, b.iota({length[0]}, DType::I64)), 1);
  if (n.has(2))
    framed = b.mul(framed, b.reshape(n.in(2), {length[0], 1}));
  n.out(transformed(b, framed, 2, length[0], false, n.intAttr("onesided", 1) != 0));
  return b.status();
}

} // namespace pliant::ops::iota
