// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files, format versions 1 to 3.
#pragma once
#include "files/bytes.h"
#include "runtime/dense_tensor.h"

namespace pliant::files {

/// Little-endian numbers and bools; Fortran order is transposed. bf16, which NumPy lacks, is two-byte void ('V2'), as
/// the ml_dtypes package writes it. Objects, strings, records and complex numbers are errors. Bools become 0 or 1.
Result<DenseTensor> readNpy(const std::string &path);
/// The same from a source whose remaining bytes are one .npy file; `path` is for errors.
Result<DenseTensor> readNpy(Source &source, std::string_view path);

Status writeNpy(const std::string &path, const DenseTensor &tensor); ///< version 1
std::string npyBytes(const DenseTensor &tensor);                     ///< the whole file

} // namespace pliant::files
