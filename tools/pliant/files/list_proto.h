// SPDX-License-Identifier: Apache-2.0
// ONNX SequenceProto and OptionalProto files (.pb), as the conformance tests of ONNX store lists.
#pragma once
#include "runtime/tensor_list.h"
#include "shape/list_type.h"

namespace pliant::files {

/// A list of the given kind; the file does not say what it holds. Elements are tensors of any type we have.
Result<TensorList> readListProto(const std::string &path, ListInfo::Kind kind);
Result<TensorList> parseListProto(const void *data, size_t size, std::string_view path, ListInfo::Kind kind);
/// As what `type` says.
Status writeListProto(const std::string &path, const std::string &name, const TensorList &list, const ListInfo &type);

} // namespace pliant::files
