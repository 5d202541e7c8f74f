// SPDX-License-Identifier: Apache-2.0
// Pictures: .png and .jpg files as u8 tensors of shape (height, width, 3), red first.
#pragma once
#include "files/bytes.h"
#include "runtime/dense_tensor.h"

namespace pliant::files {

/// By the first bytes, not the name. As common libraries' "RGB" mode: grey is repeated, 16 bits are cut to 8, palettes
/// are looked up; alpha, gamma, colour profiles and the EXIF orientation are ignored. At most 2^28 pixels.
Result<DenseTensor> readPicture(const std::string &path);
Result<DenseTensor> decodePicture(Bytes bytes, std::string_view path);
bool isPicture(Bytes start);

/// u8 of shape (height, width), (height, width, 1), (height, width, 3) or (height, width, 4).
Status writePng(const std::string &path, const DenseTensor &picture);

} // namespace pliant::files
