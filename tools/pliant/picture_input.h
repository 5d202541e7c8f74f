// SPDX-License-Identifier: Apache-2.0
// A picture as the input of a model: layout, channel order, element type, mean and scale.
#pragma once
#include "arguments.h"
#include "plan/program.h"

namespace pliant::tool {

struct PictureOptions {
  std::vector<double> mean{0}, scale{1}; ///< one value, or one per channel; element = (pixel - mean) * scale
  bool bgr = false;                      ///< blue first
  int64_t height = 0, width = 0;         ///< resized to, bilinear; 0: left as it is (one of them: in proportion)
};

/// From --mean, --scale ("127.5", "1/255", "0.485,0.456,0.406"), --bgr and --resize (48x320, 48x, x320).
Result<PictureOptions> pictureOptions(const Arguments &arguments);
const std::vector<Option> &pictureOptionList();

/// Whether a tensor is a picture that this input cannot take as it is.
bool wantsPicture(const DenseTensor &tensor, const TensorType &type);
/// u8 (H, W, 3) to the input's type and layout: (3, H, W) or (H, W, 3), with a batch of 1 before it at rank 4, grey
/// where the input has one channel. An extent of 3 or 1 says where the channels are; without one they come first.
Result<DenseTensor> pictureInput(const DenseTensor &picture, const Argument &argument, const PictureOptions &options);

} // namespace pliant::tool
