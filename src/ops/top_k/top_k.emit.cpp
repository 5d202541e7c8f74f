// SPDX-License-Identifier: Apache-2.0
// The k best of each line: the outputs hold a heap with the worst of the k at its root while the line is read, and are
// sorted in place at the end. n log k steps at worst, no memory of its own.
#include "codegen/lines.h"
#include "codegen/number.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

class TopK {
public:
  TopK(KernelEmitter &k, const TopKAttrs &a)
      : k(k), a(a), p(k.point()), type(k.operandTypes[0].dtype), lines(k.operandTypes[0].shape, a.axis) {}

  Expr emit() {
    Value count = k.extent(lines.count), kept = k.extent(a.k[0]), one = k.idx(1);
    step = k.extent(lines.inner);
    Value bad = k.either(k.less(count, kept), k.less(kept, k.idx(0)));
    p.fault(RunErrorExtent, bad, kept, count);
    Value some = k.less(k.idx(0), k.select(bad, k.idx(0), kept));
    k.when(some, [&] {
      k.loop(k.begin, k.end, one, [&](Value line) {
        Value row = k.div(line, step), at = k.rem(line, step);
        from = k.add(k.mul(k.mul(row, step), count), at);
        to = k.add(k.mul(k.mul(row, step), kept), at);
        k.loop(k.idx(0), kept, one, [&](Value i) { put(i, {read(i), k.i64(i)}); });
        Value half = k.div(kept, k.idx(2));
        k.loop(k.idx(0), half, one, [&](Value i) {
          Value place = k.sub(k.sub(half, one), i);
          sift(place, kept, get(place));
        });
        k.loop(kept, count, one, [&](Value i) {
          const Item item{read(i), k.i64(i)};
          k.when(before(item, get(k.idx(0))), [&] {
            put(k.idx(0), item);
            sift(k.idx(0), kept, item);
          });
        });
        k.loop(one, kept, one, [&](Value i) { // the worst goes to the end, again and again
          Value last = k.sub(kept, i);
          const Item worst = get(k.idx(0)), item = get(last);
          put(last, worst);
          put(k.idx(0), item);
          sift(k.idx(0), last, item);
        });
      });
    });
    return lines.outer * lines.inner;
  }

private:
  struct Item {
    Value value, index;
  };
  KernelEmitter &k;
  const TopKAttrs &a;
  const PointEmitter p;
  const DType type;
  const Lines lines;
  Value step, from, to; ///< of the line at hand

  Value read(Value i) { return loadElements(p, k, k.inputs[0], type, k.add(from, k.mul(i, step))); }
  Value place(Value i) { return k.add(to, k.mul(i, step)); }
  Item get(Value i) {
    return {loadElements(p, k, k.outputs[0], type, place(i)), loadElements(p, k, k.outputs[1], DType::I64, place(i))};
  }
  void put(Value i, const Item &item) {
    storeElements(p, k, item.value, k.outputs[0], type, place(i));
    storeElements(p, k, item.index, k.outputs[1], DType::I64, place(i));
  }

  /// u < v with NaN above every number.
  Number below(Number u, Number v) const {
    if (isUnsigned(type))
      return belowUnsigned(u, v);
    return u.isFloat() ? (u < v) | (isNan(v) & !isNan(u)) : u < v;
  }
  /// Whether x comes before y in the result: better, or equal and earlier.
  Value before(const Item &x, const Item &y) const {
    Number u(p, x.value), v(p, y.value);
    Number better = a.largest ? below(v, u) : below(u, v), worse = a.largest ? below(u, v) : below(v, u);
    return better | (!worse & (Number(p, x.index) < Number(p, y.index)));
  }

  /// Moves `item`, which stands at `start`, down until no child comes after it.
  void sift(Value start, Value size, const Item &item) {
    k.advance(start, k.div(size, k.idx(2)), [&](Value at) { // those below half have a child
      Value left = k.add(k.mul(at, k.idx(2)), k.idx(1));
      Value right = k.min(k.add(left, k.idx(1)), k.sub(size, k.idx(1)));
      const Item l = get(left), r = get(right);
      Value last = before(l, r);
      Value child = k.select(last, right, left);
      const Item worst{k.select(last, r.value, l.value), k.select(last, r.index, l.index)};
      return k.choose(
          before(item, worst),
          [&] {
            put(at, worst);
            put(child, item);
            return Values{child};
          },
          [&] { return Values{size}; })[0];
    });
  }
};

} // namespace
} // namespace pliant::codegen

namespace pliant::ops::top_k {

using namespace codegen;

Result<Expr> emit(KernelEmitter &k, OpId, const Attrs &attrs) { return TopK(k, std::get<TopKAttrs>(attrs)).emit(); }

} // namespace pliant::ops::top_k
