// SPDX-License-Identifier: Apache-2.0
// Element types of tensors, with their sizes and names.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pliant {

enum class DType : uint8_t { F32, F64, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8, Bool, String };
constexpr DType lastDType = DType::String;

constexpr size_t byteSize(DType type) {
  switch (type) {
  case DType::F64:
  case DType::I64:
  case DType::U64:
  case DType::String: // a pointer to text that somebody else keeps; null is the empty one
    return 8;
  case DType::F32:
  case DType::I32:
  case DType::U32:
    return 4;
  case DType::F16:
  case DType::BF16:
  case DType::I16:
  case DType::U16:
    return 2;
  case DType::I8:
  case DType::U8:
  case DType::Bool:
    return 1;
  }
  return 0;
}
constexpr bool isFloat(DType type) { return type <= DType::BF16; }
constexpr bool isInteger(DType type) { return type >= DType::I64 && type <= DType::U8; }
constexpr bool isSigned(DType type) { return type >= DType::I64 && type <= DType::I8; }
constexpr bool isUnsigned(DType type) { return type >= DType::U64 && type <= DType::U8; }

/// "f32", "i64", "bool", ...: the spelling of error messages, `check` and the text form.
constexpr std::string_view name(DType type) {
  constexpr std::string_view names[] = {"f32", "f64", "f16", "bf16", "i64", "i32",  "i16",
                                        "i8",  "u64", "u32", "u16",  "u8",  "bool", "string"};
  return names[static_cast<size_t>(type)];
}
constexpr std::optional<DType> dtypeFromName(std::string_view text) {
  for (uint8_t i = 0; i <= static_cast<uint8_t>(lastDType); ++i)
    if (name(static_cast<DType>(i)) == text)
      return static_cast<DType>(i);
  return std::nullopt;
}

} // namespace pliant
