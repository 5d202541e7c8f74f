// SPDX-License-Identifier: Apache-2.0
// MatMul, Gemm and Einsum (einsum.onnx.cpp).
#include "onnx/node.h"

namespace pliant::ops::matmul {
using namespace onnx_import;

Status importEinsum(NodeImport &n);

/// x with an axis of extent 1 added at, or taken away from, the position.
static Value addAxis(ValueBuilder &b, Value x, size_t at) {
  Extents shape = b.shape(x);
  shape.insert(shape.begin() + static_cast<int64_t>(at), Expr(1));
  return b.reshape(x, std::move(shape));
}
static Value dropAxis(ValueBuilder &b, Value x, size_t fromEnd) {
  if (b.failed())
    return {};
  Extents shape = b.shape(x);
  shape.erase(shape.end() - 1 - static_cast<int64_t>(fromEnd));
  return b.reshape(x, std::move(shape));
}

static Status importMatMul(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value lhs = n.in(0), rhs = n.in(1);
  if (b.failed())
    return b.status();
  const bool row = b.rank(lhs) == 1, column = b.rank(rhs) == 1;
  if (b.rank(lhs) == 0 || b.rank(rhs) == 0)
    return n.error("an operand is a scalar", "use Mul");
  if (row)
    lhs = addAxis(b, lhs, 0);
  if (column)
    rhs = addAxis(b, rhs, 1);
  Value y = b.matmul(lhs, rhs);
  if (row)
    y = dropAxis(b, y, 1);
  if (column)
    y = dropAxis(b, y, 0);
  n.out(y);
  return b.status();
}

static Status importGemm(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value lhs = n.in(0), rhs = n.in(1);
  if (b.failed())
    return b.status();
  if (b.rank(lhs) != 2 || b.rank(rhs) != 2)
    return n.error("A has shape " + str(b.shape(lhs)) + " and B has shape " + str(b.shape(rhs)) +
                   " but both must be matrices");
  if (n.intAttr("transA", 0))
    lhs = b.transpose(lhs, {1, 0});
  if (n.intAttr("transB", 0))
    rhs = b.transpose(rhs, {1, 0});
  Value y = b.matmul(lhs, rhs);
  const double alpha = n.floatAttr("alpha", 1), beta = n.floatAttr("beta", 1);
  if (alpha != 1)
    y = b.mul(y, b.scalarLike(y, alpha));
  if (n.has(2) && beta != 0) {
    Value c = n.in(2);
    y = b.add(y, beta == 1 ? c : b.mul(c, b.scalarLike(c, beta)));
  }
  if (!b.failed() && b.rank(y) != 2)
    return n.error("C has shape " + str(b.shape(n.in(2))) + " but must broadcast to a matrix");
  n.out(y);
  return b.status();
}

std::span<const Row> onnxRows() {
  // Before opset 7 Gemm says with an attribute whether C broadcasts; NumPy's rule covers both.
  static const Row rows[] = {{"MatMul", 1, importMatMul}, {"Gemm", 1, importGemm}, {"Einsum", 12, importEinsum}};
  return rows;
}

} // namespace pliant::ops::matmul
