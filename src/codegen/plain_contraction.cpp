// SPDX-License-Identifier: Apache-2.0
// Sums of products by loops. A unit is one row of the result, computed in vectors along its last axis; lanes whose taps
// fall into the padding are masked.
#include "codegen/plain_contraction.h"
#include "codegen/memory.h"
#include "codegen/number.h"
#include "group/index_map.h"
#include "ops/spatial.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

Number accumulated(Number x, Number y, Number sum) { return x.isFloat() ? multiplyAdd(x, y, sum) : sum + x * y; }

class PlainMatmul {
public:
  explicit PlainMatmul(KernelEmitter &k) : k(k), type(k.node->type.dtype) {}

  Expr emit() {
    const Extents &shape = k.node->type.shape;
    Value rows = k.extent(shape[shape.size() - 2]), columns = k.extent(shape.back());
    depth = k.extent(k.operandTypes[0].shape.back());
    k.loop(k.begin, k.end, k.idx(1), [&](Value unit) {
      Value batch = k.div(unit, rows);
      Value a = k.mul(k.add(k.mul(matrixOf(0, batch), rows), k.rem(unit, rows)), depth);
      Value b = k.mul(k.mul(matrixOf(1, batch), depth), columns), to = k.mul(unit, columns);
      k.inVectors(k.idx(0), columns, 4, [&](Value at, int vectors, const PointEmitter &p) {
        row(p, vectors, a, k.add(b, at), columns, k.add(to, at));
      });
    });
    return product(Extents(shape.begin(), shape.end() - 1));
  }

private:
  KernelEmitter &k;
  const DType type;
  Value depth;

  /// The matrix of an operand that belongs to a matrix of the result: leading axes broadcast.
  Value matrixOf(size_t operand, Value batch) {
    const Extents &whole = k.node->type.shape, &mine = k.operandTypes[operand].shape;
    Value matrix = k.idx(0), rest = batch;
    Expr stride = 1;
    for (size_t i = 0; i + 2 < whole.size(); ++i) { // from the last leading axis outwards
      Value extent = k.extent(whole[whole.size() - 3 - i]);
      Value index = i + 3 < whole.size() ? k.rem(rest, extent) : rest;
      rest = k.div(rest, extent);
      if (i + 2 >= mine.size())
        continue;
      const Expr &own = mine[mine.size() - 3 - i];
      const bool same = own == whole[whole.size() - 3 - i];
      matrix = k.add(matrix, k.mul(index, k.extent(same ? stride : stride * min(own - 1, 1))));
      stride = stride * own;
    }
    return matrix;
  }

  void row(const PointEmitter &p, int vectors, Value a, Value b, Value columns, Value to) {
    Values sums(vectors, p.constant(type, 0));
    sums = k.loop(k.idx(0), depth, k.idx(1), sums, [&](Value i, ValueRange old) {
      Number factor(p, p.splat(loadElements(k.point(), k, k.inputs[0], type, k.add(a, i))));
      Value from = k.add(b, k.mul(i, columns));
      Values next;
      for (int v = 0; v < vectors; ++v) {
        Number y(p, loadElements(p, k, k.inputs[1], type, k.add(from, k.idx(v * k.lanes))));
        next.push_back(accumulated(factor, y, {p, old[v]}));
      }
      return next;
    });
    for (int v = 0; v < vectors; ++v)
      storeElements(p, k, p.rounded(sums[v], type), k.outputs[0], type, k.add(to, k.idx(v * k.lanes)));
  }
};

/// Both directions: a convolution reads x at stride * o + dilation * tap - low, its transpose where stride * i equals
/// o + low - dilation * tap.
class PlainConvolution {
public:
  struct Window {
    const std::vector<int64_t> &strides, &dilations;
    const Extents &pads;
    int64_t groups;
    bool channelsLast, transposed;
  };

  PlainConvolution(KernelEmitter &k, const Window &w)
      : k(k), w(w), type(k.node->type.dtype), in(k.operandTypes[0].dtype), x(k.operandTypes[0].shape),
        y(k.node->type.shape), axes(x.size() - 2), steps(rowMajor(x)),
        channel(spatial::channelAxis(x.size(), w.channelsLast)) {
    const Extents &filters = k.operandTypes[1].shape;
    taps.assign(filters.begin() + 2, filters.end());
    tapSteps = rowMajor(taps);
  }

