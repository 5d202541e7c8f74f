// SPDX-License-Identifier: Apache-2.0
// Agreement and summaries of tensors.
#include "compare.h"
#include "ops/dispatch.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant::tool {
namespace {

std::string place(const std::vector<int64_t> &dims, int64_t linear) {
  std::vector<int64_t> index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = linear % dims[d];
    linear /= dims[d];
  }
  return pliant::str(index);
}

std::string number(double value) {
  char text[40];
  snprintf(text, sizeof text, "%.9g", value);
  return text;
}

template <class T> std::string shown(T value) {
  if constexpr (isFloatStorage<T>)
    return number(static_cast<double>(static_cast<ComputeOf<T>>(value)));
  else
    return std::to_string(value);
}

template <class T>
Agreement compareElements(const DenseTensor &ours, const DenseTensor &expected, double slack,
                          std::vector<int64_t> *where) {
  const T *a = ours.as<T>(), *b = expected.as<T>();
  Agreement out;
  auto disagree = [&](int64_t i) {
    if (where)
      where->push_back(i);
    if (out.holds)
      out.reason = "element " + place(ours.dims(), i) + " is " + shown(a[i]) + ", expected " + shown(b[i]);
    out.holds = false;
  };
  if constexpr (isFloatStorage<T>) {
    double largest = 0;
    for (int64_t i = 0; i < expected.size(); ++i)
      if (double v = std::fabs(static_cast<double>(static_cast<ComputeOf<T>>(b[i]))); std::isfinite(v))
        largest = std::max(largest, v);
    const double unit = std::is_same_v<T, Half> ? 0x1p-10 : std::is_same_v<T, BFloat> ? 0x1p-7 : 0;
    for (int64_t i = 0; i < ours.size(); ++i) {
      const auto x = static_cast<double>(static_cast<ComputeOf<T>>(a[i]));
      const auto y = static_cast<double>(static_cast<ComputeOf<T>>(b[i]));
      if (!std::isfinite(x) || !std::isfinite(y)) {
        if (!(x == y || (std::isnan(x) && std::isnan(y))))
          disagree(i);
        continue;
      }
      const double difference = std::fabs(x - y);
      out.maxDifference = std::max(out.maxDifference, difference);
      if (difference > std::max(1e-4, unit) * std::fabs(y) + 1e-5 * largest + slack)
        disagree(i);
    }
  } else {
    for (int64_t i = 0; i < ours.size(); ++i) {
      if (a[i] == b[i])
        continue;
      out.maxDifference = std::max(out.maxDifference, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
      disagree(i);
    }
  }
  return out;
}

Agreement compareTexts(const DenseTensor &ours, const DenseTensor &expected, std::vector<int64_t> *where) {
  Agreement out;
  for (int64_t i = 0; i < ours.size(); ++i) {
    if (ours.text(i) == expected.text(i))
      continue;
    if (where)
      where->push_back(i);
    if (out.holds)
      out.reason = "element " + place(ours.dims(), i) + " is \"" + std::string(ours.text(i)) + "\", expected \"" +
                   std::string(expected.text(i)) + "\"";
    out.holds = false;
  }
  return out;
}

} // namespace

Agreement compare(const DenseTensor &ours, const DenseTensor &expected, double slack, std::vector<int64_t> *where) {
  if (ours.dtype() != expected.dtype())
    return {false, 0,
            "element type " + std::string(name(ours.dtype())) + ", expected " + std::string(name(expected.dtype()))};
  if (ours.dims() != expected.dims())
    return {false, 0, "shape " + str(ours.dims()) + ", expected " + str(expected.dims())};
  if (ours.dtype() == DType::String)
    return compareTexts(ours, expected, where);
  return dispatch(ours.dtype(), [&]<class T>(Type<T>) { return compareElements<T>(ours, expected, slack, where); });
}

double elementAsDouble(const DenseTensor &tensor, int64_t index) {
  if (tensor.dtype() == DType::String)
    return std::numeric_limits<double>::quiet_NaN();
  return dispatch(tensor.dtype(), [&]<class T>(Type<T>) {
    return static_cast<double>(static_cast<ComputeOf<T>>(tensor.as<T>()[index]));
  });
}

Summary summarize(const DenseTensor &tensor) {
  Summary out;
  if (tensor.dtype() == DType::String)
    return out;
  int64_t counted = 0;
  double sum = 0;
  dispatch(tensor.dtype(), [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < tensor.size(); ++i) {
      const auto v = static_cast<double>(static_cast<ComputeOf<T>>(tensor.as<T>()[i]));
      if (std::isnan(v)) {
        ++out.nans;
        continue;
      }
      out.infinities += std::isinf(v);
      out.min = counted ? std::min(out.min, v) : v;
      out.max = counted ? std::max(out.max, v) : v;
      sum += v;
      ++counted;
    }
  });
  out.mean = counted ? sum / static_cast<double>(counted) : 0;
  return out;
}

} // namespace pliant::tool
