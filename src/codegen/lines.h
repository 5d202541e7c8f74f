// SPDX-License-Identifier: Apache-2.0
// A tensor seen along one axis: outer x count x inner elements, for kernel ops that walk lines.
#pragma once
#include "codegen/memory.h"

namespace pliant::codegen {

struct Lines {
  static constexpr int64_t block = 64; ///< inner positions of one unit

  Expr outer = 1, inner = 1;
  Expr count;

  Lines(const Extents &shape, int64_t axis) : count(shape[axis]) {
    for (size_t i = 0; i < shape.size(); ++i)
      if (static_cast<int64_t>(i) != axis)
        (static_cast<int64_t>(i) < axis ? outer : inner) = (static_cast<int64_t>(i) < axis ? outer : inner) * shape[i];
  }
  /// The axis is contiguous: every line is a unit. Otherwise lines lie side by side, and a unit is a block of them.
  bool contiguous() const { return inner.isConstant(1); }
  Expr units() const { return contiguous() ? outer : outer * ceilDiv(inner, block); }

  /// Lines side by side: calls body(outer index, first line, vectors of lines, point) over the kernel's units.
  void beside(KernelEmitter &k, int vectors,
              llvm::function_ref<void(Value, Value, int, const PointEmitter &)> body) const {
    Value width = k.extent(inner), blocks = k.extent(ceilDiv(inner, block));
    k.loop(k.begin, k.end, k.idx(1), [&](Value unit) {
      Value row = k.div(unit, blocks), lo = k.mul(k.rem(unit, blocks), k.idx(block));
      Value hi = k.min(k.add(lo, k.idx(block)), width);
      k.inVectors(lo, hi, vectors, [&](Value at, int n, const PointEmitter &p) { body(row, at, n, p); });
    });
  }
};

} // namespace pliant::codegen
