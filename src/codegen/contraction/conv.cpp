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
  FactorEmitter &factors;
  Emitter &e;
  const ConvSpec &spec;
  const ConvGeometry &g;
  const ConvOperands &o;
  TileEmitter &tiles;
  ConvEmitter(FactorEmitter &factors, const ConvSpec &spec, const ConvGeometry &g, const ConvOperands &o,
              TileEmitter &tiles)
      : factors(factors), e(factors.e), spec(spec), g(g), o(o), tiles(tiles) {}

  // The same choices as in ConvShape, as values.
  Value zero = e.idx(0), one = e.idx(1);
  Value inPerGroup = factors.words(e.div(g.inChannels, g.groups)), outPerGroup = e.div(g.outChannels, g.groups);
  Value inChannels = factors.factors.group() == 1 ? g.inChannels : e.mul(g.groups, inPerGroup); ///< in words
  Value taps = e.mul(g.kernelH, g.kernelW);
  Value phaseStrideH = spec.transposed ? g.strideH : one, phaseStrideW = spec.transposed ? g.strideW : one;
  Value stepH, stepW;             ///< of the copy of the input through the input
  Value slabStrideH, slabStrideW; ///< of grid positions in the copy
  Value aliases, pitch;
  Value merged;       ///< taps that follow each other in memory and in the weights are one segment
  Value gridH, gridW; ///< pixels of a phase
  Value segments, panelOffsets, rowIndexes, slabScratch;
  // Of the phase at hand.
  Value segmentCount, firstDy, firstDx;
  Value extentH, extentW; ///< rows and columns of input that one grid position spans
  Value phaseH, phaseW;

  void prepare();
  void rectangle(const Rectangle &r);
  void setPhase(Value phase);
  Value phaseTaps(Value phase, Value kernel, Value dilation, Value stride, Value pad, Value &first, Value &extent);
  void fillSegments(Value width);
  Slab place(Value image, Value firstPixel, Value endPixel);
  void fillRows(const Slab &slab, Value channel, Value first, Value rows);
};

void ConvEmitter::prepare() {
  Value sampled = spec.transposed ? e.equal(zero, one) : e.equal(taps, one);
  Value strideH = spec.transposed ? one : g.strideH, strideW = spec.transposed ? one : g.strideW;
  stepH = e.select(sampled, g.strideH, one);
  stepW = e.select(sampled, g.strideW, one);
  slabStrideH = e.select(sampled, one, strideH);
  slabStrideW = e.select(sampled, one, strideW);
  aliases = e.equal(e.rem(e.mul(e.mul(strideW, inChannels), e.idx(e.elementBytes)), e.idx(2048)), zero);
  pitch = e.add(inChannels, e.select(aliases, e.idx(16), zero));
  merged = e.both(e.both(e.equal(g.groups, one), e.equal(g.dilationW, one)), e.equal(pitch, inChannels));
  if (spec.transposed)
    merged = e.equal(zero, one);
  gridH = e.ceilDiv(o.outH, phaseStrideH);
  gridW = e.ceilDiv(o.outW, phaseStrideW);
  segments = o.scratch;
  Value tableBytes = e.mul(e.ceilDiv(e.mul(e.add(taps, one), e.idx(16)), e.idx(64)), e.idx(64));
  slabScratch = e.atByte(o.scratch, tableBytes);
  if (spec.transposed) {
    panelOffsets = e.atByte(o.scratch, e.mul(e.add(taps, one), e.idx(8)));
    rowIndexes = e.stack(8 * spec.tile.rows);
  }
}

