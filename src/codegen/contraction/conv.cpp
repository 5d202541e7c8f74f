// SPDX-License-Identifier: Apache-2.0
// Convolution on the register tile of GEMM: rows are output pixels of one image, flattened over y and x; k runs over
// taps and channels. Padding, an NCHW input and aliasing pixels are dealt with by copying the block's input window.
#include "codegen/contraction/rectangles.h"
#include "codegen/contraction/slab.h"
#include "codegen/contraction/tile.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

struct ConvEmitter {
  Emitter &e;
  const ConvSpec &spec;
  const ConvOperands &o;
  TileEmitter &tiles;
  const ConvShape &shape = spec.shape;
  // Taps that follow each other in memory and in the weights become one segment.
  bool merged = !shape.transposed && shape.groups == 1 && shape.dilationW == 1 && !shape.aliases(spec.dtype);
  Value gridH = nullptr, gridW = nullptr; ///< pixels of a phase
  Value segments = nullptr, panelOffsets = nullptr, rowIndexes = nullptr;
  Value segmentCount = nullptr, firstDy = nullptr, firstDx = nullptr;
  Value extentH = nullptr, extentW = nullptr; ///< rows and columns of input that one grid position spans
  Value phaseH = nullptr, phaseW = nullptr;

  void rectangle(const Rectangle &r);
  void setPhase(Value phase);
  Value phaseTaps(Value phase, int64_t kernel, int64_t dilation, int64_t stride, Value pad, Value &first,
                  Value &extent);
  void fillSegments(Value width);
  Slab place(Value image, Value firstPixel, Value endPixel);
  void fillRows(const Slab &slab, Value channel, Value first, Value rows);
};

/// Transposed: bounds of the offsets (phase + pad - k * dilation) / stride over the taps k where that is whole.
Value ConvEmitter::phaseTaps(Value phase, int64_t kernel, int64_t dilation, int64_t stride, Value pad, Value &first,
                             Value &extent) {
  const int64_t bias = kernel * dilation; // keeps dividends positive; in units of the quotient
  Value least = e.idx(1 << 30), most = e.idx(-(1 << 30)), count = e.idx(0);
  for (int64_t k = 0; k < kernel; ++k) {
    Value at = e.add(e.add(phase, pad), e.idx(bias * stride - k * dilation));
    Value hits = e.equal(e.rem(at, e.idx(stride)), e.idx(0));
    Value offset = e.sub(e.div(at, e.idx(stride)), e.idx(bias));
    least = e.select(hits, e.min(least, offset), least);
    most = e.select(hits, e.max(most, offset), most);
    count = e.add(count, e.select(hits, e.idx(1), e.idx(0)));
  }
  first = e.select(e.equal(count, e.idx(0)), e.idx(0), least);
  extent = e.select(e.equal(count, e.idx(0)), e.idx(1), e.add(e.sub(most, least), e.idx(1)));
  return count;
}

void ConvEmitter::setPhase(Value phase) {
  if (!shape.transposed) {
    firstDy = e.sub(e.idx(0), o.padTop);
    firstDx = e.sub(e.idx(0), o.padLeft);
    extentH = e.idx((shape.kernelH - 1) * shape.dilationH + 1);
    extentW = e.idx((shape.kernelW - 1) * shape.dilationW + 1);
    segmentCount = e.idx(merged ? shape.kernelH : shape.kernelH * shape.kernelW);
    return;
  }
  phaseH = e.div(phase, e.idx(shape.strideW));
  phaseW = e.rem(phase, e.idx(shape.strideW));
  Value rows = phaseTaps(phaseH, shape.kernelH, shape.dilationH, shape.strideH, o.padTop, firstDy, extentH);
  Value columns = phaseTaps(phaseW, shape.kernelW, shape.dilationW, shape.strideW, o.padLeft, firstDx, extentW);
  segmentCount = e.mul(rows, columns);
}

