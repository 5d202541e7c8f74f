// SPDX-License-Identifier: Apache-2.0
// A heap sort of the slices' numbers, one walk that numbers the groups, and, where first occurrence decides, one more
// that numbers them again. All is one unit; the order is kept in scratch.
#include "codegen/lines.h"
#include "codegen/number.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

class Unique {
public:
  Unique(KernelEmitter &k, const UniqueAttrs &a)
      : k(k), a(a), p(k.point()), type(k.operandTypes[0].dtype), lines(k.operandTypes[0].shape, a.axis) {}

  Expr emit() {
    k.scratchBytes = lines.count * 8;
    count = k.extent(lines.count), inner = k.extent(lines.inner);
    each = k.extent(lines.outer * lines.inner);
    Value zero = k.idx(0), one = k.idx(1);
    k.loop(k.begin, k.end, one, [&](Value) {
      k.loop(zero, count, one, [&](Value i) { put(k.scratch, i, i); });
      sort();
      Value total = number();
      k.storeIndex(total, k.outputs[3], zero);
      if (!a.sorted)
        renumber();
      tally();
    });
    return 1;
  }

private:
  KernelEmitter &k;
  const UniqueAttrs &a;
  const PointEmitter p;
  const DType type;
  const Lines lines;
  Value count, inner, each;

  Value get(Value list, Value i) { return k.loadIndex(list, i); }
  void put(Value list, Value i, Value v) { k.storeIndex(v, list, i); }
  Value different(Value x, Value y) { return k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::ne, x, y); }

  Number element(Value slice, Value e) {
    Value at = k.add(k.mul(k.add(k.mul(k.div(e, inner), count), slice), inner), k.rem(e, inner));
    return {p, loadElements(p, k, k.inputs[0], type, at)};
  }
  Number below(Number u, Number v) {
    if (isUnsigned(type) || type == DType::Bool)
      return belowUnsigned(u, v);
    return u.isFloat() ? (u < v) | (isNan(v) & !isNan(u)) : u < v;
  }
  /// The first element in which two slices differ: `each` or more when there is none; then `less` says whether i comes
  /// before j there.
  Value compared(Value i, Value j, Value *less) {
    Value none = k.idx(0);
    auto loop = k.b.create<scf::WhileOp>(
        k.loc, TypeRange{k.b.getIndexType(), k.b.getIndexType()}, ValueRange{none, none},
        [&](OpBuilder &, Location, ValueRange v) {
          k.b.create<scf::ConditionOp>(k.loc, k.both(k.less(v[0], each), k.equal(v[1], k.idx(0))), v);
        },
        [&](OpBuilder &, Location, ValueRange v) {
          Number u = element(i, v[0]), w = element(j, v[0]);
          Value before = below(u, w), after = below(w, u);
          Value verdict = k.select(before, k.idx(1), k.select(after, k.idx(2), k.idx(0)));
          k.b.create<scf::YieldOp>(k.loc, ValueRange{k.add(v[0], k.idx(1)), verdict});
        });
    Value verdict = loop.getResult(1);
    if (less)
      *less = k.either(k.equal(verdict, k.idx(1)), k.both(k.equal(verdict, k.idx(0)), k.less(i, j)));
    return verdict;
  }
  Value before(Value i, Value j) {
    Value less;
    compared(i, j, &less);
    return less;
  }

  /// Moves `item`, which stands at `start`, down until no child comes after it.
  void sift(Value start, Value size, Value item) {
    k.advance(start, k.div(size, k.idx(2)), [&](Value at) { // those below half have a child
      Value left = k.add(k.mul(at, k.idx(2)), k.idx(1));
      Value right = k.min(k.add(left, k.idx(1)), k.sub(size, k.idx(1)));
      Value l = get(k.scratch, left), r = get(k.scratch, right);
      Value last = before(l, r), child = k.select(last, right, left), greater = k.select(last, r, l);
      return k.choose(
          before(item, greater),
          [&] {
            put(k.scratch, at, greater);
            put(k.scratch, child, item);
            return Values{child};
          },
          [&] { return Values{size}; })[0];
    });
  }
  void sort() {
    Value zero = k.idx(0), one = k.idx(1), half = k.div(count, k.idx(2));
    k.loop(zero, half, one, [&](Value i) {
      Value place = k.sub(k.sub(half, one), i);
      sift(place, count, get(k.scratch, place));
    });
    k.loop(one, count, one, [&](Value i) {
      Value last = k.sub(count, i), greatest = get(k.scratch, zero), item = get(k.scratch, last);
      put(k.scratch, last, greatest);
      put(k.scratch, zero, item);
      sift(zero, last, item);
    });
  }

  /// Groups in sorted order, and in `counts` the first slice of each, which stands first among its equals.
  Value number() {
    Value zero = k.idx(0), one = k.idx(1);
    return k.loop(zero, count, one, ValueRange(zero), [&](Value i, ValueRange before) {
      Value slice = get(k.scratch, i);
      Value fresh = k.choose(
          k.equal(i, zero), [&] { return Values{k.equal(zero, zero)}; },
          [&] {
            Value verdict = compared(get(k.scratch, k.sub(i, one)), slice, nullptr);
            return Values{different(verdict, k.idx(0))};
          })[0];
      Value total = k.select(fresh, k.add(before[0], one), before[0]), group = k.sub(total, one);
      put(k.outputs[0], slice, group);
      k.when(fresh, [&] { put(k.outputs[2], group, slice); });
      return Values{total};
    })[0];
  }
  void renumber() {
    Value zero = k.idx(0), one = k.idx(1);
    k.loop(zero, count, one, ValueRange(zero), [&](Value i, ValueRange next) {
      Value first = get(k.outputs[2], get(k.outputs[0], i)), fresh = k.equal(first, i);
      Value group =
          k.choose(fresh, [&] { return Values{next[0]}; }, [&] { return Values{get(k.outputs[0], first)}; })[0];
      put(k.outputs[0], i, group);
      return Values{k.select(fresh, k.add(next[0], one), next[0])};
    });
  }
  /// First slices and sizes from the groups' final numbers.
  void tally() {
    Value zero = k.idx(0), one = k.idx(1);
    k.loop(zero, count, one, [&](Value i) {
      put(k.outputs[1], i, zero);
      put(k.outputs[2], i, zero);
    });
    k.loop(zero, count, one, [&](Value i) {
      Value group = get(k.outputs[0], i), seen = get(k.outputs[2], group);
      k.when(k.equal(seen, zero), [&] { put(k.outputs[1], group, i); });
      put(k.outputs[2], group, k.add(seen, one));
    });
  }
};

} // namespace
} // namespace pliant::codegen

namespace pliant::ops::unique {

using namespace codegen;

Result<Expr> emit(KernelEmitter &k, OpId, const Attrs &attrs) { return Unique(k, std::get<UniqueAttrs>(attrs)).emit(); }

} // namespace pliant::ops::unique
