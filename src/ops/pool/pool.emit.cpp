// SPDX-License-Identifier: Apache-2.0
// Pooling by loops. Vectors run over channels (channels last) or along the output row (channels first, stride 1).
// Where a window lies wholly inside, its cells are unrolled; elsewhere its range is clamped to the input.
#include "codegen/memory.h"
#include "codegen/number.h"
#include "ops/spatial.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

enum class Kind { Maximum, Mean, Sum, Index };

struct Attributes { // of the three ops in one
  spatial::Index kernel, strides, dilations;
  Extents pads;
  bool ceilMode, channelsLast, includePad = false, columnMajor = false;
};

class Pool {
public:
  Pool(KernelEmitter &k, Kind kind, const Attributes &a) : k(k), kind(kind), a(a), type(k.operandTypes[0].dtype) {
    const Extents &x = k.operandTypes[0].shape, &y = k.node->type.shape;
    count = static_cast<int>(x.size()) - 2;
    batches = x[0];
    channels = x[spatial::channelAxis(x.size(), a.channelsLast)];
    for (int d = 0; d < 3; ++d) {
      Axis &axis = axes[d];
      const int i = d - (3 - count);
      axis.real = i >= 0;
      if (!axis.real) {
        axis.in = axis.out = 1;
        axis.low = axis.high = 0;
        continue;
      }
      axis.in = x[spatial::axisOf(i, a.channelsLast)];
      axis.out = y[spatial::axisOf(i, a.channelsLast)];
      axis.low = a.pads[i];
      axis.high = a.pads[count + i];
    }
    Value step = k.idx(1);
    if (a.channelsLast)
      step = k.extent(channels);
    for (int d = 2; d >= 0; --d) {
      steps[d] = step;
      step = k.mul(step, in(d));
    }
    image = k.mul(k.mul(in(0), in(1)), in(2));
    flat[1] = a.columnMajor ? in(0) : in(2);
    flat[0] = a.columnMajor ? k.idx(1) : k.mul(in(1), in(2));
    flat[2] = a.columnMajor ? k.mul(in(0), in(1)) : k.idx(1);
  }

  Expr emit() {
    if (!a.channelsLast) {
      eachUnit([&](Value unit) { row(unit); });
      return batches * channels * axes[0].out * axes[1].out;
    }
    // One spatial axis alone gives too few rows to share out: then a unit is one output position.
    const bool positions = count == 1;
    eachUnit([&](Value unit) {
      Value rest = unit, single = k.idx(0);
      if (positions)
        single = k.rem(rest, out(2)), rest = k.div(rest, out(2));
      Range r1 = range(1, k.rem(rest, out(1)));
      rest = k.div(rest, out(1));
      Range r0 = range(0, k.rem(rest, out(0)));
      Value n = k.div(rest, out(0));
      Value to = k.mul(unit, positions ? k.extent(channels) : k.mul(out(2), k.extent(channels)));
      auto pixel = [&](Value o2, Value at) {
        const Range ranges[] = {r0, r1, range(2, o2)};
        k.inVectors(k.idx(0), k.extent(channels), 4, [&](Value c, int vectors, const PointEmitter &p) {
          window(p, vectors, n, c, ranges, k.add(at, c));
        });
      };
      if (positions)
        pixel(single, to);
      else
        k.loop(k.idx(0), out(2), k.idx(1), [&](Value o2) { pixel(o2, k.add(to, k.mul(o2, k.extent(channels)))); });
    });
    return batches * axes[0].out * axes[1].out * (positions ? axes[2].out : Expr(1));
  }

private:
  struct Axis {
    Expr in, out, low, high;
    bool real; ///< false: filled up to three
  };
  /// The cells [lo, hi) of a window that lie inside along one axis.
  struct Range {
    Value start; ///< position of cell 0
    Value lo, hi;
    Value counted; ///< cells that includePad counts
  };
  KernelEmitter &k;
  const Kind kind;
  const Attributes &a;
  const DType type;
  int count; ///< spatial axes
  Expr batches, channels;
  Axis axes[3];
  Value steps[3]; ///< elements of x from one position to the next
  Value flat[3];  ///< the same in the numbering of indices
  Value image;

  Value in(int d) { return k.extent(axes[d].in); }
  Value out(int d) { return k.extent(axes[d].out); }
  void eachUnit(llvm::function_ref<void(Value)> body) { k.loop(k.begin, k.end, k.idx(1), body); }
  Value whole(int d) { return k.idx(a.kernel[d]); }
  /// Whether a window may reach beyond input and pads: all fit when there are as many as fit.
  bool cut(int d) const {
    const Axis &axis = axes[d];
    return axis.real &&
           !(axis.out == spatial::windowCount(Facts(), axis.in, axis.low, axis.high,
                                              (a.kernel[d] - 1) * a.dilations[d] + 1, a.strides[d], false));
  }

