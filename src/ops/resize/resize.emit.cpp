// SPDX-License-Identifier: Apache-2.0
// Resize by rows. The samples of a block of positions along the last resized axis are put into a table that serves a
// block of rows; vectors run over the contiguous axis below it, or gather along it when it is the last one.
#include "codegen/memory.h"
#include "ops/resize/resize_attrs.h"
#include "ops/resize/resize_samples.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

class Resize {
public:
  Resize(KernelEmitter &k, const ResizeAttrs &a, Samples::Factors factors)
      : k(k), a(a), samples(k, a, std::move(factors)), type(k.node->type.dtype) {
    if (samples.nearest() && !samples.extrapolates())
      type = movedAs(type);
    const Extents &x = k.operandTypes[0].shape;
    Extents steps(x.size(), Expr(1));
    for (size_t i = x.size(); i-- > 1;)
      steps[i - 1] = steps[i] * x[i];
    for (size_t i = 0; i < x.size(); ++i) {
      const bool kept = samples.keeps(i, x[i]);
      if (kept && !axes.empty() && axes.back().kept)
        axes.back() = {i, true, axes.back().in * x[i], axes.back().out * x[i], steps[i]};
      else
        axes.push_back({i, kept, x[i], a.sizes[i], steps[i]});
    }
    if (axes.empty())
      axes.push_back({0, true, 1, 1, 1});
  }

  Expr emit() {
    if (axes.size() == 1 && axes[0].kept)
      return copy();
    vectorsBelow = axes.back().kept;
    column = axes.size() - (vectorsBelow ? 2 : 1);
    Expr rows = 1, elements = 1;
    for (size_t i = 0; i < axes.size(); ++i) {
      elements = elements * axes[i].in;
      rows = i < column ? rows * axes[i].out : rows;
    }
    Value empty = k.equal(k.extent(elements), k.idx(0)), all = k.extent(product(a.sizes));
    Value bad = k.both(empty, k.less(k.idx(0), all)); // no element to give
    k.point().fault(RunErrorExtent, bad, k.extent(elements), all);
    k.when(empty, [] {}, [&] { blocks(); });
    return rows;
  }

private:
  struct Axis {
    size_t axis;
    bool kept;
    Expr in, out, step;
  };
  /// What one axis adds: an offset and a weight per tap. Scalars, or vectors for the column.
  struct Taps {
    Values offset, weight;
    Value outside;
    Value offsetTable, weightTable; ///< instead, where the taps are a loop
  };
  static constexpr int64_t rowBlock = 16, columnBlock = 128;

  KernelEmitter &k;
  const ResizeAttrs &a;
  Samples samples;
  DType type;
  std::vector<Axis> axes; ///< neighbours that keep their extents are one
  bool vectorsBelow = false;
  size_t column = 0;
  Value indexTable, weightTable, outsideTable;
  std::vector<Taps> loopTables; ///< per axis

  DType weightType() const { return type == DType::F64 ? DType::F64 : DType::F32; }
  Number weightOf(const PointEmitter &p, Value weight) const {
    Number w(p, weight);
    return weightType() == DType::F64 ? w : narrowed(w);
  }

  Expr copy() {
    constexpr int64_t unit = 1024;
    Value n = k.extent(axes[0].out), lo = k.mul(k.begin, k.idx(unit)), hi = k.min(k.mul(k.end, k.idx(unit)), n);
    const DType moved = movedAs(type);
    k.inVectors(lo, hi, 1, [&](Value at, int, const PointEmitter &p) {
      storeElements(p, k, loadElements(p, k, k.inputs[0], moved, at), k.outputs[0], moved, at);
    });
    return ceilDiv(axes[0].out, unit);
  }

