// SPDX-License-Identifier: Apache-2.0
// TensorProto through ONNX's own protobuf classes.
#include "files/tensor_proto.h"
#include "files/bytes.h"
#include "runtime/file_map.h"
#include <climits>
#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#include <onnx/onnx_pb.h>

namespace pliant::files {
namespace {

using onnx::TensorProto;
constexpr int maxRank = 64;

struct TypeRow {
  int32_t code;
  DType dtype;
};
constexpr TypeRow types[] = {
    {TensorProto::FLOAT, DType::F32},     {TensorProto::DOUBLE, DType::F64},   {TensorProto::FLOAT16, DType::F16},
    {TensorProto::BFLOAT16, DType::BF16}, {TensorProto::INT64, DType::I64},    {TensorProto::INT32, DType::I32},
    {TensorProto::INT16, DType::I16},     {TensorProto::INT8, DType::I8},      {TensorProto::UINT64, DType::U64},
    {TensorProto::UINT32, DType::U32},    {TensorProto::UINT16, DType::U16},   {TensorProto::UINT8, DType::U8},
    {TensorProto::BOOL, DType::Bool},     {TensorProto::STRING, DType::String}};

Result<DType> dtypeOf(int32_t code, std::string_view path) {
  for (const TypeRow &row : types)
    if (row.code == code)
      return row.dtype;
  std::string shown = TensorProto::DataType_IsValid(code)
                          ? TensorProto::DataType_Name(static_cast<TensorProto::DataType>(code))
                          : std::to_string(code);
  return cannotRead(path, "element type " + shown + " is not supported");
}

/// Copies a typed field, narrowing each value to the element type (f16 and bf16 travel as the bits in int32_data).
template <class To, class Field>
Status copyField(const Field &field, const DenseTensor &tensor, std::string_view path) {
  if (field.size() != tensor.size())
    return cannotRead(path, "a " + std::string(name(tensor.dtype())) + " tensor of shape " + str(tensor.dims()) +
                                " has " + std::to_string(tensor.size()) + " elements, but the file holds " +
                                std::to_string(field.size()));
  To *to = tensor.as<To>();
  for (const auto &value : field)
    *to++ = static_cast<To>(value);
  return ok();
}

Status copyFields(const TensorProto &proto, const DenseTensor &tensor, std::string_view path) {
  switch (tensor.dtype()) {
  case DType::F32:
    return copyField<float>(proto.float_data(), tensor, path);
  case DType::F64:
    return copyField<double>(proto.double_data(), tensor, path);
  case DType::I64:
    return copyField<int64_t>(proto.int64_data(), tensor, path);
  case DType::U64:
    return copyField<uint64_t>(proto.uint64_data(), tensor, path);
  case DType::U32:
    return copyField<uint32_t>(proto.uint64_data(), tensor, path);
  case DType::I32:
    return copyField<int32_t>(proto.int32_data(), tensor, path);
  case DType::F16:
  case DType::BF16:
  case DType::U16:
    return copyField<uint16_t>(proto.int32_data(), tensor, path);
  case DType::I16:
    return copyField<int16_t>(proto.int32_data(), tensor, path);
  case DType::I8:
    return copyField<int8_t>(proto.int32_data(), tensor, path);
  case DType::U8:
  case DType::Bool:
    return copyField<uint8_t>(proto.int32_data(), tensor, path);
  case DType::String:
    break; // read before
  }
  return ok();
}

/// Elements in all typed fields: only the field of the element type may have any.
int64_t fieldElements(const TensorProto &proto) {
  return static_cast<int64_t>(proto.float_data_size()) + proto.double_data_size() + proto.int32_data_size() +
         proto.int64_data_size() + proto.uint64_data_size();
}

} // namespace

Result<NamedTensor> parseTensorProto(const void *data, size_t size, std::string_view path) {
  TensorProto proto;
  if (size > INT_MAX)
    return cannotRead(path, "a TensorProto has at most 2 GiB");
  if (!proto.ParseFromArray(data, static_cast<int>(size)))
    return cannotRead(path, "it is no TensorProto, or is cut short");
  if (!proto.has_data_type())
    return cannotRead(path, "it is no TensorProto: it has no element type");
  // SequenceProto and OptionalProto have their values where TensorProto has its segment.
  if (proto.has_segment())
    return cannotRead(path, "it is a sequence, an optional or a segment of a tensor, not a whole tensor");
  if (proto.data_location() == TensorProto::EXTERNAL || proto.external_data_size())
    return cannotRead(path, "its data lies in another file, which is not supported here");
  if (proto.dims_size() > maxRank)
    return cannotRead(path, "it has " + std::to_string(proto.dims_size()) + " extents");
  PLIANT_TRY(DType dtype, dtypeOf(proto.data_type(), path));
  std::vector<int64_t> dims(proto.dims().begin(), proto.dims().end());
  auto count = elementCount(dims);
  if (!count)
    return cannotRead(path, count.error().message);
  if (dtype == DType::String) {
    if (proto.string_data_size() != *count || proto.has_raw_data() || fieldElements(proto))
      return cannotRead(path, "a string tensor of shape " + str(dims) + " has " + std::to_string(*count) +
                                  " texts, but the file holds " + std::to_string(proto.string_data_size()));
    PLIANT_TRY(DenseTensor texts,
               DenseTensor::ofStrings(std::move(dims), {proto.string_data().begin(), proto.string_data().end()}));
    return NamedTensor(proto.name(), std::move(texts));
  }
  size_t bytes = static_cast<size_t>(*count) * byteSize(dtype);
  // Before any allocation: the data must be there, so that a small file cannot ask for much memory.
  bool raw = proto.has_raw_data();
  if (raw && fieldElements(proto))
    return cannotRead(path, "it has both raw data and typed data");
  if (raw ? proto.raw_data().size() != bytes : fieldElements(proto) != *count)
    return cannotRead(
        path,
        "a " + std::string(name(dtype)) + " tensor of shape " + str(dims) + " has " +
            (raw ? std::to_string(bytes) + " bytes, but the file holds " + std::to_string(proto.raw_data().size())
                 : std::to_string(*count) + " elements, but the file holds " + std::to_string(fieldElements(proto))));
  auto tensor = DenseTensor::allocate(dtype, std::move(dims));
  if (!tensor)
    return cannotRead(path, tensor.error().message, tensor.error().hint);
  if (raw && bytes)
    std::memcpy(tensor->data(), proto.raw_data().data(), bytes); // little-endian, as is every target of ours
  else if (!raw)
    PLIANT_CHECK(copyFields(proto, *tensor, path));
  if (dtype == DType::Bool)
    for (int64_t i = 0; i < *count; ++i)
      tensor->as<uint8_t>()[i] = tensor->as<uint8_t>()[i] != 0;
  return NamedTensor(proto.name(), std::move(*tensor));
}

Result<NamedTensor> readTensorProto(const std::string &path) {
  PLIANT_TRY(FileMap map, FileMap::open(path));
  return parseTensorProto(map.data(), map.size(), path);
}

Result<std::string> tensorProtoBytes(const std::string &path, const NamedTensor &named) {
  const auto &[name, tensor] = named;
  if (tensor.bytes() > INT_MAX - 65536)
    return cannotWrite(path, "a TensorProto has at most 2 GiB");
  TensorProto proto;
  proto.set_name(name);
  for (int64_t extent : tensor.dims())
    proto.add_dims(extent);
  for (const TypeRow &row : types)
    if (row.dtype == tensor.dtype())
      proto.set_data_type(row.code);
  if (tensor.dtype() != DType::String)
    proto.set_raw_data(tensor.data(), tensor.bytes());
  else
    for (int64_t i = 0; i < tensor.size(); ++i)
      proto.add_string_data(std::string(tensor.text(i)));
  std::string bytes;
  if (!proto.SerializeToString(&bytes))
    return cannotWrite(path, "it cannot be serialized");
  return bytes;
}

Status writeTensorProto(const std::string &path, const NamedTensor &tensor) {
  PLIANT_TRY(std::string bytes, tensorProtoBytes(path, tensor));
  return writeFile(path, bytes);
}

} // namespace pliant::files
