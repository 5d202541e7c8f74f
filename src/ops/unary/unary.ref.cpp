// SPDX-License-Identifier: Apache-2.0
// References of functions of one element. Transcendental functions of f32 are computed in f64 and rounded once, so that
// the oracle itself is within half an ulp or very near it.
#include "ops/dispatch.h"
#include "ops/op.h"
#include <cmath>

namespace pliant::ops::unary {

static double wide(OpId op, double x) {
  switch (op) {
  case OpId::Exp:
    return std::exp(x);
  case OpId::Log:
    return std::log(x);
  case OpId::Sqrt:
    return std::sqrt(x);
  case OpId::Reciprocal:
    return 1 / x;
  case OpId::Floor:
    return std::floor(x);
  case OpId::Ceil:
    return std::ceil(x);
  case OpId::Round:
    return std::nearbyint(x); // halves to even in the default rounding mode
  case OpId::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case OpId::Tanh:
    return std::tanh(x);
  case OpId::Erf:
    return std::erf(x);
  case OpId::Sin:
    return std::sin(x);
  case OpId::Cos:
    return std::cos(x);
  case OpId::Tan:
    return std::tan(x);
  case OpId::Asin:
    return std::asin(x);
  case OpId::Acos:
    return std::acos(x);
  case OpId::Atan:
    return std::atan(x);
  case OpId::Sinh:
    return std::sinh(x);
  case OpId::Cosh:
    return std::cosh(x);
  case OpId::Asinh:
    return std::asinh(x);
  case OpId::Acosh:
    return std::acosh(x);
  default:
    return std::atanh(x);
  }
}

/// abs, neg, relu and sign of any number.
template <class C> C simple(OpId op, C x) {
  const C zero = 0;
  switch (op) {
  case OpId::Abs:
    if constexpr (std::is_floating_point_v<C>)
      return std::fabs(x);
    else
      return x < zero ? static_cast<C>(zero - static_cast<std::make_unsigned_t<C>>(x)) : x;
  case OpId::Neg:
    if constexpr (std::is_floating_point_v<C>)
      return -x;
    else
      return static_cast<C>(std::make_unsigned_t<C>(0) - static_cast<std::make_unsigned_t<C>>(x));
  case OpId::Relu:
    return x > zero || x != x ? x : zero;
  default: // sign; NaN and zeros stay
    return x > zero ? C(1) : x < zero ? static_cast<C>(-1) : x;
  }
}

static Status predicate(RefContext &c) {
  bool *out = c.outputs[0].as<bool>();
  const bool negative = c.op != OpId::IsInf || c.as<IsInfAttrs>().negative;
  const bool positive = c.op != OpId::IsInf || c.as<IsInfAttrs>().positive;
  dispatch(c.inputs[0].dtype(), [&]<class T>(Type<T>) {
    const T *x = c.inputs[0].as<T>();
    for (int64_t i = 0; i < c.inputs[0].size(); ++i) {
      const auto v = static_cast<double>(static_cast<ComputeOf<T>>(x[i]));
      out[i] = c.op == OpId::IsNan ? std::isnan(v) : std::isinf(v) && (v > 0 ? positive : negative);
    }
  });
  return ok();
}

Status ref(RefContext &c) {
  if (c.op == OpId::IsNan || c.op == OpId::IsInf)
    return predicate(c);
  dispatch(c.inputs[0].dtype(), [&]<class T>(Type<T>) {
    using C = ComputeOf<T>;
    const T *x = c.inputs[0].as<T>();
    T *out = c.outputs[0].as<T>();
    for (int64_t i = 0; i < c.inputs[0].size(); ++i)
      if constexpr (std::is_same_v<T, bool>)
        out[i] = !x[i];
      else if (c.op == OpId::Abs || c.op == OpId::Neg || c.op == OpId::Relu || c.op == OpId::Sign)
        out[i] = static_cast<T>(simple<C>(c.op, x[i]));
      else
        out[i] = static_cast<T>(static_cast<C>(wide(c.op, static_cast<double>(static_cast<C>(x[i])))));
  });
  return ok();
}

} // namespace pliant::ops::unary