  Expr emit() {
    const Expr tapCount = product(taps);
    const Expr channels = w.transposed ? floorDiv(x[channel], w.groups) : k.operandTypes[1].shape[1];
    const Expr outputs = floorDiv(y[channel], w.groups); // of a group
    perGroup = k.extent(channels);
    if (k.node->op == OpId::ConvInteger)
      zero = loadElements(k.point(), k, k.inputs[2], in, k.idx(0));
    filterStep = k.extent(w.transposed ? outputs * tapCount : tapCount);
    Extents rows{y[0], y[channel]};
    for (size_t d = 0; d + 1 < axes; ++d)
      rows.push_back(y[spatial::axisOf(d, w.channelsLast)]);
    const Extents to = rowMajor(y);
    const Expr &last = y[spatial::axisOf(axes - 1, w.channelsLast)];
    k.loop(k.begin, k.end, k.idx(1), [&](Value unit) {
      position.assign(axes, Value());
      Value rest = unit, store = k.idx(0);
      auto take = [&](const Expr &extent, size_t axis) {
        Value index = k.rem(rest, k.extent(extent));
        rest = k.div(rest, k.extent(extent));
        store = k.add(store, k.mul(index, k.extent(to[axis])));
        return index;
      };
      for (size_t d = axes - 1; d-- > 0;)
        position[d] = take(y[spatial::axisOf(d, w.channelsLast)], spatial::axisOf(d, w.channelsLast));
      Value m = take(y[channel], channel), n = rest;
      store = k.add(store, k.mul(n, k.extent(to[0])));
      Value group = k.div(m, k.extent(outputs)), member = k.rem(m, k.extent(outputs));
      Value from = k.add(k.mul(n, k.extent(steps[0])), k.mul(k.mul(group, perGroup), k.extent(steps[channel])));
      Value filter = w.transposed ? k.add(k.mul(k.mul(group, perGroup), filterStep), k.mul(member, k.extent(tapCount)))
                                  : k.mul(m, k.mul(perGroup, filterStep));
      k.inVectors(k.idx(0), k.extent(last), 1, [&](Value at, int, const PointEmitter &p) {
        Value sum = nest(p, 0, at, from, filter, p.constant(type, 0));
        put(p, p.rounded(sum, type), k.add(store, k.mul(at, k.extent(to[spatial::axisOf(axes - 1, w.channelsLast)]))),
            to[spatial::axisOf(axes - 1, w.channelsLast)]);
      });
    });
    return product(rows);
  }

private:
  KernelEmitter &k;
  const Window w;
  const DType type, in; ///< of the result and of x
  const Extents &x, &y;
  const size_t axes;
  const Extents steps;
  const size_t channel;
  Extents taps, tapSteps;
  Value perGroup, filterStep;
  Value zero;                  ///< of conv_integer
  std::vector<Value> position; ///< along all spatial axes but the last

  size_t axisOf(size_t d) const { return spatial::axisOf(d, w.channelsLast); }
  Value shift(size_t d, Value tap) { // what the tap adds to the position
    Value by = k.mul(tap, k.idx(w.dilations[d])), low = k.extent(w.pads[d]);
    return w.transposed ? k.sub(low, by) : k.sub(by, low);
  }

  /// The sum over the taps of axis d and of those behind it.
  Value nest(const PointEmitter &p, size_t d, Value at, Value from, Value filter, Value sum) {
    return k.loop(k.idx(0), k.extent(taps[d]), k.idx(1), ValueRange(sum), [&](Value tap, ValueRange old) {
      Value weights = k.add(filter, k.mul(tap, k.extent(tapSteps[d])));
      if (d + 1 == axes)
        return Values{line(p, at, shift(d, tap), from, weights, old[0])};
      const PointEmitter scalar = k.point();
      Number start(scalar, k.i64(w.transposed ? position[d] : k.mul(position[d], k.idx(w.strides[d]))));
      Number inside = start, index = located(start + Number(scalar, k.i64(shift(d, tap))), d, inside);
      Value row = k.b.create<arith::IndexCastOp>(k.loc, k.b.getIndexType(), Value(index));
      return k.choose(
          inside,
          [&] {
            Value next = k.add(from, k.mul(row, k.extent(steps[axisOf(d)])));
            return Values{nest(p, d + 1, at, next, weights, old[0])};
          },
          [&] { return Values{old[0]}; });
    })[0];
  }

