// SPDX-License-Identifier: Apache-2.0
// Payloads to tensors, and names to readable text.
#include "onnx/blob.h"
#include "onnx/file_wire.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace pliant::onnx_file {
namespace {

// The bytes of one character of well-formed UTF-8 that may be shown; 0 for anything else.
static size_t shownBytes(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 128)
    return byte(0) >= 32 && byte(0) != 127;
  size_t count = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < count)
    return 0;
  uint32_t code = byte(0) & (0xffu >> (count + 1));
  for (size_t i = 1; i < count; ++i) {
    if (byte(i) >> 6 != 2)
      return 0;
    code = code << 6 | (byte(i) & 63);
  }
  bool surrogate = code >= 0xd800 && code < 0xe000, direction = code >= 0x2028 && code < 0x2070;
  constexpr uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000}; // below 0xa0: control characters of Latin-1
  return code < least[count] || code > 0x10ffff || surrogate || direction ? 0 : count;
}

// Writes a varint entry as an element; false when the value does not fit the type.
template <class T> bool put(std::byte *to, uint64_t index, int64_t value, bool bitPattern) {
  using Limits = std::numeric_limits<T>;
  // Half floats are bit patterns: writers sign-extend them or do not.
  int64_t low = bitPattern ? std::numeric_limits<std::make_signed_t<T>>::min() : static_cast<int64_t>(Limits::min());
  if (value < low || value > static_cast<int64_t>(Limits::max()))
    return false;
  T narrow = static_cast<T>(value);
  std::memcpy(to + index * sizeof(T), &narrow, sizeof(T));
  return true;
}

} // namespace

bool putVarint(DType dtype, std::byte *to, uint64_t index, uint64_t bits) {
  auto value = static_cast<int64_t>(bits);
  switch (dtype) {
  case DType::I64:
  case DType::U64:
    std::memcpy(to + index * 8, &bits, 8);
    return true;
  case DType::U32:
    return bits <= UINT32_MAX && put<uint32_t>(to, index, value, false);
  case DType::I32:
    return put<int32_t>(to, index, value, false);
  case DType::I16:
    return put<int16_t>(to, index, value, false);
  case DType::U16:
    return put<uint16_t>(to, index, value, false);
  case DType::I8:
    return put<int8_t>(to, index, value, false);
  case DType::U8:
    return put<uint8_t>(to, index, value, false);
  case DType::F16:
  case DType::BF16:
    return put<uint16_t>(to, index, value, true);
  case DType::Bool:
    to[index] = std::byte(value != 0);
    return true;
  case DType::F32:
  case DType::F64:
  case DType::String:
    break;
  }
  return false;
}

std::string quote(std::string_view name) {
  constexpr size_t longest = 80;
  std::string text = "'";
  while (!name.empty() && text.size() < longest) {
    size_t count = shownBytes(name);
    text += count ? name.substr(0, count) : "?";
    name.remove_prefix(std::max<size_t>(count, 1));
  }
  return text + (name.empty() ? "'" : "...'");
}

Result<DenseTensor> tensorOfPayload(DType dtype, std::vector<int64_t> dims, Encoding encoding,
                                    std::span<const std::byte> bytes, std::shared_ptr<const void> keep,
                                    const std::string &label) {
  PLIANT_TRY(int64_t elements, elementCount(dims));
  const auto count = static_cast<uint64_t>(elements);
  auto differs = [&](uint64_t wanted, uint64_t given) {
    return userError("onnx", label + " is declared with " + std::to_string(wanted) + " " +
                                 (isVarint(encoding) ? "numbers" : "bytes") + " but has " + std::to_string(given));
  };
  if (!isVarint(encoding)) {
    if (bytes.size() != count * byteSize(dtype))
      return differs(count * byteSize(dtype), bytes.size());
    if (dtype != DType::Bool)
      return DenseTensor::borrow(dtype, std::move(dims), const_cast<std::byte *>(bytes.data()),
                                 std::const_pointer_cast<void>(std::move(keep)));
  }
  PLIANT_TRY(DenseTensor result, DenseTensor::allocate(dtype, std::move(dims)));
  auto *to = static_cast<std::byte *>(result.data());
  if (!isVarint(encoding)) { // any other byte than 0 and 1 would be undefined behaviour as a bool
    for (uint64_t i = 0; i < count; ++i)
      to[i] = std::byte(bytes[i] != std::byte(0));
    return result;
  }
  uint64_t at = 0, value = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (!readVarint(bytes, at, value))
      return differs(count, i);
    if (encoding == Encoding::Int32) // as the protobuf library does: the low half, sign-extended
      value = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(static_cast<uint32_t>(value))));
    if (!putVarint(dtype, to, i, value))
      return userError("onnx", label + " has the value " + std::to_string(static_cast<int64_t>(value)) +
                                   ", which does not fit " + std::string(name(dtype)));
  }
  if (at != bytes.size())
    return userError("onnx", label + " has more than the " + std::to_string(count) + " numbers it declares");
  return result;
}

} // namespace pliant::onnx_file
