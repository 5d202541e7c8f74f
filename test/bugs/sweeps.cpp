// SPDX-License-Identifier: Apache-2.0
// Casts between all element types at the ends of their ranges, and NaN in every place of rows of many lengths.
#include "bugs.h"
#include "control/text_tensor.h"
#include "ops/dispatch.h"
#include <cmath>
#include <limits>

namespace pliant::bugs {
namespace {

constexpr DType types[] = {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I64, DType::I32, DType::I16,
                           DType::I8,  DType::U64, DType::U32, DType::U16,  DType::U8,  DType::Bool};

/// The rules I6 and I7, and rounding to nearest: written here once more, from the text.
template <class To, class From> To castByRule(From value) {
  using Limits = std::numeric_limits<To>;
  if constexpr (std::is_same_v<To, bool>)
    return value != From(0); // NaN is true
  else if constexpr (isFloatStorage<To>)
    return static_cast<To>(static_cast<std::conditional_t<std::is_integral_v<From>, To, double>>(value));
  else if constexpr (std::is_integral_v<From>)
    return static_cast<To>(value); // the low bits
  else if (std::isnan(value))
    return 0;
  else if (static_cast<long double>(value) >= static_cast<long double>(Limits::max()))
    return Limits::max();
  else if (static_cast<long double>(value) <= static_cast<long double>(Limits::min()))
    return Limits::min();
  else
    return static_cast<To>(value);
}

/// Around each limit of each type, as far as `T` has such values.
template <class T> std::vector<double> edges() {
  std::vector<double> all{0, 1, -1, 0.5, -0.5, 1.5, 2.5, -1.5, 255.9, 300.7, -128.9, 3e9, -3e9, 65504, 1e30, -1e30};
  for (int bits : {7, 8, 15, 16, 31, 32, 63, 64})
    for (double off : {-1.0, 0.0, 1.0})
      for (double sign : {1.0, -1.0})
        all.push_back(sign * (std::ldexp(1.0, bits) + off));
  if constexpr (isFloatStorage<T>) {
    const double infinity = std::numeric_limits<double>::infinity();
    all.insert(all.end(), {std::nan(""), infinity, -infinity, -0.0});
    return all;
  } else {
    std::vector<double> held;
    for (double value : all)
      if (value == std::trunc(value) && value >= static_cast<double>(std::numeric_limits<T>::min()) &&
          value <= static_cast<double>(std::numeric_limits<T>::max()) && std::fabs(value) < 0x1p62)
        held.push_back(value);
    return held;
  }
}

/// To every type at once.
Case castCase(DType from) {
  static const char *codes[] = {"1", "11", "10", "16", "7", "6", "5", "3", "13", "12", "4", "2", "9"};
  Case made{"CastOf_" + std::string(name(from)), "tvm#9558,iree#24591", "", 18, {}, __FILE__, __LINE__};
  std::string outputs = "out", nodes, gives;
  dispatch(from, [&]<class From>(Type<From>) {
    const std::vector<double> values = edges<From>();
    const DenseTensor x = *DenseTensor::allocate(from, {static_cast<int64_t>(values.size())});
    for (size_t i = 0; i < values.size(); ++i)
      x.as<From>()[i] = static_cast<From>(values[i]);
    for (DType to : types) {
      const DenseTensor y = *DenseTensor::allocate(to, x.dims());
      dispatch(to, [&]<class To>(Type<To>) {
        for (size_t i = 0; i < values.size(); ++i)
          y.as<To>()[i] = castByRule<To>(static_cast<ComputeOf<From>>(x.as<From>()[i]));
      });
      const std::string result = "y" + std::string(name(to));
      outputs += " " + result;
      nodes += result + " = Cast(x) to=" + codes[static_cast<size_t>(to)] + "\n";
      gives += " " + test::textOf(y);
    }
    made.samples.push_back({test::textOf(x), gives});
  });
  made.model = "in x:" + std::string(name(from)) + "[N]\n" + outputs + "\n" + nodes;
  return made;
}

/// Squares of ones with NaN along the diagonal: in every place of a row and of a column.
Case nanCase() {
  Case made{"NaNInEveryPlace", "ORT#10514,iree#24503,tvm#19572,ov#35898", R"(
    in x:f32[A,B]
    out a b c d i j k v
    one = Constant() value=i64[1]{1}
    none = Constant() value=i64[1]{0}
    a = ReduceMax(x, one) keepdims=0
    b = ReduceMin(x, one) keepdims=0
    c = ReduceMax(x, none) keepdims=0
    d = ReduceMin(x, none) keepdims=0
    i = ArgMax(x) axis=1 keepdims=0
    j = ArgMin(x) axis=1 keepdims=0
    k = ArgMax(x) axis=0 keepdims=0
    v = MaxPool(x4) kernel_shape=[1,3] pads=[0,1,0,1]
    x4 = Unsqueeze(x, axes)
    axes = Constant() value=i64[2]{0 1}
  )", 18, {}, __FILE__, __LINE__};
  for (int64_t n : {1, 2, 3, 7, 15, 16, 17, 33, 64, 65}) {
    std::string square, pooled, places;
    for (int64_t row = 0; row < n; ++row) {
      places += std::to_string(row) + " ";
      for (int64_t column = 0; column < n; ++column) {
        square += row == column ? "nan " : "1 ";
        pooled += std::abs(row - column) <= 1 ? "nan " : "1 ";
      }
    }
    const std::string length = std::to_string(n), vector = " f32[" + length + "]{*nan}",
                      index = " i64[" + length + "]{" + places + "}";
    made.samples.push_back({"f32[" + length + "," + length + "]{" + square + "}",
                            vector + vector + vector + vector + index + index + index + " f32[1,1," + length + "," +
                                length + "]{" + pooled + "}"});
  }
  return made;
}

} // namespace

std::vector<Case> sweeps() {
  std::vector<Case> all;
  for (DType from : types)
    all.push_back(castCase(from));
  all.push_back(nanCase());
  return all;
}

} // namespace pliant::bugs
