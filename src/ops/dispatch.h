// SPDX-License-Identifier: Apache-2.0
// From an element type at run time to a C++ type: `dispatch(dtype, [&]<class T>(Type<T>) { ... })`. Used by references.
#pragma once
#include "ops/half.h"
#include "pliant/dtype.h"
#include <type_traits>

namespace pliant {

template <class T> struct Type {
  using Storage = T;
};
/// The type to compute in: f16 and bf16 compute in f32, everything else in itself.
template <class T> using ComputeOf = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat>, float, T>;
template <class T> inline constexpr bool isFloatStorage = std::is_floating_point_v<ComputeOf<T>>;
template <class T> inline constexpr bool isIntegerStorage = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class F> decltype(auto) dispatch(DType dtype, F &&fn) {
  switch (dtype) {
  case DType::F32:
    return fn(Type<float>());
  case DType::F64:
    return fn(Type<double>());
  case DType::F16:
    return fn(Type<Half>());
  case DType::BF16:
    return fn(Type<BFloat>());
  case DType::I64:
    return fn(Type<int64_t>());
  case DType::I32:
    return fn(Type<int32_t>());
  case DType::I16:
    return fn(Type<int16_t>());
  case DType::I8:
    return fn(Type<int8_t>());
  case DType::U64:
    return fn(Type<uint64_t>());
  case DType::U32:
    return fn(Type<uint32_t>());
  case DType::U16:
    return fn(Type<uint16_t>());
  case DType::U8:
    return fn(Type<uint8_t>());
  case DType::Bool:
  case DType::String: // nothing computes with texts as numbers: inferTypes refuses
    break;
  }
  return fn(Type<bool>());
}

/// For code that only moves elements: an unsigned type of the same size.
template <class F> decltype(auto) dispatchSize(DType dtype, F &&fn) {
  switch (byteSize(dtype)) {
  case 8:
    return fn(Type<uint64_t>());
  case 4:
    return fn(Type<uint32_t>());
  case 2:
    return fn(Type<uint16_t>());
  default:
    return fn(Type<uint8_t>());
  }
}

} // namespace pliant