  Range range(int d, Value o) {
    const Axis &axis = axes[d];
    Value zero = k.idx(0), dilation = k.idx(a.dilations[d]), cells = whole(d);
    Range r{k.sub(k.mul(o, k.idx(a.strides[d])), k.extent(axis.low)), zero, cells, cells};
    if (!axis.low.isConstant(0))
      r.lo = k.ceilDiv(k.max(k.sub(zero, r.start), zero), dilation);
    if (axis.real && (!axis.low.isConstant(0) || !axis.high.isConstant(0) || cut(d))) {
      auto until = [&](Value end) { return k.min(cells, k.ceilDiv(k.max(k.sub(end, r.start), zero), dilation)); };
      r.hi = k.max(until(in(d)), r.lo);
      if (a.includePad && cut(d)) // cells beyond the pads never count
        r.counted = until(k.add(in(d), k.extent(axis.high)));
    }
    return r;
  }

  /// Channels first: one output row.
  void row(Value unit) {
    Value rest = k.div(unit, out(1)), o1 = k.rem(unit, out(1));
    Value plane = k.div(rest, out(0)), o0 = k.rem(rest, out(0));
    Value n = k.div(plane, k.extent(channels)), c = k.rem(plane, k.extent(channels));
    Range r0 = range(0, o0), r1 = range(1, o1);
    Value to = k.mul(unit, out(2)), zero = k.idx(0), end = out(2);
    auto scalars = [&](Value lo, Value hi) {
      k.loop(lo, hi, k.idx(1), [&](Value o2) {
        const Range ranges[] = {r0, r1, range(2, o2)};
        window(k.point(), 1, n, c, ranges, k.add(to, o2));
      });
    };
    if (a.strides[2] != 1)
      return scalars(zero, end);
    Value low = k.extent(axes[2].low);
    Value first = k.min(k.max(low, zero), end);
    Value last = k.sub(k.add(in(2), low), k.idx((a.kernel[2] - 1) * a.dilations[2]));
    last = k.min(k.max(last, first), end);
    scalars(zero, first);
    k.inVectors(first, last, 4, [&](Value o2, int vectors, const PointEmitter &p) {
      const Range inside{k.sub(o2, low), zero, whole(2), whole(2)};
      const Range ranges[] = {r0, r1, inside};
      window(p, vectors, n, c, ranges, k.add(to, o2));
    });
    scalars(last, end);
  }

  // ---- one window for all lanes of some vectors

  /// Per vector: the maximum, the sum, or the maximum and its place.
  Values start(const PointEmitter &p, int vectors) {
    Values state;
    for (int v = 0; v < vectors; ++v) {
      const int64_t sign = isUnsigned(type) ? 0 : int64_t(1) << (8 * byteSize(type) - 1);
      if (kind == Kind::Mean || kind == Kind::Sum)
        state.push_back(p.constant(type, 0));
      else
        state.push_back(isFloat(type) ? p.constant(type, -INFINITY) : p.integer(type, sign));
      if (kind == Kind::Index)
        state.push_back(p.integer(DType::I64, -1));
    }
    return state;
  }

  Values cell(const PointEmitter &p, ValueRange state, Value offset, Value place) {
    Values next;
    for (size_t i = 0, v = 0; i < state.size(); ++v) {
      Number best(p, state[i++]);
      Number x(p, loadElements(p, k, k.inputs[0], type, k.add(offset, k.idx(static_cast<int64_t>(v) * k.lanes))));
      if (kind == Kind::Mean || kind == Kind::Sum) {
        next.push_back(best + x);
        continue;
      }
      if (kind == Kind::Maximum && x.isFloat()) {
        next.push_back(greatestNan(best, x));
        continue;
      }
      Number better = isUnsigned(type) ? belowUnsigned(best, x) : best < x;
      if (kind == Kind::Index) {
        Number where(p, state[i++]);
        if (x.isFloat())
          better = (better | isNan(x)) & !isNan(best);
        better = better | (where < where.integer(0)); // the first cell wins over none
        next.push_back(select(better, x, best));
        next.push_back(select(better, Number(p, p.splat(k.i64(place))), where));
      } else {
        next.push_back(select(better, x, best));
      }
    }
    return next;
  }