void ConvEmitter::fillSegments(Value width) {
  Value zero = e.idx(0), one = e.idx(1), pitch = e.idx(shape.pitch(spec.dtype));
  if (!shape.transposed) {
    Value columns = e.idx(merged ? 1 : shape.kernelW);
    e.loop(zero, e.idx(shape.kernelH), one, [&](Value kh) {
      e.loop(zero, columns, one, [&](Value kw) {
        Value dy = e.mul(kh, e.idx(shape.dilationH)), dx = e.mul(kw, e.idx(shape.dilationW));
        e.storeIndex(e.mul(e.add(e.mul(dy, width), dx), pitch), segments, e.add(e.mul(kh, columns), kw));
      });
    });
    return;
  }
  // The same test as in phaseTaps.
  const int64_t biasH = shape.kernelH * shape.dilationH, biasW = shape.kernelW * shape.dilationW;
  Value depth = e.idx(shape.inPerGroup() * spec.tile.columns());
  e.loop(zero, e.idx(shape.kernelH), one, ValueRange{zero}, [&](Value kh, ValueRange outer) -> Values {
    Value y = e.sub(e.add(e.add(phaseH, o.padTop), e.idx(biasH * shape.strideH)), e.mul(kh, e.idx(shape.dilationH)));
    Value hitsY = e.equal(e.rem(y, e.idx(shape.strideH)), zero);
    Value dy = e.sub(e.sub(e.div(y, e.idx(shape.strideH)), e.idx(biasH)), firstDy);
    return e.loop(zero, e.idx(shape.kernelW), one, outer, [&](Value kw, ValueRange slot) -> Values {
      Value x = e.sub(e.add(e.add(phaseW, o.padLeft), e.idx(biasW * shape.strideW)), e.mul(kw, e.idx(shape.dilationW)));
      Value hits = e.both(hitsY, e.equal(e.rem(x, e.idx(shape.strideW)), zero));
      Value dx = e.sub(e.sub(e.div(x, e.idx(shape.strideW)), e.idx(biasW)), firstDx);
      // A tap that does not hit is overwritten by the next one; the arrays have room for one more.
      e.storeIndex(e.mul(e.add(e.mul(dy, width), dx), pitch), segments, slot[0]);
      e.storeIndex(e.mul(e.add(e.mul(kh, e.idx(shape.kernelW)), kw), depth), panelOffsets, slot[0]);
      return {e.add(slot[0], e.select(hits, one, zero))};
    });
  });
}

Slab ConvEmitter::place(Value image, Value firstPixel, Value endPixel) {
  Value zero = e.idx(0), one = e.idx(1);
  const int64_t sh = shape.slabStrideH(), sw = shape.slabStrideW();
  auto copied = [&]() -> Values {
    Value last = e.sub(endPixel, one);
    Value y0 = e.div(firstPixel, gridW), y1 = e.div(last, gridW);
    Value oneRow = e.equal(y0, y1);
    Value x0 = e.select(oneRow, e.rem(firstPixel, gridW), zero);
    Value x1 = e.select(oneRow, e.rem(last, gridW), e.sub(gridW, one));
    SlabWindow w;
    w.image = image;
    w.stepH = shape.samples() ? shape.strideH : 1;
    w.stepW = shape.samples() ? shape.strideW : 1;
    w.top = e.add(e.mul(y0, e.idx(sh * w.stepH)), firstDy);
    w.left = e.add(e.mul(x0, e.idx(sw * w.stepW)), firstDx);
    w.height = e.add(e.mul(e.sub(y1, y0), e.idx(sh)), extentH);
    w.width = e.add(e.mul(e.sub(x1, x0), e.idx(sw)), extentW);
    copyWindow(e, spec, o, w);
    return {o.scratch, w.width, y0, x0, e.idx(sh), e.idx(sw)};
  };
  auto inPlace = [&]() -> Values {
    Value pixels = e.mul(image, e.mul(o.inH, o.inW));
    return {e.at(o.input, e.mul(pixels, e.idx(shape.inChannels))),
            o.inW,
            zero,
            zero,
            e.idx(shape.strideH),
            e.idx(shape.strideW)};
  };
  Values found;
  if (shape.transposed || shape.inputNCHW || shape.aliases(spec.dtype)) {
    found = copied();
  } else {
    auto fits = [&](Value out, int64_t stride, Value extent, Value in) {
      return e.lessEqual(e.add(e.mul(e.sub(out, one), e.idx(stride)), extent), in);
    };
    Value unpadded = e.both(e.equal(o.padTop, zero), e.equal(o.padLeft, zero));
    Value inside = e.both(fits(o.outH, shape.strideH, extentH, o.inH), fits(o.outW, shape.strideW, extentW, o.inW));
    found = e.choose(e.both(unpadded, inside), inPlace, copied);
  }
  return {found[0], found[1], found[2], found[3], found[4], found[5]};
}

void ConvEmitter::fillRows(const Slab &slab, Value channel, Value first, Value rows) {
  Value zero = e.idx(0), one = e.idx(1), pitch = e.idx(shape.pitch(spec.dtype));
  Value y0 = e.div(first, gridW), x0 = e.sub(first, e.mul(y0, gridW));
  e.loop(zero, rows, one, ValueRange{y0, x0}, [&](Value i, ValueRange yx) -> Values {
    Value line = e.mul(e.mul(e.sub(yx[0], slab.originY), slab.strideH), slab.width);
    Value pixel = e.add(line, e.mul(e.sub(yx[1], slab.originX), slab.strideW));
    e.storePointer(e.at(slab.base, e.add(e.mul(pixel, pitch), channel)), tiles.rowPointers, i);
    if (shape.transposed) {
      Value y = e.add(e.mul(yx[0], e.idx(shape.strideH)), phaseH);
      Value x = e.add(e.mul(yx[1], e.idx(shape.strideW)), phaseW);
      Value valid = e.both(e.less(y, o.outH), e.less(x, o.outW));
      e.storeIndex(e.select(valid, e.add(e.mul(y, o.outW), x), e.idx(-1)), rowIndexes, i);
    }
    Value next = e.add(yx[1], one), wraps = e.equal(next, gridW);
    return {e.select(wraps, e.add(yx[0], one), yx[0]), e.select(wraps, zero, next)};
  });
}

