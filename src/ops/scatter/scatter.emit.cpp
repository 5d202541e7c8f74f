// SPDX-License-Identifier: Apache-2.0
// A copy of x, then the updates one after the other: later ones may hit what earlier ones wrote, so all is one unit.
#include "codegen/memory.h"
#include "codegen/number.h"
#include "group/index_map.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

class Scatter {
public:
  Scatter(KernelEmitter &k, const std::string &reduction)
      : k(k), reduction(reduction), x(k.operandTypes[0]), indices(k.operandTypes[1]), steps(rowMajor(x.shape)) {}

  Expr emit(llvm::function_ref<void()> updates) {
    k.loop(k.begin, k.end, k.idx(1), [&](Value) {
      const DType moved = movedAs(x.dtype);
      k.inVectors(k.idx(0), k.extent(product(x.shape)), 4, [&](Value at, int n, const PointEmitter &p) {
        for (int v = 0; v < n; ++v) {
          Value place = k.add(at, k.idx(v * k.lanes));
          storeElements(p, k, loadElements(p, k, k.inputs[0], moved, place), k.outputs[0], moved, place);
        }
      });
      updates();
    });
    return 1;
  }

  /// Nested loops over the updates, each of them one element.
  void elements(int64_t axis) {
    const size_t rank = x.shape.size();
    Value bad;
    for (size_t i = 0; i < rank; ++i) {
      if (static_cast<int64_t>(i) == axis || indices.shape[i] == x.shape[i])
        continue;
      Value places = k.extent(indices.shape[i]), extent = k.extent(x.shape[i]), beyond = k.less(extent, places);
      k.point().fault(RunErrorExtent, beyond, places, extent);
      bad = bad ? k.either(bad, beyond) : beyond;
    }
    std::function<void(size_t, Value, Value)> nest = [&](size_t i, Value from, Value to) {
      if (i == rank)
        return index(from, x.shape[axis],
                     [&](Value at) { combine(k.point(), from, k.add(to, k.mul(at, k.extent(steps[axis])))); });
      Value extent = k.extent(indices.shape[i]);
      k.loop(k.idx(0), extent, k.idx(1), [&](Value at) {
        Value row = static_cast<int64_t>(i) == axis ? to : k.add(to, k.mul(at, k.extent(steps[i])));
        nest(i + 1, k.add(k.mul(from, extent), at), row);
      });
    };
    auto all = [&] { nest(0, k.idx(0), k.idx(0)); };
    bad ? k.when(bad, [] {}, all) : all();
  }

  /// Tuples of indices, each of them a slice.
  void slices() {
    const size_t depth = static_cast<size_t>(*indices.shape.back().constant());
    Value slice = k.extent(product(Extents(x.shape.begin() + depth, x.shape.end())));
    Value tuples = k.extent(product(Extents(indices.shape.begin(), indices.shape.end() - 1)));
    Value used = k.select(k.less(k.idx(0), slice), tuples, k.idx(0)); // without an element no index is asked for
    k.loop(k.idx(0), used, k.idx(1), [&](Value tuple) {
      std::function<void(size_t, Value)> nest = [&](size_t i, Value to) {
        if (i < depth)
          return index(k.add(k.mul(tuple, k.idx(depth)), k.idx(i)), x.shape[i],
                       [&](Value at) { nest(i + 1, k.add(to, k.mul(at, k.extent(steps[i])))); });
        k.inVectors(k.idx(0), slice, 1, [&](Value at, int, const PointEmitter &p) {
          combine(p, k.add(k.mul(tuple, slice), at), k.add(to, at));
        });
      };
      nest(0, k.idx(0));
    });
  }

private:
  KernelEmitter &k;
  const std::string &reduction;
  const TensorType &x, &indices;
  const Extents steps;

  /// Element `place` of the indices as a position; one out of range is a fault and changes nothing.
  void index(Value place, const Expr &bound, llvm::function_ref<void(Value)> then) {
    const PointEmitter p = k.point();
    Number extent(p, k.i64(k.extent(bound)));
    Number at = resized({p, loadElements(p, k, k.inputs[1], indices.dtype, place)}, 64, true);
    Number bad = (at < -extent) | (at >= extent);
    p.fault(RunErrorIndex, bad, at, extent);
    Number wrapped = select(at < at.integer(0), at + extent, at);
    k.when(bad, [] {}, [&] { then(k.b.create<arith::IndexCastOp>(k.loc, k.b.getIndexType(), Value(wrapped))); });
  }

  void combine(const PointEmitter &p, Value from, Value to) {
    const DType type = reduction == "none" ? movedAs(x.dtype) : x.dtype;
    Number update(p, loadElements(p, k, k.inputs[2], type, from)), result = update;
    if (reduction != "none") {
      Number old(p, loadElements(p, k, k.outputs[0], type, to));
      const bool least = reduction == "min";
      if (reduction == "add")
        result = {p, p.rounded(old + update, type)};
      else if (reduction == "mul")
        result = {p, p.rounded(old * update, type)};
      else if (update.isFloat())
        result = least ? leastNan(old, update) : greatestNan(old, update);
      else if (isUnsigned(type))
        result = select(least ? belowUnsigned(update, old) : belowUnsigned(old, update), update, old);
      else
        result = select(least ? update < old : old < update, update, old);
    }
    storeElements(p, k, result, k.outputs[0], type, to);
  }
};

} // namespace
} // namespace pliant::codegen

namespace pliant::ops::scatter {

using namespace codegen;

Result<Expr> emit(KernelEmitter &k, OpId op, const Attrs &attrs) {
  if (op == OpId::ScatterElements) {
    const auto &a = std::get<ScatterElementsAttrs>(attrs);
    Scatter scatter(k, a.reduction);
    return scatter.emit([&] { scatter.elements(a.axis); });
  }
  Scatter scatter(k, std::get<ScatterNdAttrs>(attrs).reduction);
  return scatter.emit([&] { scatter.slices(); });
}

} // namespace pliant::ops::scatter
