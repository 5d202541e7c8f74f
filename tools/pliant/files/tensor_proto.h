// SPDX-License-Identifier: Apache-2.0
// ONNX TensorProto files (.pb), as the conformance tests of ONNX store their inputs and outputs.
#pragma once
#include "files/npz.h"

namespace pliant::files {

/// Every element type that a pliant::DenseTensor has, from raw data or the typed fields. The name may be empty.
/// Strings, complex numbers, segments and data in other files are errors.
Result<NamedTensor> readTensorProto(const std::string &path);
Result<NamedTensor> parseTensorProto(const void *data, size_t size, std::string_view path);
Status writeTensorProto(const std::string &path, const NamedTensor &tensor); ///< raw data
/// The message itself; `path` is for errors.
Result<std::string> tensorProtoBytes(const std::string &path, const NamedTensor &tensor);

} // namespace pliant::files