void ConvEmitter::rectangle(const Rectangle &r) {
  Value one = e.idx(1), nr = e.idx(spec.tile.columns());
  Value image = e.div(r.outer, e.idx(shape.phases()));
  setPhase(e.rem(r.outer, e.idx(shape.phases())));
  Slab slab = place(image, r.rowStart(e, r.tileBegin), r.rowStart(e, r.tileEnd));
  fillSegments(slab.width);

  TileJob job;
  const bool single = !shape.transposed && (merged ? shape.kernelH : shape.kernelH * shape.kernelW) == 1;
  job.segments = single ? Value() : segments;
  job.panelOffsets = shape.transposed ? panelOffsets : Value();
  job.segmentCount = segmentCount;
  job.length = e.idx(merged ? shape.kernelW * shape.inChannels : shape.inPerGroup());
  job.panels = one;
  job.panelRow = nr;
  job.panelStride = e.idx(shape.kernelH * shape.kernelW * shape.inPerGroup() * spec.tile.columns());
  job.ldc = o.outputStride ? o.outputStride : e.idx(shape.outChannels);
  job.c = e.at(o.output, e.mul(image, e.mul(e.mul(o.outH, o.outW), job.ldc)));
  job.batch = image;
  job.rowIndexes = rowIndexes;
  Value perGroup = e.idx(ceilDiv(shape.outPerGroup(), spec.tile.columns()));
  Value count = e.sub(r.tileEnd, r.tileBegin);
  const int64_t depth = shape.kernelH * shape.kernelW * shape.inPerGroup();
  job.prefetchStep = shape.transposed ? Value() : e.div(e.add(nr, e.sub(count, one)), count);
  e.loop(r.panelBegin, r.panelEnd, one, [&](Value g) {
    Value group = e.div(g, perGroup), within = e.rem(g, perGroup);
    Value channel = e.mul(group, e.idx(shape.inPerGroup()));
    if (shape.groups == 1)
      channel = e.idx(0), within = g, group = e.idx(0);
    job.col = e.add(e.mul(group, e.idx(shape.outPerGroup())), e.mul(within, nr));
    job.columnsLeft = e.sub(e.idx(shape.outPerGroup()), e.mul(within, nr));
    job.panel = e.at(o.weights, e.mul(g, job.panelStride));
    e.loop(r.tileBegin, r.tileEnd, one, [&](Value t) {
      job.row = r.rowStart(e, t);
      job.rows = e.sub(r.rowStart(e, e.add(t, one)), job.row);
      if (job.prefetchStep)
        job.prefetch =
            e.at(e.at(job.panel, job.panelStride), e.mul(e.mul(e.sub(t, r.tileBegin), job.prefetchStep), e.idx(depth)));
      fillRows(slab, channel, job.row, job.rows);
      tiles.emit(job);
    });
  });
}

} // namespace

Status emitConv(OpBuilder &builder, Location loc, const ConvSpec &spec, const ConvOperands &operands,
                const Epilogue &epilogue) {
  if (spec.dtype != DType::F32 && spec.dtype != DType::F64)
    return internalError("codegen", "no convolution kernel for element type " + std::string(name(spec.dtype)));
  const ConvShape &shape = spec.shape;
  Emitter e(builder, loc, spec.dtype, spec.tile.lanes, spec.target.fma);
  TileEmitter tiles(e, spec.tile, false, spec.loopedEpilogue || shape.transposed, epilogue);
  ConvEmitter conv{e, spec, operands, tiles};
  conv.gridH = e.ceilDiv(operands.outH, e.idx(shape.transposed ? shape.strideH : 1));
  conv.gridW = e.ceilDiv(operands.outW, e.idx(shape.transposed ? shape.strideW : 1));
  const int64_t taps = shape.kernelH * shape.kernelW;
  conv.segments = e.stack(8 * (taps + 1));
  if (shape.transposed) {
    conv.panelOffsets = e.stack(8 * (taps + 1));
    conv.rowIndexes = e.stack(8 * spec.tile.rows);
  }
  RangeShape range;
  range.rows = e.mul(conv.gridH, conv.gridW);
  range.rowTile = spec.tile.rows;
  range.panels = e.idx(shape.panels(spec.tile));
  range.blockTiles = e.idx(blockTiles<int64_t>(spec.tile, spec.dtype, spec.target, shape.blockDepth()));
  forEachRectangle(e, range, operands.begin, operands.end, [&](const Rectangle &r) { conv.rectangle(r); });
  return ok();
}

} // namespace pliant::codegen
