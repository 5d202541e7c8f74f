// SPDX-License-Identifier: Apache-2.0
// Running sums: lines side by side in vectors, or one line after the other. Floats are summed in f64 and rounded once.
#include "codegen/lines.h"
#include "codegen/number.h"

namespace pliant::ops::cumsum {

using namespace codegen;

static Number wide(Number x) { return x.isFloat() && !x.isF64() ? widened(x) : x; }

Result<Expr> emit(KernelEmitter &k, OpId, const Attrs &attrs) {
  const auto &a = std::get<CumsumAttrs>(attrs);
  const DType type = k.node->type.dtype;
  const Lines lines(k.node->type.shape, a.axis);
  auto stored = [&](const PointEmitter &p, Number sum) -> Number {
    if (type == DType::F32)
      return narrowed(sum);
    return {p, p.rounded(sum, type)};
  };
  mlir::Value count = k.extent(lines.count), step = k.extent(lines.inner);
  auto sums = [&](const PointEmitter &p, mlir::Value first) { // of the lines that start at `first`
    mlir::Value zero = wide(Number(p, p.constant(type, 0)));
    k.loop(k.idx(0), count, k.idx(1), mlir::ValueRange(zero), [&](mlir::Value i, mlir::ValueRange state) {
      mlir::Value place = a.reverse ? k.sub(k.sub(count, k.idx(1)), i) : i;
      mlir::Value at = k.add(first, k.mul(place, step));
      Number sum(p, state[0]), next = sum + wide(Number(p, loadElements(p, k, k.inputs[0], type, at)));
      storeElements(p, k, stored(p, a.exclusive ? sum : next), k.outputs[0], type, at);
      return Values{mlir::Value(next)};
    });
  };
  if (lines.contiguous())
    k.loop(k.begin, k.end, k.idx(1), [&](mlir::Value line) { sums(k.point(), k.mul(line, count)); });
  else
    lines.beside(k, 1, [&](mlir::Value row, mlir::Value at, int, const PointEmitter &p) {
      sums(p, k.add(k.mul(k.mul(row, count), step), at));
    });
  return lines.units();
}

} // namespace pliant::ops::cumsum
