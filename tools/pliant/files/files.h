// SPDX-License-Identifier: Apache-2.0
// Tensors from and to files of any known kind: what --input, --inputs and --output go through.
#pragma once
#include "files/npz.h"

namespace pliant::files {

/// Reads .npy, .npz, .png, .jpg or a TensorProto (.pb); the kind is told by the first bytes, a TensorProto by what is
/// left. "file.npz:name" is one entry of an archive. All but .npz give one tensor, whose name is empty or, for .pb, the
/// one in the file.
Result<std::vector<NamedTensor>> readTensors(const std::string &path);
/// The same where exactly one tensor is expected.
Result<NamedTensor> readTensor(const std::string &path);

/// Writes by the ending: .npy, .npz (one entry), .png or .pb.
Status writeTensor(const std::string &path, const NamedTensor &tensor);

} // namespace pliant::files
