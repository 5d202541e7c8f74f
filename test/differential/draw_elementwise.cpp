// SPDX-License-Identifier: Apache-2.0
// Drawers of element-wise ops: functions, arithmetic, comparisons, activations, conversions.
#include "drawing.h"
#include <cmath>

namespace pliant::differential {
namespace {

Data range(double low, double high, Data::Kind kind = Data::Kind::Real) { return {kind, low, high, {}}; }

template <Types types> bool same(Drawing &d, const char *op) {
  Value x = d.value(types);
  return d.move(Node(op, {x}), {x});
}
/// What may be rounded, compared or cut: exact values, special ones among them.
Value exact(Drawing &d, Types types) {
  if ((types & F32) && d.chance(12))
    return d.input(d.type(types & (F32 | F64)), d.extents(d.below(4)), range(-3, 3, Data::Kind::Special));
  return d.value(types, 0, 4, true);
}
template <Types types> bool jump(Drawing &d, const char *op) {
  Value x = exact(d, types);
  return d.move(Node(op, {x}), {x});
}
template <Types types> bool smooth(Drawing &d, const char *op) { return d.emit(Node(op, {d.value(types)}), rounded()); }
/// Of an input in a range: where the function has a value and is not steep.
template <int low, int high> bool within(Drawing &d, const char *op) {
  const DType dtype = d.type(F32 | F64);
  return d.emit(Node(op, {d.input(dtype, d.extents(d.below(4)), range(low, high))}), rounded());
}
bool halfTypes(Drawing &d, const char *op) {
  Value x = exact(d, F32 | F64 | F16);
  return d.move(Node(op, {x}), {x});
}
bool isSpecial(Drawing &d, const char *op) {
  Value x = d.input(d.type(F32 | F64 | F16), d.extents(d.below(4)), range(-3, 3, Data::Kind::Special));
  Node node(op, {x});
  if (std::string(op) == "IsInf" && d.chance(2))
    node.set(d.chance(2) ? "detect_positive" : "detect_negative", d.between(0, 1));
  return d.emit(std::move(node), {});
}

enum class Growth : uint8_t { Sum, Product, Largest, Rounded };
template <Types types, Growth growth> bool arithmetic(Drawing &d, const char *op) {
  Value x = d.value(types), y = d.broadcastable(x);
  if (d.chance(2))
    std::swap(x, y);
  Results results{x.exact && y.exact && growth != Growth::Rounded, 0};
  results.bound = growth == Growth::Sum       ? x.bound + y.bound
                  : growth == Growth::Product ? x.bound * y.bound
                                              : std::max(x.bound, y.bound);
  return d.emit(Node(op, {x, y}), results);
}
bool divide(Drawing &d, const char *op) {
  Value x = d.value(NUMBERS);
  Data divisor{Data::Kind::Integers, d.chance(20) ? -2.0 : 1.0, 4, {}}; // now and then by zero
  return d.emit(Node(op, {x, d.broadcastable(x, divisor)}), isFloat(x.type.dtype) ? rounded() : Results{true, x.bound});
}
bool modulus(Drawing &d, const char *op) {
  const bool fmod = d.chance(2);
  Value x = d.value(fmod ? F32 | F64 | SIGNED | UNSIGNED : SIGNED | UNSIGNED, 0, 4, true);
  Data divisor{Data::Kind::Integers, 1, 4, {}};
  Value y = d.broadcastable(x, divisor);
  if (isSigned(x.type.dtype) && d.chance(3))
    return d.emit(Node(op, {x, d.constant(x.type.dtype, {}, {Data::Kind::Integers, -4, -1, {}})})
                      .set("fmod", static_cast<int64_t>(fmod)),
                  {});
  return d.emit(Node(op, {x, y}).set("fmod", static_cast<int64_t>(fmod)), {x.exact && y.exact, 4});
}
bool power(Drawing &d, const char *op) {
  const DType dtype = d.type(F32 | F64 | I32 | I64);
  const bool whole = isInteger(dtype) || d.chance(2);
  Value x = d.input(dtype, d.extents(d.below(4)), whole ? Data{} : range(0.5, 4));
  const DType exponent = d.chance(4) ? d.type(F32 | F64 | I32 | I64) : dtype;
  Value y = whole ? d.constant(exponent, {}, {Data::Kind::Integers, 0, 3, {}})
                  : d.operand(exponent, x.type.shape, isFloat(exponent) ? range(-2, 2) : Data{});
  return d.emit(Node(op, {x, y}), {whole && isInteger(exponent), 27});
}
bool variadic(Drawing &d, const char *op) {
  const bool extreme = std::string(op) == "Min" || std::string(op) == "Max";
  Value x = d.value(extreme ? NUMBERS : FLOATS);
  Node node(op, {x});
  Results results{x.exact && std::string(op) != "Mean", x.bound};
  for (int more = d.below(4); more > 0; --more) {
    Value y = d.broadcastable(x);
    node.in(y);
    results.exact &= y.exact;
    results.bound = extreme ? std::max(results.bound, y.bound) : results.bound + y.bound;
  }
  return d.emit(std::move(node), results);
}
bool shift(Drawing &d, const char *op) {
  Value x = d.value(UNSIGNED);
  Value y = d.broadcastable(x, {Data::Kind::Integers, 0, 9, {}});
  return d.emit(Node(op, {x, y}).set("direction", d.chance(2) ? "LEFT" : "RIGHT"), {});
}
bool clip(Drawing &d, const char *op) {
  Value x = d.value(d.opset < 11 ? F32 : NUMBERS);
  const double low = d.chance(2) ? 0 : isSigned(x.type.dtype) || isFloat(x.type.dtype) ? -2 : 1;
  auto scalar = [&](double v) { return d.constant(x.type.dtype, {}, {Data::Kind::Integers, v, v, {}}); };
  Node node(op, {x});
  if (d.opset < 11) {
    if (d.below(5))
      node.set("min", low);
    if (d.below(5))
      node.set("max", low + d.below(4));
    return d.move(std::move(node), {x});
  }
  node.in(d.chance(5) ? Drawing::none() : scalar(low));
  if (d.below(5))
    node.in(scalar(low + static_cast<double>(d.below(4)) - (d.chance(20) ? 3 : 0)));
  return d.move(std::move(node), {x});
}
template <Types types> bool compare(Drawing &d, const char *op) {
  Value x = exact(d, types);
  return d.emit(Node(op, {x, d.broadcastable(x)}), {});
}
bool where(Drawing &d, const char *op) {
  Value x = d.value(ANY), y = d.broadcastable(x);
  Value shape{"", {DType::Bool, x.type.shape}};
  return d.move(Node(op, {d.broadcastable(shape), x, y}), {x, y});
}

Results castResults(const Value &x, DType to) {
  return {x.exact, isFloat(x.type.dtype) ? x.bound : std::max(x.bound, 128.0), 1, to != DType::F16 || x.exact};
}
bool cast(Drawing &d, const char *op) {
  Value x = d.value(ALL, 0, 4, d.below(8) != 0);
  const DType to = d.type(ANY);
  if (!x.exact && !isFloat(to) && to != DType::String)
    return false;
  return d.emit(Node(op, {x}).set("to", static_cast<int64_t>(onnxType(to))), castResults(x, to));
}
bool castLike(Drawing &d, const char *op) {
  Value x = d.value(ALL, 0, 4, true);
  const DType to = d.type(ALL);
  return d.emit(Node(op, {x, d.input(to, d.extents(d.below(3)))}), castResults(x, to));
}

bool parametric(Drawing &d, const char *op) {
  const std::string name = op;
  const bool jumps = name == "ThresholdedRelu" || name == "Shrink";
  Value x = d.value(name == "Celu" || name == "HardSwish" ? F32 : F32 | F64 | F16, 0, 4, jumps);
  Node node(op, {x});
  auto maybe = [&](const char *attribute, std::vector<double> of) {
    if (d.below(3))
      node.set(attribute, d.one(of));
  };
  if (name == "Elu" || name == "Celu" || name == "LeakyRelu" || name == "Selu" || name == "HardSigmoid" ||
      name == "ThresholdedRelu")
    maybe("alpha", {0.01, 0.5, 1, 1.5, 2});
  if (name == "HardSigmoid")
    maybe("beta", {0, 0.25, 0.5});
  if (name == "Selu")
    maybe("gamma", {0.5, 1.05, 2});
  if (name == "Shrink") {
    maybe("bias", {0, 0.5, 1});
    maybe("lambd", {0.5, 1, 1.5});
  }
  if (name == "Gelu" && d.chance(2))
    node.set("approximate", d.chance(2) ? "tanh" : "none");
  return d.emit(std::move(node), rounded());
}
bool prelu(Drawing &d, const char *op) {
  Value x = d.value(F32 | F64 | F16 | I32 | I64);
  Extents slope = x.type.shape;
  for (Expr &e : slope)
    if (d.chance(2) || !d.known({e}))
      e = 1;
  Value s = d.operand(x.type.dtype, slope);
  return d.emit(Node(op, {x, s}), {x.exact && s.exact, x.bound * s.bound});
}

const Drawer drawers[] = {
    {"Abs", same<NUMBERS>},
    {"Neg", same<FLOATS | SIGNED>},
    {"Relu", same<FLOATS | SIGNED>},
    {"Identity", same<ANY>},
    {"Floor", halfTypes},
    {"Ceil", halfTypes},
    {"Round", halfTypes},
    {"Sign", jump<NUMBERS>},
    {"Not", same<BOOL>},
    {"BitwiseNot", same<SIGNED | UNSIGNED>},
    {"IsNaN", isSpecial},
    {"IsInf", isSpecial},
    {"Exp", smooth<F32 | F64 | F16>},
    {"Log", within<1, 20>},
    {"Sqrt", within<0, 20>},
    {"Reciprocal", within<1, 9>},
    {"Sigmoid", smooth<F32 | F64 | F16>},
    {"Tanh", smooth<F32 | F64 | F16>},
    {"Erf", smooth<F32>},
    {"Sin", smooth<F32 | F64>},
    {"Cos", smooth<F32 | F64>},
    {"Tan", within<-1, 1>},
    {"Asin", within<-1, 1>},
    {"Acos", within<-1, 1>},
    {"Atan", smooth<F32>},
    {"Sinh", smooth<F32>},
    {"Cosh", smooth<F32>},
    {"Asinh", smooth<F32>},
    {"Acosh", within<1, 9>},
    {"Atanh", within<-1, 1>},
    {"Add", arithmetic<NUMBERS, Growth::Sum>, 3},
    {"Sub", arithmetic<NUMBERS, Growth::Sum>, 2},
    {"Mul", arithmetic<NUMBERS, Growth::Product>, 3},
    {"Div", divide, 2},
    {"Mod", modulus},
    {"Pow", power},
    {"Min", variadic},
    {"Max", variadic},
    {"Sum", variadic},
    {"Mean", variadic},
    {"And", arithmetic<BOOL, Growth::Largest>},
    {"Or", arithmetic<BOOL, Growth::Largest>},
    {"Xor", arithmetic<BOOL, Growth::Largest>},
    {"BitwiseAnd", arithmetic<SIGNED | UNSIGNED, Growth::Largest>},
    {"BitwiseOr", arithmetic<SIGNED | UNSIGNED, Growth::Largest>},
    {"BitwiseXor", arithmetic<SIGNED | UNSIGNED, Growth::Largest>},
    {"BitShift", shift},
    {"Clip", clip, 2},
    {"Equal", compare<ANY>},
    {"Less", compare<NUMBERS>},
    {"LessOrEqual", compare<NUMBERS>},
    {"Greater", compare<NUMBERS>},
    {"GreaterOrEqual", compare<NUMBERS>},
    {"Where", where, 2},
    {"Cast", cast, 3},
    {"CastLike", castLike},
    {"Elu", parametric},
    {"HardSigmoid", parametric},
    {"HardSwish", parametric},
    {"Selu", parametric},
    {"Celu", parametric},
    {"LeakyRelu", parametric},
    {"ThresholdedRelu", parametric},
    {"Softplus", parametric},
    {"Softsign", parametric},
    {"Mish", parametric},
    {"Gelu", parametric},
    {"Shrink", parametric},
    {"PRelu", prelu},
};

} // namespace

std::span<const Drawer> elementwise() { return drawers; }

} // namespace pliant::differential
