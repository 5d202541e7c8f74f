// SPDX-License-Identifier: Apache-2.0
// ONNX ops that are functions of one element.
#include "ops/onnx_util.h"

namespace pliant::ops::unary {
using namespace onnx_import;
using B = ValueBuilder;

static Status isInf(NodeImport &n) {
  n.out(n.b.isInf(n.in(0), n.intAttr("detect_negative", 1) != 0, n.intAttr("detect_positive", 1) != 0));
  return n.b.status();
}

/// Of integers the value in f64, towards zero: -1 and 1 where it rounds to them, else 0.
static Status erf(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed() || isFloat(n.b.dtype(x)))
    n.out(n.b.erf(x));
  else
    n.out(n.b.cast(n.b.erf(n.b.cast(x, DType::F64)), n.b.dtype(x)));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"Abs", 1, unaryRow<&B::abs>},     {"Neg", 1, unaryRow<&B::neg>},
      {"Relu", 1, unaryRow<&B::relu>},   {"Exp", 1, unaryRow<&B::exp>},
      {"Log", 1, unaryRow<&B::log>},     {"Sqrt", 1, unaryRow<&B::sqrt>},
      {"Floor", 1, unaryRow<&B::floor>}, {"Reciprocal", 1, unaryRow<&B::reciprocal>},
      {"Ceil", 1, unaryRow<&B::ceil>},   {"Round", 11, unaryRow<&B::round>},
      {"Sign", 9, unaryRow<&B::sign>},   {"Sigmoid", 1, unaryRow<&B::sigmoid>},
      {"Tanh", 1, unaryRow<&B::tanh>},   {"Erf", 9, erf},
      {"Sin", 7, unaryRow<&B::sin>},     {"Cos", 7, unaryRow<&B::cos>},
      {"Tan", 7, unaryRow<&B::tan>},     {"Asin", 7, unaryRow<&B::asin>},
      {"Acos", 7, unaryRow<&B::acos>},   {"Atan", 7, unaryRow<&B::atan>},
      {"Sinh", 9, unaryRow<&B::sinh>},   {"Cosh", 9, unaryRow<&B::cosh>},
      {"Asinh", 9, unaryRow<&B::asinh>}, {"Acosh", 9, unaryRow<&B::acosh>},
      {"Atanh", 9, unaryRow<&B::atanh>}, {"Not", 1, unaryRow<&B::logicalNot>},
      {"IsNaN", 9, unaryRow<&B::isNan>}, {"IsInf", 10, isInf},
  };
  return rows;
}

} // namespace pliant::ops::unary
