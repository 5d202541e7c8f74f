// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: vectors along the channels, four neighbouring output pixels at a time, taps unrolled for small
// kernels. Input rows and pixels outside the image are read from a strip of zeros.
#include "codegen/contraction/contraction.h"
#include "codegen/contraction/factors.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

struct DepthwiseEmitter {
  FactorEmitter &factors;
  Emitter &e;
  const DepthwiseSpec &shape;
  Value size; ///< channels
  const ConvOperands &o;
  const Epilogue &epilogue;
  Value buffer = nullptr; ///< of the looped epilogue
  // The row at hand.
  Value image = nullptr, y = nullptr, endColumn = nullptr;
  Values rows = {};      ///< first pixel of the input row of each tap row
  Values validRows = {}; ///< whether it lies in the image

  static constexpr int64_t block = depthwiseBlock;
  bool unrolled() const { return shape.kernelH * shape.kernelW <= 25; }
  void unit(Value u);
  void setRows();
  void pixels(Value column, bool inside);
  void channels(llvm::function_ref<void(Value c, Value mask)> body);
  Value input(Value pointer, Value offset) { return e.atType(factors.lhsType(), pointer, offset); }
  Value weight(Value offset) { return e.atType(factors.rhsType(), o.weights, offset); }
  Value load(Value pointer, Value mask, DType type) { return factors.loadVector(pointer, mask, type); }
  void finish(Value column, Value c, Value mask, ArrayRef<Value> acc, bool inside);
  void storePixel(Value column, Value c, Value mask, Value acc);
  void anyKernel(Value column);
};

void DepthwiseEmitter::channels(llvm::function_ref<void(Value, Value)> body) {
  Value whole = e.sub(size, e.rem(size, e.idx(e.lanes)));
  e.loop(e.idx(0), whole, e.idx(e.lanes), [&](Value c) { body(c, Value()); });
  e.when(e.less(whole, size), [&] { body(whole, e.maskFor(e.sub(size, whole))); });
}

void DepthwiseEmitter::storePixel(Value column, Value c, Value mask, Value acc) {
  Value row = e.add(e.mul(y, o.outW), column);
  Value value = epilogue ? epilogue(e.b, e.loc, EpilogueSite{acc, image, row, c, mask}) : acc;
  if (!value)
    return; // the epilogue has stored it
  Value stride = o.outputStride ? o.outputStride : size;
  Value pixel = e.add(e.mul(image, e.mul(o.outH, o.outW)), row);
  Value to = e.at(o.output, e.add(e.mul(pixel, stride), c));
  if (mask)
    e.storeMasked(value, to, mask);
  else
    e.store(value, to);
}

void DepthwiseEmitter::finish(Value column, Value c, Value mask, ArrayRef<Value> acc, bool inside) {
  if (shape.loopedEpilogue) {
    for (int64_t j = 0; j < block; ++j)
      e.store(acc[j], e.at(buffer, j * e.lanes));
    Value count = inside ? e.idx(block) : e.min(e.idx(block), e.sub(endColumn, column));
    e.outOfLine([&] {
      e.loop(e.idx(0), count, e.idx(1), [&](Value j) {
        storePixel(e.add(column, j), c, mask, e.loadVector(e.at(buffer, e.mul(j, e.idx(e.lanes)))));
      });
    });
    return;
  }
  for (int64_t j = 0; j < block; ++j) {
    Value at = e.add(column, e.idx(j));
    if (inside)
      storePixel(at, c, mask, acc[j]);
    else
      e.when(e.less(at, endColumn), [&] { storePixel(at, c, mask, acc[j]); });
  }
}

/// Output pixels column .. column + 3; `inside`: all exist and read no padding on the left or right.
void DepthwiseEmitter::pixels(Value column, bool inside) {
  const int64_t span = (block - 1) * shape.strideW + (shape.kernelW - 1) * shape.dilationW + 1;
  Value first = e.sub(e.mul(column, e.idx(shape.strideW)), o.padLeft);
  // Which of the span's input pixels any tap reads, and where each lies; the strip of zeros has one pixel for each.
  llvm::SmallVector<bool> used(span, false);
  for (int64_t j = 0; j < block; ++j)
    for (int64_t kw = 0; kw < shape.kernelW; ++kw)
      used[j * shape.strideW + kw * shape.dilationW] = true;
  llvm::SmallVector<Values> sources(shape.kernelH, Values(span));
  for (int64_t kh = 0; kh < shape.kernelH; ++kh) {
    Value row = input(rows[kh], e.mul(first, size));
    if (inside)
      row = e.select(validRows[kh], row, o.scratch);
    for (int64_t d = 0; d < span; ++d) {
      if (!used[d])
        continue;
      sources[kh][d] = input(row, e.mul(e.idx(d), size));
      if (inside)
        continue;
      Value x = e.add(first, e.idx(d));
      Value valid = e.both(validRows[kh], e.both(e.lessEqual(e.idx(0), x), e.less(x, o.inW)));
      sources[kh][d] = e.select(valid, sources[kh][d], o.scratch);
    }
  }
  channels([&](Value c, Value mask) {
    Values acc(block, e.zeroVector());
    for (int64_t kh = 0; kh < shape.kernelH; ++kh) {
      Values line(span);
      for (int64_t d = 0; d < span; ++d)
        if (used[d])
          line[d] = load(input(sources[kh][d], c), mask, factors.factors.lhs);
      for (int64_t kw = 0; kw < shape.kernelW; ++kw) {
        Value tap = e.add(e.mul(e.idx(kh * shape.kernelW + kw), size), c);
        Value filter = load(weight(tap), mask, factors.factors.rhs);
        for (int64_t j = 0; j < block; ++j)
          acc[j] = e.multiplyAdd(line[j * shape.strideW + kw * shape.dilationW], filter, acc[j]);
      }
    }
    finish(column, c, mask, acc, inside);
  });
}

