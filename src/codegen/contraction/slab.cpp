// SPDX-License-Identifier: Apache-2.0
// Copies the input window of a block of output pixels to scratch.
#include "codegen/contraction/slab.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

void fillElements(Emitter &e, Value padding, Value to, Value count) {
  Value whole = e.sub(count, e.rem(count, e.idx(e.lanes)));
  e.loop(e.idx(0), whole, e.idx(e.lanes), [&](Value i) { e.store(padding, e.at(to, i)); });
  e.when(e.less(whole, count), [&] { e.storeMasked(padding, e.at(to, whole), e.maskFor(e.sub(count, whole))); });
}

void copyElements(Emitter &e, Value from, Value to, Value count) {
  Value whole = e.sub(count, e.rem(count, e.idx(e.lanes)));
  e.loop(e.idx(0), whole, e.idx(e.lanes), [&](Value i) { e.store(e.loadVector(e.at(from, i)), e.at(to, i)); });
  e.when(e.less(whole, count), [&] {
    Value mask = e.maskFor(e.sub(count, whole));
    e.storeMasked(e.loadMasked(e.at(from, whole), mask), e.at(to, whole), mask);
  });
}

/// Interleaves `count` pixels of three planes.
void interleaveThree(Emitter &e, Value source, Value plane, Value count, Value target) {
  const int64_t lanes = e.lanes;
  // Vector v of the result takes element (v * lanes + j) % 3 of pixel (v * lanes + j) / 3.
  auto body = [&](Value x, Value mask) {
    Values in, out;
    for (int64_t c = 0; c < 3; ++c) {
      Value at = e.at(source, e.add(e.mul(e.idx(c), plane), x));
      in.push_back(mask ? e.loadMasked(at, mask) : e.loadVector(at));
    }
    for (int64_t v = 0; v < 3; ++v) {
      SmallVector<int64_t> two, three;
      for (int64_t j = 0; j < lanes; ++j) {
        const int64_t pixel = (v * lanes + j) / 3, channel = (v * lanes + j) % 3;
        two.push_back(channel == 1 ? lanes + pixel : pixel);
        three.push_back(channel == 2 ? lanes + pixel : j);
      }
      Value pair = e.b.create<vector::ShuffleOp>(e.loc, in[0], in[1], two);
      out.push_back(e.b.create<vector::ShuffleOp>(e.loc, pair, in[2], three));
    }
    for (int64_t v = 0; v < 3; ++v) {
      Value at = e.add(e.mul(x, e.idx(3)), e.idx(v * lanes));
      if (mask)
        e.storeMasked(out[v], e.at(target, at), e.maskFor(e.sub(e.mul(count, e.idx(3)), at)));
      else
        e.store(out[v], e.at(target, at));
    }
  };
  Value whole = e.sub(count, e.rem(count, e.idx(lanes)));
  e.loop(e.idx(0), whole, e.idx(lanes), [&](Value x) { body(x, Value()); });
  e.when(e.less(whole, count), [&] { body(whole, e.maskFor(e.sub(count, whole))); });
}

} // namespace

void copyWindow(FactorEmitter &factors, bool inputNCHW, const ConvOperands &o, const SlabWindow &w) {
  Emitter &e = factors.e;
  const bool same = factors.factors.kind == Factor::Same;
  Value zero = e.idx(0), one = e.idx(1), plane = e.mul(o.inH, o.inW);
  auto locate = [&](Value pointer, Value offset) { return e.atType(factors.lhsType(), pointer, offset); };
  Value image = locate(o.input, e.mul(w.image, e.mul(plane, w.channels)));
  Value padding = e.splat(factors.paddingWord(o.zero));
  // Columns [lo, hi) of the copy lie inside the image.
  Value lo = e.min(e.ceilDiv(e.max(e.sub(zero, w.left), zero), w.stepW), w.width);
  Value hi = e.max(lo, e.min(e.ceilDiv(e.max(e.sub(o.inW, w.left), zero), w.stepW), w.width));
  Value perGroup = e.div(w.channels, w.groups), words = factors.words(perGroup);
  Value whole = e.equal(e.mul(words, e.idx(factors.factors.group())), perGroup);
  Value dense = e.both(e.both(e.equal(w.pitch, e.mul(w.groups, words)), whole), e.equal(w.stepW, one));
  e.loop(zero, w.height, one, [&](Value row) {
    Value y = e.add(w.top, e.mul(row, w.stepH));
    Value target = e.at(w.to, e.mul(e.mul(row, w.width), w.pitch));
    Value inside = e.both(e.lessEqual(zero, y), e.less(y, o.inH));
    Value from = e.select(inside, lo, w.width), to = e.select(inside, hi, w.width);
    fillElements(e, padding, target, e.mul(from, w.pitch));
    fillElements(e, padding, e.at(target, e.mul(to, w.pitch)), e.mul(e.sub(w.width, to), w.pitch));
    if (inputNCHW) {
      Value source = e.at(image, e.add(e.mul(y, o.inW), w.left));
      e.when(
          e.both(dense, e.equal(w.channels, e.idx(3))),
          [&] { interleaveThree(e, e.at(source, from), plane, e.sub(to, from), e.at(target, e.mul(from, w.pitch))); },
          [&] {
            e.loop(zero, w.channels, one, [&](Value c) {
              Value line = e.at(source, e.mul(c, plane)), column = e.at(target, c);
              e.loop(from, to, one, [&](Value x) {
                e.store(e.load(e.element, e.at(line, e.mul(x, w.stepW))), e.at(column, e.mul(x, w.pitch)));
              });
            });
          });
      return;
    }
    Value source = locate(image, e.mul(e.add(e.mul(y, o.inW), w.left), w.channels));
    // One run of pixels, or one pixel at a time.
    Value runs = e.select(dense, e.min(one, e.sub(to, from)), e.sub(to, from));
    Value length = e.select(dense, e.mul(e.sub(to, from), w.channels), w.channels);
    e.loop(zero, runs, one, [&](Value i) {
      Value x = e.add(from, i);
      Value first = locate(source, e.mul(e.mul(x, w.stepW), w.channels)), copy = e.at(target, e.mul(x, w.pitch));
      if (same)
        return copyElements(e, first, copy, length);
      if (factors.factors.group() == 1)
        return factors.copyRow(first, Value(), length, copy, o.zero);
      e.when(
          whole, [&] { factors.copyRow(first, Value(), length, copy, o.zero); },
          [&] {
            e.loop(zero, w.groups, one, [&](Value group) {
              factors.copyRow(locate(first, e.mul(group, perGroup)), Value(), perGroup, e.at(copy, e.mul(group, words)),
                              o.zero);
            });
          });
    });
  });
}

} // namespace pliant::codegen