/// Transposed: bounds of the offsets (phase + pad - k * dilation) / stride over the taps k where that is whole.
Value ConvEmitter::phaseTaps(Value phase, Value kernel, Value dilation, Value stride, Value pad, Value &first,
                             Value &extent) {
  Value bias = e.mul(kernel, dilation); // keeps dividends positive; in units of the quotient
  Value start = e.add(e.add(phase, pad), e.mul(bias, stride));
  Values init = {e.idx(1 << 30), e.idx(-(1 << 30)), zero};
  Values bounds = e.loop(zero, kernel, one, init, [&](Value k, ValueRange args) -> Values {
    Value at = e.sub(start, e.mul(k, dilation));
    Value hits = e.equal(e.rem(at, stride), zero), offset = e.sub(e.div(at, stride), bias);
    return {e.select(hits, e.min(args[0], offset), args[0]), e.select(hits, e.max(args[1], offset), args[1]),
            e.add(args[2], e.select(hits, one, zero))};
  });
  Value none = e.equal(bounds[2], zero);
  first = e.select(none, zero, bounds[0]);
  extent = e.select(none, one, e.add(e.sub(bounds[1], bounds[0]), one));
  return bounds[2];
}

void ConvEmitter::setPhase(Value phase) {
  if (!spec.transposed) {
    firstDy = e.sub(zero, o.padTop);
    firstDx = e.sub(zero, o.padLeft);
    extentH = e.add(e.mul(e.sub(g.kernelH, one), g.dilationH), one);
    extentW = e.add(e.mul(e.sub(g.kernelW, one), g.dilationW), one);
    segmentCount = e.select(merged, g.kernelH, taps);
    return;
  }
  phaseH = e.div(phase, g.strideW);
  phaseW = e.rem(phase, g.strideW);
  Value rows = phaseTaps(phaseH, g.kernelH, g.dilationH, g.strideH, o.padTop, firstDy, extentH);
  Value columns = phaseTaps(phaseW, g.kernelW, g.dilationW, g.strideW, o.padLeft, firstDx, extentW);
  segmentCount = e.mul(rows, columns);
}

void ConvEmitter::fillSegments(Value width) {
  if (!spec.transposed) {
    Value columns = e.select(merged, one, g.kernelW);
    e.loop(zero, g.kernelH, one, [&](Value kh) {
      e.loop(zero, columns, one, [&](Value kw) {
        Value dy = e.mul(kh, g.dilationH), dx = e.mul(kw, g.dilationW);
        e.storeIndex(e.mul(e.add(e.mul(dy, width), dx), pitch), segments, e.add(e.mul(kh, columns), kw));
      });
    });
    return;
  }
  // The same test as in phaseTaps.
  Value biasH = e.mul(g.kernelH, g.dilationH), biasW = e.mul(g.kernelW, g.dilationW);
  Value startY = e.add(e.add(phaseH, o.padTop), e.mul(biasH, g.strideH));
  Value startX = e.add(e.add(phaseW, o.padLeft), e.mul(biasW, g.strideW));
  Value depth = e.mul(inPerGroup, e.idx(spec.tile.columns()));
  e.loop(zero, g.kernelH, one, ValueRange{zero}, [&](Value kh, ValueRange outer) -> Values {
    Value y = e.sub(startY, e.mul(kh, g.dilationH));
    Value hitsY = e.equal(e.rem(y, g.strideH), zero);
    Value dy = e.sub(e.sub(e.div(y, g.strideH), biasH), firstDy);
    return e.loop(zero, g.kernelW, one, outer, [&](Value kw, ValueRange slot) -> Values {
      Value x = e.sub(startX, e.mul(kw, g.dilationW));
      Value hits = e.both(hitsY, e.equal(e.rem(x, g.strideW), zero));
      Value dx = e.sub(e.sub(e.div(x, g.strideW), biasW), firstDx);
      // A tap that does not hit is overwritten by the next one; the arrays have room for one more.
      e.storeIndex(e.mul(e.add(e.mul(dy, width), dx), pitch), segments, slot[0]);
      e.storeIndex(e.mul(e.add(e.mul(kh, g.kernelW), kw), depth), panelOffsets, slot[0]);
      return {e.add(slot[0], e.select(hits, one, zero))};
    });
  });
}