  void blocks() {
    const int64_t taps = samples.taps();
    indexTable = k.stack(taps * columnBlock * 8);
    weightTable = samples.nearest() ? Value() : k.stack(taps * columnBlock * 8);
    outsideTable = samples.extrapolates() ? k.stack(columnBlock) : Value();
    // The column and one row axis are unrolled; 4 taps on each of further axes would be too much code.
    loopTables.resize(column);
    size_t unrolled = 0;
    for (size_t i = column; i-- > 0;)
      if (!axes[i].kept && ++unrolled > 1 && taps == 4)
        loopTables[i].offsetTable = k.stack(taps * 8), loopTables[i].weightTable = k.stack(taps * 8);
    Value columns = k.extent(axes[column].out), one = k.idx(1);
    k.loop(k.begin, k.end, k.idx(rowBlock), [&](Value firstRow) {
      Value lastRow = k.min(k.add(firstRow, k.idx(rowBlock)), k.end);
      k.loop(k.idx(0), columns, k.idx(columnBlock), [&](Value first) {
        Value n = k.min(k.sub(columns, first), k.idx(columnBlock));
        k.loop(k.idx(0), n, one, [&](Value j) { tabulate(k.add(first, j), j); });
        k.loop(firstRow, lastRow, one, [&](Value r) { row(r, first, n); });
      });
    });
  }

  /// The samples of one position along the column axis, at slot j.
  void tabulate(Value position, Value j) {
    const Axis &axis = axes[column];
    const PointEmitter p = k.point();
    Sample sample = samples.at(axis.axis, position, k.extent(axis.in), k.extent(axis.out));
    for (size_t t = 0; t < sample.index.size(); ++t) {
      Value slot = k.add(j, k.idx(static_cast<int64_t>(t) * columnBlock));
      k.storeIndex(k.mul(sample.index[t], k.extent(axis.step)), indexTable, slot);
      if (!samples.nearest())
        storeElements(p, k, weightOf(p, sample.weight[t]), weightTable, weightType(), slot);
    }
    if (sample.outside)
      storeElements(p, k, sample.outside, outsideTable, DType::Bool, j);
  }
  Taps columnTaps(const PointEmitter &p, Value j) {
    Taps taps;
    for (int t = 0; t < samples.taps(); ++t) {
      Value slot = k.add(j, k.idx(t * columnBlock));
      taps.offset.push_back(p.lanes ? loadElements(p, k, indexTable, DType::I64, slot) : k.loadIndex(indexTable, slot));
      if (!samples.nearest())
        taps.weight.push_back(loadElements(p, k, weightTable, weightType(), slot));
    }
    if (samples.extrapolates())
      taps.outside = loadElements(p, k, outsideTable, DType::Bool, j);
    return taps;
  }

  void row(Value r, Value first, Value n) {
    const PointEmitter scalar = k.point();
    std::vector<Taps> rows = loopTables;
    Value base = k.idx(0), rest = r;
    for (size_t i = column; i-- > 0;) {
      const Axis &axis = axes[i];
      Value extent = k.extent(axis.out), at = i ? k.rem(rest, extent) : rest;
      rest = i ? k.div(rest, extent) : rest;
      if (axis.kept) {
        base = k.add(base, k.mul(at, k.extent(axis.step)));
        continue;
      }
      Sample sample = samples.at(axis.axis, at, k.extent(axis.in), extent);
      for (Value index : sample.index)
        rows[i].offset.push_back(k.mul(index, k.extent(axis.step)));
      for (Value weight : sample.weight)
        rows[i].weight.push_back(weightOf(scalar, weight));
      rows[i].outside = sample.outside;
      for (size_t t = 0; rows[i].offsetTable && t < rows[i].offset.size(); ++t) {
        Value slot = k.idx(static_cast<int64_t>(t));
        k.storeIndex(rows[i].offset[t], rows[i].offsetTable, slot);
        storeElements(scalar, k, rows[i].weight[t], rows[i].weightTable, weightType(), slot);
      }
    }
    Value to = k.add(k.mul(r, k.extent(axes[column].out)), first);
    if (!vectorsBelow) {
      k.inVectors(k.idx(0), n, 1,
                  [&](Value j, int, const PointEmitter &p) { store(p, rows, columnTaps(p, j), base, k.add(to, j)); });
      return;
    }
    Value width = k.extent(axes.back().out);
    k.loop(k.idx(0), n, k.idx(1), [&](Value j) {
      Taps taps = columnTaps(scalar, j);
      Value start = k.mul(k.add(to, j), width);
      const int vectors = samples.taps() == 4 ? 1 : 4;
      k.inVectors(k.idx(0), width, vectors, [&](Value c, int count, const PointEmitter &p) {
        for (int v = 0; v < count; ++v) {
          Value lane = k.add(c, k.idx(v * k.lanes));
          store(p, rows, taps, k.add(base, lane), k.add(start, lane));
        }
      });
    });
  }