  /// The index into x for stride * o + shift, or for o + shift of the transpose; `inside` says where there is one.
  Number located(Number at, size_t d, Number &inside) {
    Number extent(at.e(), at.e().splat(k.i64(k.extent(x[axisOf(d)]))));
    if (!w.transposed || w.strides[d] == 1) {
      inside = belowUnsigned(at, extent); // a negative index is a large one
      return at;
    }
    Number stride = at.integer(w.strides[d]);
    Number index = at.make<arith::DivSIOp>(at, stride), exact = index * stride == at;
    inside = exact & belowUnsigned(at, extent * stride);
    return index;
  }

  /// One tap of the last axis for all channels of the group.
  Value line(const PointEmitter &p, Value at, Value by, Value from, Value weights, Value sum) {
    const size_t d = axes - 1;
    const bool contiguous = steps[axisOf(d)].isConstant(1) && w.strides[d] == 1;
    Value first = k.add(w.transposed ? at : k.mul(at, k.idx(w.strides[d])), by); // of lane 0
    Number lane = lanes(p), start(p, p.splat(k.i64(first)));
    Number inside = start,
           index = located(start + (w.transposed ? lane : lane * lane.integer(w.strides[d])), d, inside);
    PointEmitter masked = p;
    masked.mask = p.mask ? Value(inside & Number(p, p.mask)) : Value(inside);
    Number offsets = index * Number(p, p.splat(k.i64(k.extent(steps[axisOf(d)]))));
    return k.loop(k.idx(0), perGroup, k.idx(1), ValueRange(sum), [&](Value c, ValueRange old) {
      Value base = k.add(from, k.mul(c, k.extent(steps[channel])));
      const DType of = k.operandTypes[1].dtype;
      Value tap = loadElements(k.point(), k, k.inputs[1], of, k.add(weights, k.mul(c, filterStep)));
      Value read = contiguous ? loadElements(masked, k, k.inputs[0], in, k.add(base, first))
                              : gatherElements(masked, k, at_(base), in, offsets);
      Number element(p, read);
      if (k.node->op == OpId::ConvInteger) { // what the padding reads is 0 once the zero point is off
        Number less = wide(element, in) - Number(p, p.splat(Value(wide({k.point(), zero}, in))));
        element = select(Number(p, masked.mask), less, less.integer(0));
        tap = wide({k.point(), tap}, of);
      }
      return Values{Value(accumulated(element, {p, p.splat(tap)}, {p, old[0]}))};
    })[0];
  }

  static Number wide(Number byte, DType type) { return resized(byte, 32, isSigned(type)); }
  Value at_(Value offset) { return k.atType(memoryType(k.b.getContext(), in), k.inputs[0], offset); }
  Number lanes(const PointEmitter &p) {
    SmallVector<int64_t> numbers;
    for (int64_t i = 0; i < p.lanes; ++i)
      numbers.push_back(i);
    auto vector = VectorType::get({p.lanes}, k.b.getI64Type());
    return {p, k.b.create<arith::ConstantOp>(k.loc, DenseElementsAttr::get(vector, ArrayRef<int64_t>(numbers)))};
  }
  /// A vector along an axis of the result that need not be contiguous.
  void put(const PointEmitter &p, Value value, Value to, const Expr &step) {
    if (step.isConstant(1))
      return storeElements(p, k, value, k.outputs[0], type, to);
    Number offsets = lanes(p) * Number(p, p.splat(k.i64(k.extent(step))));
    scatterElements(p, k, value, k.atType(memoryType(k.b.getContext(), type), k.outputs[0], to), type, offsets);
  }
};

} // namespace

Result<Expr> emitPlainContraction(KernelEmitter &k) {
  if (k.node->op == OpId::Matmul)
    return PlainMatmul(k).emit();
  if (k.node->op == OpId::Conv) {
    const auto &a = std::get<ConvAttrs>(k.node->attrs);
    return PlainConvolution(k, {a.strides, a.dilations, a.pads, a.groups, a.channelsLast, false}).emit();
  }
  if (k.node->op == OpId::ConvInteger) {
    const auto &a = std::get<ConvIntegerAttrs>(k.node->attrs);
    return PlainConvolution(k, {a.strides, a.dilations, a.pads, a.groups, a.channelsLast, false}).emit();
  }
  const auto &a = std::get<ConvTransposeAttrs>(k.node->attrs);
  return PlainConvolution(k, {a.strides, a.dilations, a.pads, a.groups, a.channelsLast, true}).emit();
}

} // namespace pliant::codegen
