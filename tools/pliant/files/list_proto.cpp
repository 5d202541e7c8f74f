// SPDX-License-Identifier: Apache-2.0
// Lists through ONNX's own protobuf classes; their tensors through the one reader of tensors.
#include "files/list_proto.h"
#include "files/bytes.h"
#include "files/tensor_proto.h"
#include "runtime/file_map.h"
#include <climits>
#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

namespace pliant::files {
namespace {

Status addTensor(const onnx::TensorProto &proto, std::string_view path, TensorList &list) {
  std::string bytes;
  if (!proto.SerializeToString(&bytes))
    return cannotRead(path, "an element cannot be read");
  PLIANT_TRY(NamedTensor tensor, parseTensorProto(bytes.data(), bytes.size(), path));
  list.items.push_back(std::move(tensor.second));
  return ok();
}

Result<TensorList> fromSequence(const onnx::SequenceProto &proto, std::string_view path) {
  if (proto.sequence_values_size() || proto.map_values_size() || proto.sparse_tensor_values_size() ||
      proto.optional_values_size())
    return cannotRead(path, "it holds something other than tensors, which is not supported");
  TensorList list;
  for (const onnx::TensorProto &tensor : proto.tensor_values())
    PLIANT_CHECK(addTensor(tensor, path, list));
  return list;
}

Result<onnx::TensorProto> protoOf(const DenseTensor &tensor, const std::string &path) {
  PLIANT_TRY(std::string bytes, tensorProtoBytes(path, {"", tensor}));
  onnx::TensorProto proto;
  if (!proto.ParseFromString(bytes))
    return cannotWrite(path, "an element cannot be serialized");
  return proto;
}

} // namespace

Result<TensorList> parseListProto(const void *data, size_t size, std::string_view path, ListInfo::Kind kind) {
  if (size > INT_MAX)
    return cannotRead(path, "a protobuf message has at most 2 GiB");
  if (kind == ListInfo::Kind::Sequence) {
    onnx::SequenceProto sequence;
    if (!sequence.ParseFromArray(data, static_cast<int>(size)))
      return cannotRead(path, "it is no SequenceProto, or is cut short");
    return fromSequence(sequence, path);
  }
  onnx::OptionalProto optional;
  if (!optional.ParseFromArray(data, static_cast<int>(size)))
    return cannotRead(path, "it is no OptionalProto, or is cut short");
  if (optional.has_sequence_value())
    return fromSequence(optional.sequence_value(), path);
  TensorList list;
  list.present = optional.has_tensor_value();
  if (list.present)
    PLIANT_CHECK(addTensor(optional.tensor_value(), path, list));
  return list;
}

Result<TensorList> readListProto(const std::string &path, ListInfo::Kind kind) {
  PLIANT_TRY(FileMap map, FileMap::open(path));
  return parseListProto(map.data(), map.size(), path, kind);
}

Status writeListProto(const std::string &path, const std::string &name, const TensorList &list, const ListInfo &type) {
  onnx::SequenceProto sequence;
  sequence.set_elem_type(onnx::SequenceProto::TENSOR);
  for (const DenseTensor &item : list.items) {
    PLIANT_TRY(*sequence.add_tensor_values(), protoOf(item, path));
  }
  std::string bytes;
  bool done = true;
  if (type.kind == ListInfo::Kind::Sequence) {
    sequence.set_name(name);
    done = sequence.SerializeToString(&bytes);
  } else {
    onnx::OptionalProto optional;
    optional.set_name(name);
    const bool single = type.kind == ListInfo::Kind::Optional;
    optional.set_elem_type(single ? onnx::OptionalProto::TENSOR : onnx::OptionalProto::SEQUENCE);
    if (list.present && single)
      *optional.mutable_tensor_value() = sequence.tensor_values(0);
    else if (list.present)
      *optional.mutable_sequence_value() = sequence;
    done = optional.SerializeToString(&bytes);
  }
  return done ? writeFile(path, bytes) : Status(cannotWrite(path, "it cannot be serialized"));
}

} // namespace pliant::files
