// SPDX-License-Identifier: Apache-2.0
// Folds: neutral elements, and how two partial results become one. NaN wins maximum and minimum wherever it stands.
#include "codegen/number.h"
#include <limits>

namespace pliant::ops::reduce {
using namespace codegen;

/// The least or the largest value of a type; infinite for floats.
static mlir::Value extreme(const PointEmitter &e, DType type, bool largest) {
  if (isFloat(type))
    return e.constant(type,
                      largest ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
  if (!isSigned(type)) // bool too
    return e.integer(type, largest ? -1 : 0);
  const auto least = static_cast<int64_t>(~uint64_t(0) << (byteSize(type) * 8 - 1));
  return e.integer(type, largest ? ~least : least);
}

static mlir::Value further(const PointEmitter &e, DType type, bool largest, mlir::Value a, mlir::Value b) {
  if (isFloat(type))
    return largest ? greatestNan({e, a}, {e, b}) : leastNan({e, a}, {e, b});
  if (!isSigned(type))
    return largest ? mlir::Value(e.b.create<mlir::arith::MaxUIOp>(e.loc, a, b))
                   : mlir::Value(e.b.create<mlir::arith::MinUIOp>(e.loc, a, b));
  return largest ? mlir::Value(e.b.create<mlir::arith::MaxSIOp>(e.loc, a, b))
                 : mlir::Value(e.b.create<mlir::arith::MinSIOp>(e.loc, a, b));
}

Combiner emit(PointEmitter &frame, OpId op, const Attrs &) {
  const DType type = frame.out;
  switch (op) {
  case OpId::ReduceSum:
    return {
        [type](const PointEmitter &e) { return e.constant(type, 0); },
        [](const PointEmitter &e, mlir::Value a, mlir::Value b) -> mlir::Value { return Number(e, a) + Number(e, b); }};
  case OpId::ReduceProd:
    return {
        [type](const PointEmitter &e) { return e.constant(type, 1); },
        [](const PointEmitter &e, mlir::Value a, mlir::Value b) -> mlir::Value { return Number(e, a) * Number(e, b); }};
  default: {
    const bool largest = op == OpId::ReduceMax;
    return {[=](const PointEmitter &e) { return extreme(e, type, !largest); },
            [=](const PointEmitter &e, mlir::Value a, mlir::Value b) { return further(e, type, largest, a, b); }};
  }
  }
}

} // namespace pliant::ops::reduce