Slab ConvEmitter::place(Value image, Value firstPixel, Value endPixel) {
  auto copied = [&]() -> Values {
    Value last = e.sub(endPixel, one);
    Value y0 = e.div(firstPixel, gridW), y1 = e.div(last, gridW);
    Value oneRow = e.equal(y0, y1);
    Value x0 = e.select(oneRow, e.rem(firstPixel, gridW), zero);
    Value x1 = e.select(oneRow, e.rem(last, gridW), e.sub(gridW, one));
    SlabWindow w;
    w.to = slabScratch;
    w.pitch = pitch;
    w.image = image;
    w.channels = g.inChannels;
    w.groups = g.groups;
    w.stepH = stepH;
    w.stepW = stepW;
    w.top = e.add(e.mul(y0, e.mul(slabStrideH, stepH)), firstDy);
    w.left = e.add(e.mul(x0, e.mul(slabStrideW, stepW)), firstDx);
    w.height = e.add(e.mul(e.sub(y1, y0), slabStrideH), extentH);
    w.width = e.add(e.mul(e.sub(x1, x0), slabStrideW), extentW);
    copyWindow(factors, spec.inputNCHW, o, w);
    return {slabScratch, w.width, y0, x0, slabStrideH, slabStrideW};
  };
  auto inPlace = [&]() -> Values {
    Value pixels = e.mul(image, e.mul(o.inH, o.inW));
    return {e.atType(factors.lhsType(), o.input, e.mul(pixels, g.inChannels)), o.inW, zero, zero, g.strideH, g.strideW};
  };
  Values found;
  if (spec.transposed || spec.inputNCHW || !factors.factors.inPlace()) {
    found = copied();
  } else {
    auto fits = [&](Value out, Value stride, Value extent, Value in) {
      return e.lessEqual(e.add(e.mul(e.sub(out, one), stride), extent), in);
    };
    Value unpadded = e.both(e.equal(o.padTop, zero), e.equal(o.padLeft, zero));
    Value inside = e.both(fits(o.outH, g.strideH, extentH, o.inH), fits(o.outW, g.strideW, extentW, o.inW));
    // Pixels as they lie are words when each group is whole words.
    Value whole = e.equal(e.mul(inChannels, e.idx(factors.factors.group())), g.inChannels);
    Value dense = e.both(e.equal(pitch, inChannels), whole);
    found = e.choose(e.both(dense, e.both(unpadded, inside)), inPlace, copied);
  }
  return {found[0], found[1], found[2], found[3], found[4], found[5]};
}

void ConvEmitter::fillRows(const Slab &slab, Value channel, Value first, Value rows) {
  Value y0 = e.div(first, gridW), x0 = e.sub(first, e.mul(y0, gridW));
  e.loop(zero, rows, one, ValueRange{y0, x0}, [&](Value i, ValueRange yx) -> Values {
    Value line = e.mul(e.mul(e.sub(yx[0], slab.originY), slab.strideH), slab.width);
    Value pixel = e.add(line, e.mul(e.sub(yx[1], slab.originX), slab.strideW));
    tiles.setRow(i, e.at(slab.base, e.add(e.mul(pixel, pitch), channel)));
    if (spec.transposed) {
      Value y = e.add(e.mul(yx[0], g.strideH), phaseH), x = e.add(e.mul(yx[1], g.strideW), phaseW);
      Value valid = e.both(e.less(y, o.outH), e.less(x, o.outW));
      e.storeIndex(e.select(valid, e.add(e.mul(y, o.outW), x), e.idx(-1)), rowIndexes, i);
    }
    Value next = e.add(yx[1], one), wraps = e.equal(next, gridW);
    return {e.select(wraps, e.add(yx[0], one), yx[0]), e.select(wraps, zero, next)};
  });
}

