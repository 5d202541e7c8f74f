// SPDX-License-Identifier: Apache-2.0
// ONNX ops that are functions of two elements, their variadic relatives, and Clip.
#include "ops/onnx_util.h"
#include <limits>

namespace pliant::ops::binary {
using namespace onnx_import;
using B = ValueBuilder;

/// One op rounds once: more than two numbers of 16 bits are added, and their mean is taken, in f32.
static Status sum(NodeImport &n, bool mean) {
  Value total = n.in(0);
  if (n.b.failed())
    return n.b.status();
  const DType type = n.b.dtype(total);
  const bool widens = isFloat(type) && byteSize(type) < 4 && n.inputs() > 2;
  auto operand = [&](size_t i) { return widens ? n.b.cast(n.in(i), DType::F32) : n.in(i); };
  total = operand(0);
  for (size_t i = 1; i < n.inputs(); ++i)
    total = n.b.add(total, operand(i));
  if (mean)
    total = n.b.div(total, n.b.scalarLike(total, static_cast<double>(n.inputs())));
  n.out(widens ? n.b.cast(total, type) : total);
  return n.b.status();
}

static Status mod(NodeImport &n) {
  Value lhs = n.in(0), rhs = n.in(1);
  const bool fmod = n.intAttr("fmod", 0) != 0;
  if (!n.b.failed() && !fmod && isFloat(n.b.dtype(lhs)))
    return n.error("operands of element type " + std::string(name(n.b.dtype(lhs))) + " need the attribute fmod=1");
  n.out(fmod ? n.b.fmod(lhs, rhs) : n.b.mod(lhs, rhs));
  return n.b.status();
}

/// The result has the base's type whatever the exponent's type is; an integer base goes through a float exponent's.
static Status pow(NodeImport &n) {
  Value base = n.in(0), exponent = legacyRhs(n);
  if (n.b.failed())
    return n.b.status();
  const DType type = n.b.dtype(base), other = n.b.dtype(exponent);
  if (type == other)
    n.out(n.b.pow(base, exponent));
  else if (isFloat(type) || !isFloat(other))
    n.out(n.b.pow(base, n.b.cast(exponent, type)));
  else
    n.out(n.b.cast(n.b.pow(n.b.cast(base, DType::F64), n.b.cast(exponent, DType::F64)), type));
  return n.b.status();
}

static Status bitShift(NodeImport &n) {
  const std::string direction = n.strAttr("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return n.error("direction \"" + direction + "\" is neither LEFT nor RIGHT");
  Value lhs = n.in(0), rhs = n.in(1);
  n.out(direction == "LEFT" ? n.b.shiftLeft(lhs, rhs) : n.b.shiftRight(lhs, rhs));
  return n.b.status();
}

/// NaN stays NaN, as in NumPy. Bounds that are not given do not bound.
/// A bound that is not given is the largest number, so infinities become it. (Integers have no others.)
static Status clip(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  const DType dtype = n.b.dtype(x);
  const double largest = dtype == DType::F64    ? std::numeric_limits<double>::max()
                         : dtype == DType::F16  ? 65504
                         : dtype == DType::BF16 ? 0x1.fep127
                                                : static_cast<double>(std::numeric_limits<float>::max());
  for (size_t i : {1, 2}) {
    const char *attr = i == 1 ? "min" : "max";
    Value bound;
    if (n.has(i))
      bound = asScalar(n, n.in(i));
    else if (n.opset < 11 && n.hasAttr(attr))
      bound = n.b.scalarLike(x, n.floatAttr(attr, 0));
    else if (isFloat(dtype))
      bound = n.b.scalarLike(x, i == 1 ? -largest : largest);
    else
      continue;
    x = i == 1 ? n.b.max(x, bound) : n.b.min(x, bound);
  }
  n.out(x);
  return n.b.status();
}

/// -x - 1 in two's complement.
static Status bitwiseNot(NodeImport &n) {
  Value x = n.in(0);
  n.out(n.b.sub(n.b.neg(x), n.b.scalarLike(x, 1)));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"Add", 1, binaryRow<&B::add>},
      {"Sub", 1, binaryRow<&B::sub>},
      {"Mul", 1, binaryRow<&B::mul>},
      {"Div", 1, binaryRow<&B::div>},
      {"Mod", 10, mod},
      {"Pow", 1, pow},
      {"Min", 1, foldRow<&B::min>},
      {"Max", 1, foldRow<&B::max>},
      {"Sum", 1, [](NodeImport &n) { return sum(n, false); }},
      {"Mean", 1, [](NodeImport &n) { return sum(n, true); }},
      {"And", 1, binaryRow<&B::logicalAnd>},
      {"Or", 1, binaryRow<&B::logicalOr>},
      {"Xor", 1, binaryRow<&B::logicalXor>},
      {"BitwiseAnd", 18, binaryRow<&B::bitAnd>},
      {"BitwiseOr", 18, binaryRow<&B::bitOr>},
      {"BitwiseNot", 18, bitwiseNot},
      {"BitwiseXor", 18, binaryRow<&B::bitXor>},
      {"BitShift", 11, bitShift},
      {"Clip", 1, clip},
  };
  return rows;
}

} // namespace pliant::ops::binary
