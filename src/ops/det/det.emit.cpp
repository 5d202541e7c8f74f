// SPDX-License-Identifier: Apache-2.0
// Elimination with row pivots on a copy in f64. The copy is scratch, so all matrices are one unit.
#include "codegen/memory.h"
#include "codegen/number.h"

using namespace mlir;

namespace pliant::codegen {
namespace {

class Determinant {
public:
  explicit Determinant(KernelEmitter &k) : k(k), p(k.point()), type(k.node->type.dtype) {}

  Expr emit() {
    const Expr &size = k.operandTypes[0].shape.back();
    k.scratchBytes = size * size * 8;
    n = k.extent(size);
    Value area = k.mul(n, n);
    k.loop(k.begin, k.end, k.idx(1), [&](Value) {
      k.loop(k.idx(0), k.extent(product(k.node->type.shape)), k.idx(1), [&](Value matrix) {
        Value from = k.mul(matrix, area);
        k.loop(k.idx(0), area, k.idx(1), [&](Value i) {
          Number x(p, loadElements(p, k, k.inputs[0], type, k.add(from, i)));
          put(i, x.isF64() ? x : widened(x));
        });
        Number result(p, k.loop(k.idx(0), n, k.idx(1), ValueRange(p.constant(DType::F64, 1)),
                                [&](Value i, ValueRange before) { return Values{eliminate(i, {p, before[0]})}; })[0]);
        Number stored = type == DType::F32 ? narrowed(result) : Number(p, p.rounded(result, type));
        storeElements(p, k, stored, k.outputs[0], type, matrix);
      });
    });
    return 1;
  }

private:
  KernelEmitter &k;
  const PointEmitter p;
  const DType type;
  Value n;

  Value at(Value row, Value column) { return k.add(k.mul(row, n), column); }
  Number get(Value i) { return {p, loadElements(p, k, k.scratch, DType::F64, i)}; }
  void put(Value i, Number v) { storeElements(p, k, v, k.scratch, DType::F64, i); }

  /// Column i below the diagonal becomes 0; the product of the diagonal so far, with the sign of the exchanges.
  Value eliminate(Value i, Number before) {
    Value one = k.idx(1), next = k.add(i, one);
    Value pivot = k.loop(next, n, one, ValueRange(i), [&](Value row, ValueRange best) {
      return Values{k.select(abs(get(at(row, i))) > abs(get(at(best[0], i))), row, best[0])};
    })[0];
    Value same = k.equal(pivot, i);
    k.when(
        same, [] {},
        [&] {
          k.loop(i, n, one, [&](Value column) {
            Number upper = get(at(i, column)), lower = get(at(pivot, column));
            put(at(i, column), lower);
            put(at(pivot, column), upper);
          });
        });
    Number head = get(at(i, i));
    Number result = before * select({p, same}, head, -head);
    // A head of 0 leaves a result of 0; what would follow divides by it.
    k.when(head != 0.0, [&] {
      k.loop(next, n, one, [&](Value row) {
        Number factor = get(at(row, i)) / head;
        k.loop(i, n, one,
               [&](Value column) { put(at(row, column), get(at(row, column)) - factor * get(at(i, column))); });
      });
    });
    return result;
  }
};

} // namespace
} // namespace pliant::codegen

namespace pliant::ops::det {

using namespace codegen;

Result<Expr> emit(KernelEmitter &k, OpId, const Attrs &) { return Determinant(k).emit(); }

} // namespace pliant::ops::det
