// SPDX-License-Identifier: Apache-2.0
// A unit is one channel of one region: bins, and samples in each, in f64 as the reference computes them.
#include "codegen/memory.h"
#include "codegen/number.h"
#include <cmath>

using namespace mlir;

namespace pliant::codegen {
namespace {

class RoiAlign {
public:
  RoiAlign(KernelEmitter &k, const RoiAlignAttrs &a) : k(k), a(a), p(k.point()), type(k.node->type.dtype) {}

  Expr emit() {
    const Extents &x = k.operandTypes[0].shape;
    Value channels = k.extent(x[1]);
    height = k.extent(x[2]), width = k.extent(x[3]);
    k.loop(k.begin, k.end, k.idx(1), [&](Value unit) {
      Value region = k.div(unit, channels), channel = k.rem(unit, channels);
      image = k.mul(k.add(k.mul(imageOf(region, x[0]), channels), channel), k.mul(height, width));
      const Axis rows = axis(region, 1, a.height), columns = axis(region, 0, a.width);
      k.loop(k.idx(0), k.idx(a.height), k.idx(1), [&](Value i) {
        k.loop(k.idx(0), k.idx(a.width), k.idx(1), [&](Value j) {
          Value to = k.add(k.mul(k.add(k.mul(unit, k.idx(a.height)), i), k.idx(a.width)), j);
          store(bin(rows, i, columns, j), to);
        });
      });
    });
    return k.node->type.shape[0] * x[1];
  }

private:
  KernelEmitter &k;
  const RoiAlignAttrs &a;
  const PointEmitter p;
  const DType type;
  Value height, width, image;

  struct Axis {
    Number start, bin;
    Value samples;
  };
  Number number(double v) { return {p, p.constant(DType::F64, v)}; }
  Number real(Value index) { return toFloat({p, k.i64(index)}, k.b.getF64Type(), true); }
  Value whole(Number v) {
    return k.b.create<arith::IndexCastOp>(k.loc, k.b.getIndexType(), Value(toInteger(v, 64, true)));
  }
  Number read(Value pointer, Value at) {
    Number v(p, loadElements(p, k, pointer, type, at));
    return v.isF64() ? v : widened(v);
  }

  Value imageOf(Value region, const Expr &images) {
    Number at = resized({p, loadElements(p, k, k.inputs[2], k.operandTypes[2].dtype, region)}, 64, true);
    Number extent(p, k.i64(k.extent(images)));
    Number bad = (at < -extent) | (at >= extent);
    p.fault(RunErrorIndex, bad, at, extent);
    Number wrapped = select(at < at.integer(0), at + extent, at);
    return k.b.create<arith::IndexCastOp>(k.loc, k.b.getIndexType(), Value(select(bad, at.integer(0), wrapped)));
  }

  Axis axis(Value region, int64_t part, int64_t bins) {
    Value at = k.add(k.mul(region, k.idx(4)), k.idx(part));
    const double shift = a.halfPixel ? 0.5 : 0;
    Number start = read(k.inputs[1], at) * a.scale - shift;
    Number length = read(k.inputs[1], k.add(at, k.idx(2))) * a.scale - shift - start;
    if (!a.halfPixel)
      length = select(length > 1.0, length, 1.0);
    Number bin = length / number(static_cast<double>(bins));
    if (a.samples)
      return {start, bin, k.idx(a.samples)};
    // The bin's size, rounded up; a region without end has no samples.
    Number some = (bin > 0.0) & (bin <= static_cast<double>((1 << 20) - 1));
    Number safe = select(some, bin, 0.0);
    Value down = whole(safe);
    return {start, bin, k.select(real(down) < safe, k.add(down, k.idx(1)), down)};
  }

  Number place(const Axis &axis, Value bin, Value sample) {
    return axis.start + axis.bin * (real(bin) + (real(sample) + 0.5) / real(axis.samples));
  }

  Number bin(const Axis &rows, Value i, const Axis &columns, Value j) {
    const bool most = a.mode == "max";
    Value zero = k.idx(0), one = k.idx(1);
    Values state{Value(most ? number(-INFINITY) : number(0))};
    state = k.loop(zero, rows.samples, one, state, [&](Value s, ValueRange outer) {
      Number y = place(rows, i, s);
      return k.loop(zero, columns.samples, one, outer, [&](Value t, ValueRange old) {
        Number value = bilinear(y, place(columns, j, t)), before(p, old[0]);
        return Values{Value(most ? select(before < value, value, before) : before + value)};
      });
    });
    Value count = k.mul(rows.samples, columns.samples);
    Number result(p, state[0]);
    return select({p, k.equal(count, zero)}, 0.0, most ? result : result / real(count));
  }

  Number bilinear(Number y, Number x) {
    Number rows = real(height), columns = real(width);
    Number near = (y >= -1.0) & (y <= rows) & (x >= -1.0) & (x <= columns);
    Value some = k.both(near, k.less(k.idx(0), k.mul(height, width)));
    Value value = k.choose(
        some,
        [&] {
          auto inside = [&](Number v, Number extent) {
            Number low = select(v > 0.0, v, 0.0), last = extent - 1.0;
            return select(low < last, low, last);
          };
          y = inside(y, rows), x = inside(x, columns);
          Value top = whole(y), left = whole(x);
          Value bottom = k.min(k.add(top, k.idx(1)), k.sub(height, k.idx(1)));
          Value right = k.min(k.add(left, k.idx(1)), k.sub(width, k.idx(1)));
          Number v = y - real(top), u = x - real(left);
          auto pixel = [&](Value row, Value column) {
            return read(k.inputs[0], k.add(image, k.add(k.mul(row, width), column)));
          };
          Number upper = (1.0 - u) * pixel(top, left) + u * pixel(top, right);
          Number lower = (1.0 - u) * pixel(bottom, left) + u * pixel(bottom, right);
          return Values{Value((1.0 - v) * upper + v * lower)};
        },
        [&] { return Values{Value(number(0))}; })[0];
    return {p, value};
  }

  void store(Number v, Value to) {
    Number stored = type == DType::F32 ? narrowed(v) : Number(p, p.rounded(v, type));
    storeElements(p, k, stored, k.outputs[0], type, to);
  }
};

} // namespace
} // namespace pliant::codegen

namespace pliant::ops::roi_align {

using namespace codegen;

Result<Expr> emit(KernelEmitter &k, OpId, const Attrs &attrs) {
  return RoiAlign(k, std::get<RoiAlignAttrs>(attrs)).emit();
}

} // namespace pliant::ops::roi_align
