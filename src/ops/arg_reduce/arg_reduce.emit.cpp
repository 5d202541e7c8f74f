// SPDX-License-Identifier: Apache-2.0
// Index of an extreme: lines side by side in vectors, or along a contiguous line with one candidate per lane that are
// folded at its end. A NaN is the extreme.
#include "codegen/lines.h"
#include "codegen/number.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

class ArgReduce {
public:
  ArgReduce(KernelEmitter &k, bool largest, bool last, int64_t axis)
      : k(k), largest(largest), last(last), type(k.operandTypes[0].dtype), lines(k.operandTypes[0].shape, axis) {}

  Expr emit() {
    count = k.extent(lines.count);
    Value empty = k.equal(count, k.idx(0));
    // An empty axis has no extreme element; nothing may be read then.
    k.when(
        empty,
        [&] { k.when(k.less(k.begin, k.end), [&] { k.point().fault(RunErrorExtent, empty, count, k.idx(1)); }); },
        [&] { lines.contiguous() ? along() : beside(); });
    return lines.units();
  }

private:
  KernelEmitter &k;
  const bool largest, last;
  const DType type;
  const Lines lines;
  Value count;
  static constexpr int vectors = 4;

  struct Candidate {
    Number value, index;
  };

  /// Whether x takes the place of `best`, which stands before it.
  Number wins(Number x, Number best) const {
    Number low = largest ? best : x, high = largest ? x : best; // x wins where low < high
    if (!x.isFloat()) {
      if (isUnsigned(type))
        return last ? !belowUnsigned(high, low) : belowUnsigned(low, high);
      return last ? low <= high : low < high;
    }
    // Negated, so that a NaN on either side says yes; then a NaN that stood there first takes it back.
    Number beyond = last ? !(high < low) : !(high <= low);
    return last ? beyond & (!isNan(best) | isNan(x)) : beyond & !isNan(best);
  }
  Candidate better(Candidate best, Candidate x) const {
    Number mask = wins(x.value, best.value);
    return {select(mask, x.value, best.value), select(mask, x.index, best.index)};
  }
  Number load(const PointEmitter &p, Value at) const { return {p, loadElements(p, k, k.inputs[0], type, at)}; }
  Value vectorOf(const PointEmitter &p, Value index) const { return p.splat(k.i64(index)); }

  void beside() {
    Value step = k.extent(lines.inner);
    lines.beside(k, vectors, [&](Value row, Value at, int n, const PointEmitter &p) {
      Value first = k.add(k.mul(k.mul(row, count), step), at);
      Values state;
      for (int v = 0; v < n; ++v) {
        state.push_back(load(p, k.add(first, k.idx(v * k.lanes))));
        state.push_back(p.integer(DType::I64, 0));
      }
      state = k.loop(k.idx(1), count, k.idx(1), state, [&](Value i, ValueRange old) {
        Values next;
        Value from = k.add(first, k.mul(i, step));
        for (int v = 0; v < n; ++v) {
          Number x = load(p, k.add(from, k.idx(v * k.lanes)));
          Candidate c = better({{p, old[2 * v]}, {p, old[2 * v + 1]}}, {x, {p, vectorOf(p, i)}});
          next.push_back(c.value);
          next.push_back(c.index);
        }
        return next;
      });
      Value to = k.add(k.mul(row, step), at);
      for (int v = 0; v < n; ++v)
        storeElements(p, k, state[2 * v + 1], k.outputs[0], DType::I64, k.add(to, k.idx(v * k.lanes)));
    });
  }

  void along() {
    const PointEmitter p = k.point(k.lanes);
    SmallVector<int64_t> numbers;
    for (int64_t i = 0; i < k.lanes; ++i)
      numbers.push_back(i);
    auto vector = VectorType::get({k.lanes}, k.b.getI64Type());
    Value iota = k.b.create<arith::ConstantOp>(k.loc, DenseElementsAttr::get(vector, ArrayRef<int64_t>(numbers)));
    auto numbered = [&](const PointEmitter &at, Value i) { return Number(at, iota) + Number(at, vectorOf(at, i)); };
    k.loop(k.begin, k.end, k.idx(1), [&](Value line) {
      Value first = k.mul(line, count), zero = k.idx(0), size = k.idx(k.lanes), wide = k.idx(vectors * k.lanes);
      // Every lane starts with element 0, which is a true candidate.
      Value start = p.splat(load(k.point(), first));
      Values state;
      for (int v = 0; v < vectors; ++v) {
        state.push_back(start);
        state.push_back(p.integer(DType::I64, 0));
      }
      auto step = [&](const PointEmitter &at, Value i, ValueRange old) {
        Number x = load(at, k.add(first, i));
        Candidate best{{at, old[0]}, {at, old[1]}}, next = better(best, {x, numbered(at, i)});
        if (at.mask)
          next = {select({at, at.mask}, next.value, best.value), select({at, at.mask}, next.index, best.index)};
        return Values{next.value, next.index};
      };
      Value stop = k.mul(k.div(count, wide), wide), rest = k.mul(k.div(count, size), size);
      state = k.loop(zero, stop, wide, state, [&](Value i, ValueRange old) {
        Values next;
        for (int v = 0; v < vectors; ++v)
          next.append(step(p, k.add(i, k.idx(v * k.lanes)), old.slice(2 * v, 2)));
        return next;
      });
      Values one = k.loop(stop, rest, size, ValueRange(state).take_front(2),
                          [&](Value i, ValueRange old) { return step(p, i, old); });
      Values masked = k.choose(
          k.less(rest, count), [&] { return step(k.point(k.lanes, k.maskFor(k.sub(count, rest))), rest, one); },
          [&] { return one; });
      Candidate best{{p, masked[0]}, {p, masked[1]}};
      for (int v = 1; v < vectors; ++v)
        best = extreme(best, {{p, state[2 * v]}, {p, state[2 * v + 1]}});
      storeElements(k.point(), k, folded(best.value, best.index), k.outputs[0], DType::I64, line);
    });
  }

  /// Of two candidates in any order.
  Candidate extreme(Candidate a, Candidate b) const {
    Number after = a.index < b.index;
    auto swapped = [&](Candidate x, Candidate y) { // x where `after`
      return Candidate{select(after, x.value, y.value), select(after, x.index, y.index)};
    };
    return better(swapped(a, b), swapped(b, a));
  }

  Value folded(Value values, Value indices) const {
    for (int64_t width = k.lanes / 2; width >= 1; width /= 2) {
      const PointEmitter p = k.point(width);
      auto half = [&](Value v, int64_t from) -> Number {
        SmallVector<int64_t> picked;
        for (int64_t i = 0; i < width; ++i)
          picked.push_back(from + i);
        return {p, k.b.create<vector::ShuffleOp>(k.loc, v, v, picked)};
      };
      Candidate best = extreme({half(values, 0), half(indices, 0)}, {half(values, width), half(indices, width)});
      values = best.value, indices = best.index;
    }
    return k.b.create<vector::ExtractOp>(k.loc, indices, 0);
  }
};

} // namespace
} // namespace pliant::codegen

namespace pliant::ops::arg_reduce {

using namespace codegen;

Result<Expr> emit(KernelEmitter &k, OpId op, const Attrs &attrs) {
  if (op == OpId::ArgMax) {
    const auto &a = std::get<ArgMaxAttrs>(attrs);
    return ArgReduce(k, true, a.lastIndex, a.axis).emit();
  }
  const auto &a = std::get<ArgMinAttrs>(attrs);
  return ArgReduce(k, false, a.lastIndex, a.axis).emit();
}

} // namespace pliant::ops::arg_reduce
