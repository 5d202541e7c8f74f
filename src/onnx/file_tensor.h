// SPDX-License-Identifier: Apache-2.0
// Sizes and contents of TensorProto: what a tensor declares against what it has, and its values as a DenseTensor.
#pragma once
#include "onnx/file.h"

namespace pliant::onnx_file {

/// The payload of a tensor once found: bytes in the file, or the fields of the proto.
struct Payload {
  const WeightBlob *blob = nullptr;
  std::span<const std::byte> bytes; ///< of the blob
};

/// The bytes that dims and type ask for, before anything is allocated; `label` names the tensor in errors.
Result<uint64_t> declaredBytes(const ::onnx::TensorProto &tensor, const std::string &label);
/// Dims, type and payload agree. Varints are counted when they are read, not here: here their bytes bound the count.
Status checkTensor(const ::onnx::TensorProto &tensor, const Payload &payload, const std::string &label);
Result<DenseTensor> readTensor(const ::onnx::TensorProto &tensor, const Payload &payload, const std::string &label);

} // namespace pliant::onnx_file