  void window(const PointEmitter &p, int vectors, Value n, Value c, const Range *ranges, Value to) {
    Value plane = k.add(k.mul(n, k.extent(channels)), c);
    Value base = a.channelsLast ? k.add(k.mul(k.mul(n, image), k.extent(channels)), c) : k.mul(plane, image);
    Value place = k.mul(plane, image);
    for (int d = 0; d < 3; ++d) {
      base = k.add(base, k.mul(ranges[d].start, steps[d]));
      place = k.add(place, k.mul(ranges[d].start, flat[d]));
    }
    auto at = [&](Value from, Value i, int d, const Value *by) {
      return k.add(from, k.mul(k.mul(i, k.idx(a.dilations[d])), by[d]));
    };
    std::function<Values(int, Values, Value, Value)> loops = [&](int d, Values state, Value offset, Value where) {
      if (d == 3)
        return cell(p, state, offset, where);
      if (!axes[d].real)
        return loops(d + 1, state, offset, where);
      return k.loop(ranges[d].lo, ranges[d].hi, k.idx(1), state, [&](Value i, ValueRange values) {
        return loops(d + 1, Values(values), at(offset, i, d, steps), at(where, i, d, flat));
      });
    };
    auto unrolled = [&] {
      Values state = start(p, vectors);
      spatial::forEach(a.kernel, [&](const spatial::Index &i) {
        Value offset = base, where = place;
        for (int d = 0; d < 3; ++d)
          offset = at(offset, k.idx(i[d]), d, steps), where = at(where, k.idx(i[d]), d, flat);
        state = cell(p, state, offset, where);
      });
      return state;
    };
    auto clamped = [&] { return loops(0, start(p, vectors), base, place); };
    Value inside;
    bool always = true;
    for (int d = 0; d < 3; ++d) {
      if (k.isConstant(ranges[d].lo, 0) && k.isConstant(ranges[d].hi, a.kernel[d]))
        continue;
      always = false;
      Value all = k.both(k.equal(ranges[d].lo, k.idx(0)), k.equal(ranges[d].hi, whole(d)));
      inside = inside ? k.both(inside, all) : all;
    }
    const bool small = a.kernel[0] * a.kernel[1] * a.kernel[2] * vectors <= 64;
    if (!small)
      return finish(p, clamped(), ranges, to);
    finish(p, always ? unrolled() : k.choose(inside, unrolled, clamped), ranges, to);
  }

  void finish(const PointEmitter &p, const Values &state, const Range *ranges, Value to) {
    Value divisor;
    if (kind == Kind::Mean) {
      Value cells = k.idx(1);
      for (int d = 0; d < 3; ++d)
        cells = k.mul(cells, a.includePad ? ranges[d].counted : k.sub(ranges[d].hi, ranges[d].lo));
      Type element = computeType(k.b.getContext(), type);
      divisor = p.splat(k.b.create<arith::SIToFPOp>(k.loc, element, k.i64(cells))); // 0 / 0 is NaN
    }
    for (size_t i = 0, v = 0; i < state.size(); ++i, ++v) {
      Value at = k.add(to, k.idx(static_cast<int64_t>(v) * k.lanes));
      if (kind == Kind::Maximum) {
        storeElements(p, k, state[i], k.outputs[0], type, at);
      } else if (kind == Kind::Mean) {
        Value mean = Number(p, state[i]) / Number(p, divisor);
        storeElements(p, k, p.rounded(mean, type), k.outputs[0], type, at);
      } else if (kind == Kind::Sum) {
        storeElements(p, k, p.rounded(state[i], type), k.outputs[0], type, at);
      } else {
        Number where(p, state[++i]);
        Value index = p.lanes ? select(where < where.integer(0), where, where + lanePlaces(p, v)) : where;
        storeElements(p, k, index, k.outputs[0], DType::I64, at);
      }
    }
  }

  /// What the lanes of vector `v` add to the place of lane 0 of vector 0.
  Number lanePlaces(const PointEmitter &p, size_t v) {
    SmallVector<int64_t> numbers;
    for (int64_t i = 0; i < p.lanes; ++i)
      numbers.push_back(static_cast<int64_t>(v) * k.lanes + i);
    auto vector = VectorType::get({p.lanes}, k.b.getI64Type());
    Value iota = k.b.create<arith::ConstantOp>(k.loc, DenseElementsAttr::get(vector, ArrayRef<int64_t>(numbers)));
    return Number(p, iota) * Number(p, p.splat(k.i64(a.channelsLast ? image : flat[2])));
  }
};

template <class A> Attributes attributes(const A &a) {
  return {spatial::lift(a.kernel, 1),
          spatial::lift(a.strides, 1),
          spatial::lift(a.dilations, 1),
          a.pads,
          a.ceilMode,
          a.channelsLast};
}

} // namespace
} // namespace pliant::codegen

namespace pliant::ops::pool {

using namespace codegen;

Result<Expr> emit(KernelEmitter &k, OpId op, const Attrs &attrs) {
  if (op == OpId::MaxPool)
    return Pool(k, Kind::Maximum, attributes(std::get<MaxPoolAttrs>(attrs))).emit();
  if (op == OpId::MaxPoolIndices) {
    Attributes a = attributes(std::get<MaxPoolIndicesAttrs>(attrs));
    a.columnMajor = std::get<MaxPoolIndicesAttrs>(attrs).columnMajor;
    return Pool(k, Kind::Index, a).emit();
  }
  if (op == OpId::SumPool)
    return Pool(k, Kind::Sum, attributes(std::get<SumPoolAttrs>(attrs))).emit();
  Attributes a = attributes(std::get<AvgPoolAttrs>(attrs));
  a.includePad = std::get<AvgPoolAttrs>(attrs).includePad;
  return Pool(k, Kind::Mean, a).emit();
}

} // namespace pliant::ops::pool