  void store(const PointEmitter &p, const std::vector<Taps> &rows, const Taps &taps, Value base, Value to) {
    Value value = p.rounded(sum(p, rows, taps, static_cast<int>(column), base, {}), type);
    Value outside = taps.outside ? p.splat(taps.outside) : Value();
    for (const Taps &row : rows)
      if (row.outside)
        outside = k.either(outside, p.splat(row.outside));
    if (outside) {
      Value other = type == DType::Bool ? p.integer(type, static_cast<int64_t>(a.extrapolation) != 0)
                                        : p.rounded(p.constant(type, a.extrapolation), type);
      value = p.select(outside, other, value);
    }
    storeElements(p, k, value, k.outputs[0], type, to);
  }

  /// The weighted sum over the taps of axis d of what the axes before it give. `gathered` are offsets along lanes.
  Value sum(const PointEmitter &p, const std::vector<Taps> &rows, const Taps &taps, int d, Value offset,
            Value gathered) {
    if (d < 0) {
      if (!gathered)
        return loadElements(p, k, k.inputs[0], type, offset);
      Type memory = memoryType(k.b.getContext(), type);
      return gatherElements(p, k, k.atType(memory, k.inputs[0], offset), type, gathered);
    }
    const Taps &mine = d == static_cast<int>(column) ? taps : rows[d];
    if (mine.offset.empty())
      return sum(p, rows, taps, d - 1, offset, gathered);
    auto term = [&](Value weight, Value x) { // infinity times 0 would be NaN
      Number w(p, p.splat(weight));
      return select(w != 0.0, w * Number(p, x), 0.0);
    };
    if (mine.offsetTable)
      return k.loop(k.idx(0), k.idx(samples.taps()), k.idx(1), ValueRange(p.constant(type, 0)),
                    [&](Value t, ValueRange before) {
                      Value x = sum(p, rows, taps, d - 1, k.add(offset, k.loadIndex(mine.offsetTable, t)), gathered);
                      Value w = loadElements(k.point(), k, mine.weightTable, weightType(), t);
                      return Values{Value(Number(p, before[0]) + term(w, x))};
                    })[0];
    Value total;
    for (size_t t = 0; t < mine.offset.size(); ++t) {
      const bool lanes = isa<VectorType>(mine.offset[t].getType());
      Value x = lanes ? sum(p, rows, taps, d - 1, offset, mine.offset[t])
                      : sum(p, rows, taps, d - 1, k.add(offset, mine.offset[t]), gathered);
      if (mine.weight.empty())
        return x;
      Number part = term(mine.weight[t], x);
      total = total ? Value(Number(p, total) + part) : Value(part);
    }
    return total;
  }
};

} // namespace
} // namespace pliant::codegen

namespace pliant::ops::resize {

using namespace codegen;

Result<Expr> emit(KernelEmitter &k, OpId op, const Attrs &attrs) {
  if (op == OpId::Resize)
    return Resize(k, std::get<ResizeAttrs>(attrs), {}).emit();
  const ResizeAttrs a = attrsOf(std::get<ResizeByAttrs>(attrs), k.operandTypes[0].shape.size());
  auto factor = [&](int64_t i) { return loadElements(k.point(), k, k.inputs[1], DType::F64, k.idx(i)); };
  return Resize(k, a, factor).emit();
}

} // namespace pliant::ops::resize
