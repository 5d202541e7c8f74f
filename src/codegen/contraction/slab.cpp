// SPDX-License-Identifier: Apache-2.0
// Copies the input window of a block of output pixels to scratch.
#include "codegen/contraction/slab.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

void zeroElements(Emitter &e, Value to, Value count) {
  Value whole = e.sub(count, e.rem(count, e.idx(e.lanes)));
  e.loop(e.idx(0), whole, e.idx(e.lanes), [&](Value i) { e.store(e.zeroVector(), e.at(to, i)); });
  e.when(e.less(whole, count), [&] { e.storeMasked(e.zeroVector(), e.at(to, whole), e.maskFor(e.sub(count, whole))); });
}

void copyElements(Emitter &e, Value from, Value to, Value count) {
  Value whole = e.sub(count, e.rem(count, e.idx(e.lanes)));
  e.loop(e.idx(0), whole, e.idx(e.lanes), [&](Value i) { e.store(e.loadVector(e.at(from, i)), e.at(to, i)); });
  e.when(e.less(whole, count), [&] {
    Value mask = e.maskFor(e.sub(count, whole));
    e.storeMasked(e.loadMasked(e.at(from, whole), mask), e.at(to, whole), mask);
  });
}

} // namespace

void copyWindow(Emitter &e, const ConvSpec &spec, const ConvOperands &o, const SlabWindow &w) {
  const ConvShape &shape = spec.shape;
  Value zero = e.idx(0), one = e.idx(1), channels = e.idx(shape.inChannels), pitch = e.idx(shape.pitch(spec.dtype));
  Value stepH = e.idx(w.stepH), stepW = e.idx(w.stepW);
  Value image = e.at(o.input, e.mul(w.image, e.mul(e.mul(o.inH, o.inW), channels)));
  // Columns [lo, hi) of the copy lie inside the image.
  Value lo = e.min(e.ceilDiv(e.max(e.sub(zero, w.left), zero), stepW), w.width);
  Value hi = e.max(lo, e.min(e.ceilDiv(e.max(e.sub(o.inW, w.left), zero), stepW), w.width));
  e.loop(zero, w.height, one, [&](Value row) {
    Value y = e.add(w.top, e.mul(row, stepH));
    Value target = e.at(o.scratch, e.mul(e.mul(row, w.width), pitch));
    Value inside = e.both(e.lessEqual(zero, y), e.less(y, o.inH));
    Value from = e.select(inside, lo, w.width), to = e.select(inside, hi, w.width);
    zeroElements(e, target, e.mul(from, pitch));
    zeroElements(e, e.at(target, e.mul(to, pitch)), e.mul(e.sub(w.width, to), pitch));
    if (shape.inputNCHW) {
      Value plane = e.mul(o.inH, o.inW), source = e.at(image, e.mul(y, o.inW));
      auto copyChannel = [&](Value x, Value at, Value c) {
        e.store(e.load(e.element, e.at(e.at(source, e.mul(c, plane)), at)), e.at(target, e.add(e.mul(x, pitch), c)));
      };
      e.loop(from, to, one, [&](Value x) {
        Value at = e.add(w.left, e.mul(x, stepW));
        if (shape.inChannels > 4)
          return e.loop(zero, channels, one, [&](Value c) { copyChannel(x, at, c); });
        for (int64_t c = 0; c < shape.inChannels; ++c)
          copyChannel(x, at, e.idx(c));
      });
      return;
    }
    Value source = e.at(image, e.mul(e.add(e.mul(y, o.inW), w.left), channels));
    if (shape.pitch(spec.dtype) == shape.inChannels && w.stepW == 1) {
      copyElements(e, e.at(source, e.mul(from, channels)), e.at(target, e.mul(from, channels)),
                   e.mul(e.sub(to, from), channels));
      return;
    }
    e.loop(from, to, one, [&](Value x) {
      copyElements(e, e.at(source, e.mul(e.mul(x, stepW), channels)), e.at(target, e.mul(x, pitch)), channels);
    });
  });
}

} // namespace pliant::codegen