/// One output pixel of a kernel with many taps.
void DepthwiseEmitter::anyKernel(Value column) {
  Value zero = e.idx(0), one = e.idx(1);
  Value plane = e.mul(image, e.mul(o.inH, o.inW));
  channels([&](Value c, Value mask) {
    Values acc = e.loop(zero, e.idx(shape.kernelH), one, e.zeroVector(), [&](Value kh, ValueRange outer) -> Values {
      Value iy = e.sub(e.add(e.mul(y, e.idx(shape.strideH)), e.mul(kh, e.idx(shape.dilationH))), o.padTop);
      Value inY = e.both(e.lessEqual(zero, iy), e.less(iy, o.inH));
      return e.loop(zero, e.idx(shape.kernelW), one, outer, [&](Value kw, ValueRange sum) -> Values {
        Value ix = e.sub(e.add(e.mul(column, e.idx(shape.strideW)), e.mul(kw, e.idx(shape.dilationW))), o.padLeft);
        Value valid = e.both(inY, e.both(e.lessEqual(zero, ix), e.less(ix, o.inW)));
        Value pixel = e.add(plane, e.add(e.mul(iy, o.inW), ix));
        Value from = e.select(valid, input(o.input, e.mul(pixel, size)), o.scratch);
        Value tap = e.mul(e.add(e.mul(kh, e.idx(shape.kernelW)), kw), size);
        Value filter = load(weight(e.add(tap, c)), mask, factors.factors.rhs);
        return {e.multiplyAdd(load(input(from, c), mask, factors.factors.lhs), filter, sum[0])};
      });
    });
    storePixel(column, c, mask, acc[0]);
  });
}

void DepthwiseEmitter::setRows() {
  rows.clear();
  validRows.clear();
  for (int64_t kh = 0; kh < shape.kernelH; ++kh) {
    Value iy = e.sub(e.add(e.mul(y, e.idx(shape.strideH)), e.idx(kh * shape.dilationH)), o.padTop);
    Value line = e.add(e.mul(image, o.inH), iy);
    rows.push_back(input(o.input, e.mul(e.mul(line, o.inW), size)));
    validRows.push_back(e.both(e.lessEqual(e.idx(0), iy), e.less(iy, o.inH)));
  }
}

void DepthwiseEmitter::unit(Value u) {
  Value one = e.idx(1), chunks = e.ceilDiv(o.outW, e.idx(depthwiseColumns));
  Value line = e.div(u, chunks);
  Value column = e.mul(e.sub(u, e.mul(line, chunks)), e.idx(depthwiseColumns));
  image = e.div(line, o.outH);
  y = e.sub(line, e.mul(image, o.outH));
  endColumn = e.min(o.outW, e.add(column, e.idx(depthwiseColumns)));
  if (!unrolled())
    return e.loop(column, endColumn, one, [&](Value x) { anyKernel(x); });
  setRows();
  e.loop(column, endColumn, e.idx(block), [&](Value x) {
    Value first = e.sub(e.mul(x, e.idx(shape.strideW)), o.padLeft);
    const int64_t reach = (block - 1) * shape.strideW + (shape.kernelW - 1) * shape.dilationW;
    Value inImage = e.both(e.lessEqual(e.idx(0), first), e.less(e.add(first, e.idx(reach)), o.inW));
    Value inside = e.both(inImage, e.lessEqual(e.add(x, e.idx(block)), endColumn));
    e.when(inside, [&] { pixels(x, true); }, [&] { pixels(x, false); });
  });
}

} // namespace

Status emitDepthwise(OpBuilder &builder, Location loc, const DepthwiseSpec &spec, Value channels,
                     const ConvOperands &operands, const Epilogue &epilogue) {
  PLIANT_CHECK(checkFactors(spec.dtype, spec.factors));
  if (spec.factors.group() > 1)
    return internalError("codegen", "no depthwise convolution of bytes");
  Emitter e(builder, loc, spec.dtype, spec.tile.lanes, spec.target.fma);
  e.hasF16c = spec.target.f16c;
  FactorEmitter factors(e, spec.factors, true);
  DepthwiseEmitter depthwise{factors, e, spec, channels, operands, epilogue};
  if (spec.loopedEpilogue)
    depthwise.buffer = e.stack(depthwiseBlock * e.lanes * e.elementBytes);
  const int64_t pixels = (depthwiseBlock - 1) * spec.strideW + (spec.kernelW - 1) * spec.dilationW + 1;
  e.loop(e.idx(0), e.mul(channels, e.idx(pixels)), e.idx(e.lanes),
         [&](Value i) { e.store(e.zeroVector(), e.at(operands.scratch, i)); });
  e.loop(operands.begin, operands.end, e.idx(1), [&](Value u) { depthwise.unit(u); });
  return ok();
}

} // namespace pliant::codegen