void ConvEmitter::rectangle(const Rectangle &r) {
  Value nr = e.idx(spec.tile.columns()), phases = e.mul(phaseStrideH, phaseStrideW);
  Value image = e.div(r.outer, phases);
  setPhase(e.rem(r.outer, phases));
  Slab slab = place(image, r.rowStart(e, r.tileBegin), r.rowStart(e, r.tileEnd));
  fillSegments(slab.width);

  TileJob job;
  job.segments = segments;
  job.panelOffsets = panelOffsets;
  job.segmentCount = segmentCount;
  job.length = e.select(merged, e.mul(g.kernelW, inChannels), inPerGroup);
  job.panels = one;
  job.panelRow = nr;
  Value depth = e.mul(taps, inPerGroup);
  Value head = e.idx(factors.headRows());
  job.panelStride = e.mul(e.add(depth, head), nr);
  job.start = factors.startFactor(o.zero);
  job.ldc = o.outputStride ? o.outputStride : g.outChannels;
  job.c = e.at(o.output, e.mul(image, e.mul(e.mul(o.outH, o.outW), job.ldc)));
  Value results = e.mul(o.images, e.mul(e.mul(o.outH, o.outW), job.ldc));
  job.largeResult = e.less(e.idx(spec.target.l2Bytes / 2 / e.elementBytes), results);
  job.batch = image;
  job.rowIndexes = rowIndexes;
  Value perGroup = e.ceilDiv(outPerGroup, nr);
  Value count = e.sub(r.tileEnd, r.tileBegin);
  if (!spec.transposed && spec.target.vectorBits >= 512)
    job.prefetchStep = e.div(e.add(nr, e.sub(count, one)), count);
  e.loop(r.panelBegin, r.panelEnd, one, [&](Value p) {
    Value group = e.div(p, perGroup), within = e.mul(e.sub(p, e.mul(group, perGroup)), nr);
    Value channel = e.mul(group, inPerGroup);
    job.col = e.add(e.mul(group, outPerGroup), within);
    job.columnsLeft = e.sub(outPerGroup, within);
    job.panel = factors.atPanel(o.weights, e.add(e.mul(p, job.panelStride), e.mul(head, nr)));
    e.loop(r.tileBegin, r.tileEnd, one, [&](Value t) {
      job.row = r.rowStart(e, t);
      job.rows = e.sub(r.rowStart(e, e.add(t, one)), job.row);
      if (job.prefetchStep)
        job.prefetch = factors.atPanel(factors.atPanel(job.panel, job.panelStride),
                                       e.mul(e.mul(e.sub(t, r.tileBegin), job.prefetchStep), depth));
      fillRows(slab, channel, job.row, job.rows);
      tiles.emit(job);
    });
  });
}

} // namespace

ConvGeometry constantGeometry(OpBuilder &builder, Location loc, const ConvShape &s) {
  auto value = [&](int64_t x) -> Value { return builder.create<arith::ConstantIndexOp>(loc, x); };
  return {value(s.inChannels), value(s.outChannels), value(s.groups),    value(s.kernelH),  value(s.kernelW),
          value(s.strideH),    value(s.strideW),     value(s.dilationH), value(s.dilationW)};
}

Status emitConv(OpBuilder &builder, Location loc, const ConvSpec &spec, const ConvGeometry &geometry,
                const ConvOperands &operands, const Epilogue &epilogue) {
  PLIANT_CHECK(checkFactors(spec.dtype, spec.factors));
  if (spec.inputNCHW && (spec.transposed || spec.factors.kind != Factor::Same))
    return internalError("codegen", "a transposed convolution and one of narrow elements read NHWC only");
  Emitter e(builder, loc, spec.dtype, spec.tile.lanes, spec.target.fma);
  e.hasF16c = spec.target.f16c;
  FactorEmitter factors(e, spec.factors, spec.packed);
  TileEmitter tiles(factors, spec.tile, false, spec.loopedEpilogue || spec.transposed, epilogue);
  ConvEmitter conv(factors, spec, geometry, operands, tiles);
  conv.prepare();
  RangeShape range;
  range.rows = e.mul(conv.gridH, conv.gridW);
  range.tile = spec.tile;
  range.panels = e.mul(geometry.groups, e.ceilDiv(conv.outPerGroup, e.idx(spec.tile.columns())));
  Value depth = e.mul(conv.inChannels, e.mul(conv.slabStrideH, conv.slabStrideW));
  range.blockTiles = blockTilesOf(e, spec.tile, spec.target, depth);
  forEachRectangle(e, range, operands.begin, operands.end, [&](const Rectangle &r) { conv.rectangle(r); });
  return ok();
}

} // namespace pliant::codegen
