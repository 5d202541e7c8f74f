// SPDX-License-Identifier: Apache-2.0
// References of functions of two elements. Integers wrap; integer division by zero is an error that names the element.
#include "ops/dispatch.h"
#include "ops/op.h"
#include "ops/walk.h"
#include <cmath>

namespace pliant::ops::binary {

/// Of equal elements the first one counts, which decides between -0 and 0; NaN wins.
template <class C> C extreme(bool larger, C a, C b) { return a != a || (larger ? a >= b : a <= b) ? a : b; }

template <class C> C real(OpId op, C a, C b) {
  switch (op) {
  case OpId::Add:
    return a + b;
  case OpId::Sub:
    return a - b;
  case OpId::Mul:
    return a * b;
  case OpId::Div:
    return a / b;
  case OpId::Fmod:
    return std::fmod(a, b);
  case OpId::Pow:
    return static_cast<C>(std::pow(static_cast<double>(a), static_cast<double>(b)));
  default:
    return extreme(op == OpId::Max, a, b);
  }
}

/// Powers by squaring, wrapping. A negative exponent gives 1/x truncated; of 0 it is a division by zero.
template <class T, class U> T power(T base, T exponent, bool &byZero) {
  if (exponent < 0) {
    byZero = base == 0;
    const bool odd = exponent & 1;
    return base == 1 || (base == static_cast<T>(-1) && !odd) ? T(1) : base == static_cast<T>(-1) ? base : T(0);
  }
  U result = 1, square = static_cast<U>(base);
  for (auto left = static_cast<U>(exponent); left != 0; left = static_cast<U>(left >> 1), square = square * square)
    if (left & 1)
      result = result * square;
  return static_cast<T>(result);
}

template <class T> T quotient(OpId op, T a, T b, bool &byZero) {
  byZero = b == 0;
  if (byZero)
    return 0;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) // smallest / -1 wraps and never traps
    return op == OpId::Div ? static_cast<T>(uint64_t(0) - static_cast<uint64_t>(a)) : T(0);
  T rest = static_cast<T>(a % b);
  if (op == OpId::Mod && rest != 0 && (rest < 0) != (b < 0))
    rest = static_cast<T>(rest + b);
  return op == OpId::Div ? static_cast<T>(a / b) : rest;
}

template <class T> T whole(OpId op, T a, T b, bool &byZero) {
  using U = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>; // no promotion to int on the way
  const U x = static_cast<U>(a), y = static_cast<U>(b);
  constexpr U bits = sizeof(T) * 8;
  switch (op) {
  case OpId::Add:
    return static_cast<T>(x + y);
  case OpId::Sub:
    return static_cast<T>(x - y);
  case OpId::Mul:
    return static_cast<T>(x * y);
  case OpId::Div:
  case OpId::Mod:
  case OpId::Fmod:
    return quotient(op, a, b, byZero);
  case OpId::Pow:
    return power<T, U>(a, b, byZero);
  case OpId::BitAnd:
    return static_cast<T>(x & y);
  case OpId::BitOr:
    return static_cast<T>(x | y);
  case OpId::BitXor:
    return static_cast<T>(x ^ y);
  case OpId::ShiftLeft:
    return y < bits ? static_cast<T>(x << y) : T(0);
  case OpId::ShiftRight:
    return y < bits ? static_cast<T>(x >> y) : T(0);
  default:
    return extreme(op == OpId::Max, a, b);
  }
}

static bool logical(OpId op, bool a, bool b) {
  return op == OpId::LogicalAnd ? a && b : op == OpId::LogicalOr ? a || b : a != b;
}

Status ref(RefContext &c) {
  const DenseTensor &lhs = c.inputs[0], &rhs = c.inputs[1], &result = c.outputs[0];
  const std::array strides{broadcastStrides(lhs.dims(), result.dims()), broadcastStrides(rhs.dims(), result.dims())};
  int64_t zeroAt = -1;
  std::string dividend;
  dispatch(lhs.dtype(), [&]<class T>(Type<T>) {
    walk<2>(result.dims(), strides, {}, [&](int64_t i, const std::array<int64_t, 2> &at) {
      const T a = lhs.as<T>()[at[0]], b = rhs.as<T>()[at[1]];
      bool byZero = false;
      if constexpr (std::is_same_v<T, bool>)
        result.as<T>()[i] = logical(c.op, a, b);
      else if constexpr (isFloatStorage<T>)
        result.as<T>()[i] = static_cast<T>(real<ComputeOf<T>>(c.op, a, b));
      else
        result.as<T>()[i] = whole(c.op, a, b, byZero);
      if (byZero && zeroAt < 0) {
        zeroAt = i;
        dividend = c.op == OpId::Pow ? "1" : std::to_string(a);
      }
    });
  });
  if (zeroAt >= 0)
    return c.error("integer division by zero: " + dividend + " / 0 at element " + std::to_string(zeroAt) +
                   " of the result, shape " + str(result.dims()));
  return ok();
}

} // namespace pliant::ops::binary
