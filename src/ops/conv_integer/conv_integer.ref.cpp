// SPDX-License-Identifier: Apache-2.0
// Reference of conv_integer: sums that wrap.
#include "ops/spatial_conv.h"

namespace pliant::ops::conv_integer {

Status ref(RefContext &c) {
  using Word = uint64_t; // wraps as i32 does after truncation
  std::vector<Word> x = ref::read<Word>(c.inputs[0]);
  const Word zero = ref::read<Word>(c.inputs[2])[0];
  for (Word &element : x)
    element -= zero;
  PLIANT_TRY(std::vector<Word> sums, spatial::convolve(c, c.as<ConvIntegerAttrs>(), x, ref::read<Word>(c.inputs[1])));
  ref::write(c.outputs[0], sums);
  return ok();
}

} // namespace pliant::ops::conv_integer
