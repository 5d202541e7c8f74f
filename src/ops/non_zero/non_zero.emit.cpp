// SPDX-License-Identifier: Apache-2.0
// One walk in row-major order, which keeps the number of elements found so far: all is one unit.
#include "codegen/memory.h"
#include "codegen/number.h"

namespace pliant::ops::non_zero {

using namespace codegen;

Result<Expr> emit(KernelEmitter &k, OpId, const Attrs &attrs) {
  const TensorType &x = k.operandTypes[0];
  const PointEmitter p = k.point();
  mlir::Value count = k.extent(std::get<NonZeroAttrs>(attrs).count[0]);
  Values index;
  // The flat position of the rows before, and what was found: from one axis to the next, innermost last.
  std::function<Values(size_t, mlir::Value, mlir::Value)> nest = [&](size_t axis, mlir::Value flat, mlir::Value found) {
    if (axis < x.shape.size()) {
      mlir::Value extent = k.extent(x.shape[axis]), row = k.mul(flat, extent);
      return k.loop(k.idx(0), extent, k.idx(1), mlir::ValueRange(found), [&](mlir::Value i, mlir::ValueRange before) {
        index.push_back(i);
        Values after = nest(axis + 1, k.add(row, i), before[0]);
        index.pop_back();
        return after;
      });
    }
    Number element(p, loadElements(p, k, k.inputs[0], x.dtype, flat));
    mlir::Value counts = x.dtype == DType::Bool ? mlir::Value(element) : mlir::Value(element != element.constant(0));
    k.when(k.both(counts, k.less(found, count)), [&] {
      for (size_t i = 0; i < index.size(); ++i)
        k.storeIndex(index[i], k.outputs[0], k.add(k.mul(k.idx(static_cast<int64_t>(i)), count), found));
    });
    return Values{k.select(counts, k.add(found, k.idx(1)), found)};
  };
  k.loop(k.begin, k.end, k.idx(1), [&](mlir::Value) {
    mlir::Value found = nest(0, k.idx(0), k.idx(0))[0];
    mlir::Value wrong = k.b.create<mlir::arith::CmpIOp>(k.loc, mlir::arith::CmpIPredicate::ne, found, count);
    p.fault(RunErrorExtent, wrong, found, count);
  });
  return Expr(1);
}

} // namespace pliant::ops::non_zero
