// SPDX-License-Identifier: Apache-2.0
// Reference of conversions: saturating from float to integer (NaN is 0), wrapping between integers, one rounding to
// nearest even to a narrower float.
#include "ops/dispatch.h"
#include "ops/op.h"
#include <cmath>
#include <limits>

namespace pliant::ops::cast {

/// An integer as f64 rounded to odd, so that a second rounding to 16 bits is as if it were the only one.
template <class T> double roundToOdd(T value) {
  const bool negative = value < 0;
  uint64_t magnitude = negative ? uint64_t(0) - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const int lost = 64 - std::countl_zero(magnitude | 1) - 53;
  if (lost > 0) {
    const uint64_t mask = (uint64_t(1) << lost) - 1;
    magnitude = (magnitude & ~mask) | (magnitude & mask ? uint64_t(1) << lost : 0);
  }
  return negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
}

template <class To> To saturate(double value) {
  if (value != value)
    return 0;
  const double low = static_cast<double>(std::numeric_limits<To>::min());
  const double above = std::ldexp(1.0, std::numeric_limits<To>::digits); // one above the largest, exact
  if (value <= low)
    return std::numeric_limits<To>::min();
  return value >= above ? std::numeric_limits<To>::max() : static_cast<To>(value);
}

template <class From, class To> To convert(From value) {
  using C = ComputeOf<From>;
  const C x = value;
  if constexpr (std::is_same_v<To, bool>)
    return x != 0;
  else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat>) {
    if constexpr (std::is_integral_v<C>)
      return To(roundToOdd(x));
    else
      return To(static_cast<double>(x));
  } else if constexpr (isIntegerStorage<To> && isFloatStorage<From>)
    return saturate<To>(static_cast<double>(x));
  else
    return static_cast<To>(x);
}

Status ref(RefContext &c) {
  dispatch(c.inputs[0].dtype(), [&]<class From>(Type<From>) {
    dispatch(c.outputs[0].dtype(), [&]<class To>(Type<To>) {
      for (int64_t i = 0; i < c.inputs[0].size(); ++i)
        c.outputs[0].as<To>()[i] = convert<From, To>(c.inputs[0].as<From>()[i]);
    });
  });
  return ok();
}

} // namespace pliant::ops::cast
