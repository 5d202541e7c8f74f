// SPDX-License-Identifier: Apache-2.0
// Sizes and contents of TensorProto: what a tensor declares against what it has, and its values as a DenseTensor.
#include "onnx/file_tensor.h"
#include <limits>

namespace pliant::onnx_file {
namespace {

using ::onnx::TensorProto;

struct TypeRow {
  std::string_view name;
  uint8_t bits;                  // 0: strings
  std::optional<DType> dtype;    // what Pliant computes with
  std::optional<Encoding> typed; // the field that holds it besides raw_data
};

// Indexed by TensorProto.DataType; the rows from 17 on are newer than Debian's library.
constexpr std::optional<Encoding> none;
constexpr TypeRow typeRows[] = {{"undefined", 0, std::nullopt, none},
                                {"float", 32, DType::F32, Encoding::Float},
                                {"uint8", 8, DType::U8, Encoding::Int32},
                                {"int8", 8, DType::I8, Encoding::Int32},
                                {"uint16", 16, DType::U16, Encoding::Int32},
                                {"int16", 16, DType::I16, Encoding::Int32},
                                {"int32", 32, DType::I32, Encoding::Int32},
                                {"int64", 64, DType::I64, Encoding::Int64},
                                {"string", 0, DType::String, none},
                                {"bool", 8, DType::Bool, Encoding::Int32},
                                {"float16", 16, DType::F16, Encoding::Int32},
                                {"double", 64, DType::F64, Encoding::Double},
                                {"uint32", 32, DType::U32, Encoding::UInt64},
                                {"uint64", 64, DType::U64, Encoding::UInt64},
                                {"complex64", 64, std::nullopt, Encoding::Float},
                                {"complex128", 128, std::nullopt, Encoding::Double},
                                {"bfloat16", 16, DType::BF16, Encoding::Int32},
                                {"float8e4m3fn", 8, std::nullopt, Encoding::Int32},
                                {"float8e4m3fnuz", 8, std::nullopt, Encoding::Int32},
                                {"float8e5m2", 8, std::nullopt, Encoding::Int32},
                                {"float8e5m2fnuz", 8, std::nullopt, Encoding::Int32},
                                {"uint4", 4, std::nullopt, Encoding::Int32},
                                {"int4", 4, std::nullopt, Encoding::Int32},
                                {"float4e2m1", 4, std::nullopt, Encoding::Int32},
                                {"float8e8m0", 8, std::nullopt, Encoding::Int32}};
constexpr int32_t stringType = 8;
constexpr int maxRank = 64;

const TypeRow *rowOf(int32_t type) {
  return type > 0 && static_cast<size_t>(type) < std::size(typeRows) ? &typeRows[type] : nullptr;
}

std::vector<int64_t> dimsOf(const TensorProto &tensor) { return {tensor.dims().begin(), tensor.dims().end()}; }

// Elements, or an error; a zero extent makes the others harmless.
Result<uint64_t> declaredCount(const TensorProto &tensor, const std::string &label) {
  if (tensor.dims_size() > maxRank)
    return userError("onnx", label + " has " + std::to_string(tensor.dims_size()) + " dimensions; " +
                                 std::to_string(maxRank) + " are supported");
  uint64_t count = 1;
  bool empty = false, overflow = false;
  for (int64_t dim : tensor.dims()) {
    if (dim < 0)
      return userError("onnx", label + " has the negative extent " + std::to_string(dim));
    empty |= dim == 0;
    overflow |= __builtin_mul_overflow(count, static_cast<uint64_t>(dim), &count);
  }
  if (empty)
    return uint64_t(0);
  if (overflow || count > uint64_t(std::numeric_limits<int64_t>::max()) / 16)
    return userError("onnx", label + " declares more elements than memory can address");
  return count;
}

uint64_t byteCount(uint64_t count, unsigned bits) { return bits >= 8 ? count * (bits / 8) : (count * bits + 7) / 8; }

std::string typeAndDims(const TensorProto &tensor) {
  const TypeRow *row = rowOf(tensor.data_type());
  std::string text = std::string(row ? row->name : "?") + " (";
  for (int i = 0; i < tensor.dims_size(); ++i)
    text += (i ? ", " : "") + std::to_string(tensor.dims(i));
  return text + ")";
}

Error mismatch(const TensorProto &tensor, const std::string &label, uint64_t wanted, const char *unit, uint64_t given) {
  return userError("onnx", label + " is declared " + typeAndDims(tensor) + ", which takes " + std::to_string(wanted) +
                               " " + unit + ", but has " + std::to_string(given));
}

uint64_t entriesOf(const TensorProto &tensor, Encoding encoding) {
  switch (encoding) {
  case Encoding::Float:
    return static_cast<uint64_t>(tensor.float_data_size());
  case Encoding::Double:
    return static_cast<uint64_t>(tensor.double_data_size());
  case Encoding::Int32:
    return static_cast<uint64_t>(tensor.int32_data_size());
  case Encoding::Int64:
    return static_cast<uint64_t>(tensor.int64_data_size());
  case Encoding::UInt64:
    return static_cast<uint64_t>(tensor.uint64_data_size());
  case Encoding::Raw:
    break;
  }
  return tensor.raw_data().size();
}

// The encoding of whatever data the proto itself holds; an error when there are two.
Result<std::optional<Encoding>> inlineEncoding(const TensorProto &tensor, const std::string &label) {
  std::optional<Encoding> found;
  for (Encoding each :
       {Encoding::Raw, Encoding::Float, Encoding::Double, Encoding::Int32, Encoding::Int64, Encoding::UInt64}) {
    if (entriesOf(tensor, each) == 0)
      continue;
    if (found)
      return userError("onnx", label + " has data in two fields");
    found = each;
  }
  return found;
}

unsigned entriesPerElement(int32_t type) {
  return type == TensorProto::COMPLEX64 || type == TensorProto::COMPLEX128 ? 2 : 1;
}

uint64_t entryOf(const TensorProto &tensor, Encoding encoding, int index) {
  if (encoding == Encoding::Int32)
    return static_cast<uint64_t>(static_cast<int64_t>(tensor.int32_data(index)));
  return encoding == Encoding::Int64 ? static_cast<uint64_t>(tensor.int64_data(index)) : tensor.uint64_data(index);
}

} // namespace

std::string_view onnxTypeName(int32_t type) { return rowOf(type) ? rowOf(type)->name : std::string_view(); }
unsigned onnxTypeBits(int32_t type) { return rowOf(type) ? rowOf(type)->bits : 0; }

Result<DType> dtypeOf(int32_t type) {
  const TypeRow *row = rowOf(type);
  if (!row)
    return userError("onnx", "element type " + std::to_string(type) + " is unknown");
  if (!row->dtype)
    return userError("onnx", "element type " + std::string(row->name) + " is not supported");
  return *row->dtype;
}

Result<uint64_t> declaredBytes(const TensorProto &tensor, const std::string &label) {
  if (!rowOf(tensor.data_type()))
    return userError("onnx", label + " has the unknown element type " + std::to_string(tensor.data_type()));
  PLIANT_TRY(uint64_t count, declaredCount(tensor, label));
  return byteCount(count, onnxTypeBits(tensor.data_type()));
}

Status checkTensor(const TensorProto &tensor, const Payload &payload, const std::string &label) {
  PLIANT_TRY(uint64_t bytes, declaredBytes(tensor, label));
  PLIANT_TRY(uint64_t count, declaredCount(tensor, label));
  PLIANT_TRY(std::optional<Encoding> encoding, inlineEncoding(tensor, label));
  int32_t type = tensor.data_type();
  const TypeRow &row = *rowOf(type);
  if (payload.blob && (encoding || tensor.string_data_size() != 0))
    return userError("onnx", label + " has data in two places");
  if (type == stringType) {
    if (encoding || payload.blob)
      return userError("onnx", label + " holds strings but has numeric data");
    if (static_cast<uint64_t>(tensor.string_data_size()) != count)
      return mismatch(tensor, label, count, "strings", static_cast<uint64_t>(tensor.string_data_size()));
    return ok();
  }
  if (tensor.string_data_size() != 0)
    return userError("onnx", label + " is declared " + typeAndDims(tensor) + " but has strings");
  if (payload.blob)
    encoding = payload.blob->encoding;
  if (!encoding)
    return bytes == 0 ? ok() : Status(mismatch(tensor, label, bytes, "bytes", 0));
  if (*encoding != Encoding::Raw && encoding != row.typed)
    return userError("onnx",
                     label + " is declared " + typeAndDims(tensor) + " but has its data in a field of another type");
  uint64_t entries = count * entriesPerElement(type);
  if (payload.blob) {
    uint64_t length = payload.blob->length;
    if (!isVarint(*encoding))
      return length == bytes ? ok() : Status(mismatch(tensor, label, bytes, "bytes", length));
    if (row.dtype && (length < entries || length / 10 > entries))
      return mismatch(tensor, label, entries, "numbers", length) /* bytes of varints */;
    return ok();
  }
  if (*encoding == Encoding::Raw) {
    if (tensor.raw_data().size() != bytes)
      return mismatch(tensor, label, bytes, "bytes", tensor.raw_data().size());
  } else if (row.bits >= 8 && entriesOf(tensor, *encoding) != entries) { // below 8 bits writers pack as they like
    return mismatch(tensor, label, entries, "numbers", entriesOf(tensor, *encoding));
  }
  return ok();
}

Result<DenseTensor> readTensor(const TensorProto &tensor, const Payload &payload, const std::string &label) {
  PLIANT_CHECK(checkTensor(tensor, payload, label));
  auto dtype = dtypeOf(tensor.data_type());
  if (!dtype)
    return dtype.takeError().at(label);
  if (*dtype == DType::String)
    return DenseTensor::ofStrings(dimsOf(tensor), {tensor.string_data().begin(), tensor.string_data().end()});
  if (payload.blob) {
    PLIANT_TRY(DenseTensor whole,
               tensorOfPayload(*dtype, dimsOf(tensor), payload.blob->encoding, payload.bytes, {}, label));
    PLIANT_TRY(DenseTensor copy, DenseTensor::allocate(*dtype, dimsOf(tensor)));
    if (whole.bytes())
      std::memcpy(copy.data(), whole.data(), whole.bytes());
    return copy;
  }
  PLIANT_TRY(std::optional<Encoding> encoding, inlineEncoding(tensor, label));
  PLIANT_TRY(DenseTensor result, DenseTensor::allocate(*dtype, dimsOf(tensor)));
  if (result.size() == 0)
    return result;
  auto *to = static_cast<std::byte *>(result.data());
  auto count = static_cast<uint64_t>(result.size());
  if (isVarint(*encoding)) {
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t value = entryOf(tensor, *encoding, static_cast<int>(i));
      if (!putVarint(*dtype, to, i, value))
        return userError("onnx", label + " has the value " + std::to_string(static_cast<int64_t>(value)) +
                                     ", which does not fit " + std::string(name(*dtype)));
    }
    return result;
  }

  const void *from = *encoding == Encoding::Raw      ? static_cast<const void *>(tensor.raw_data().data())
                     : *encoding == Encoding::Double ? static_cast<const void *>(tensor.double_data().data())
                                                     : static_cast<const void *>(tensor.float_data().data());
  std::memcpy(to, from, result.bytes());
  if (*dtype == DType::Bool) // any other byte than 0 and 1 would be undefined behaviour as a bool
    for (uint64_t i = 0; i < count; ++i)
      to[i] = std::byte(to[i] != std::byte(0));
  return result;
}

} // namespace pliant::onnx_file
