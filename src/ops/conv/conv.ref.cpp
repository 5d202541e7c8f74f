// SPDX-License-Identifier: Apache-2.0
// Reference of conv: for each output the sum over channels and taps in double, rounded once; integers wrap.
#include "ops/spatial_conv.h"

namespace pliant::ops::conv {

Status ref(RefContext &c) {
  return ref::withArithmetic(c.outputs[0].dtype(), [&]<class T>(Type<T>) -> Status {
    const std::vector<T> x = ref::read<T>(c.inputs[0]), w = ref::read<T>(c.inputs[1]);
    PLIANT_TRY(std::vector<T> sums, spatial::convolve(c, c.as<ConvAttrs>(), x, w));
    ref::write(c.outputs[0], sums);
    return ok();
  });
}

} // namespace pliant::ops::conv
