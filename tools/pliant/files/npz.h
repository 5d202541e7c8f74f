// SPDX-License-Identifier: Apache-2.0
// NumPy's .npz files: zip archives of .npy files.
#pragma once
#include "runtime/dense_tensor.h"
#include <string>
#include <utility>
#include <vector>

namespace pliant::files {

using NamedTensor = std::pair<std::string, DenseTensor>;

/// Entries in archive order, named without ".npy"; stored or deflated. Checksums are verified.
Result<std::vector<NamedTensor>> readNpz(const std::string &path);
/// Stored, without times, so that equal tensors give equal bytes.
Status writeNpz(const std::string &path, const std::vector<NamedTensor> &tensors);

} // namespace pliant::files
