// SPDX-License-Identifier: Apache-2.0
// Reference of conv: for each output the sum over channels and taps in double, rounded once; integers wrap.
#include "ops/ref_values.h"
#include "ops/spatial.h"

namespace pliant::ops::conv {

Status ref(RefContext &c) {
  const auto &a = c.as<ConvAttrs>();
  const spatial::Layout in = spatial::layoutOf(c.inputs[0].dims(), a.channelsLast);
  const spatial::Layout taps = spatial::layoutOf(c.inputs[1].dims(), false); // outputs as batch
  const spatial::Layout out = spatial::layoutOf(c.outputs[0].dims(), a.channelsLast);
  if (in.channels != taps.channels * a.groups || taps.batch % a.groups != 0)
    return c.error("x has " + std::to_string(in.channels) + " channels but w has " + std::to_string(taps.channels) +
                       " times " + std::to_string(a.groups) + " groups",
                   "C3");
  const spatial::Index stride = spatial::lift(a.strides, 1), dilation = spatial::lift(a.dilations, 1);
  const spatial::Index low = spatial::constantPads(a.pads, false);
  ref::withArithmetic(c.outputs[0].dtype(), [&]<class T>(Type<T>) {
    const std::vector<T> x = ref::read<T>(c.inputs[0]), w = ref::read<T>(c.inputs[1]);
    std::vector<T> sums(static_cast<size_t>(c.outputs[0].size()));
    const int64_t perGroup = taps.batch / a.groups;
    for (int64_t n = 0; n < out.batch; ++n)
      for (int64_t m = 0; m < out.channels; ++m)
        spatial::forEach(out.extent, [&](const spatial::Index &o) {
          T sum = 0;
          spatial::forEach(taps.extent, [&](const spatial::Index &k) {
            spatial::Index i;
            for (size_t d = 0; d < 3; ++d)
              i[d] = o[d] * stride[d] - low[d] + k[d] * dilation[d];
            if (!in.inside(i))
              return;
            const int64_t from = in.at(n, m / perGroup * taps.channels, i), tap = taps.at(m, 0, k);
            for (int64_t channel = 0; channel < taps.channels; ++channel)
              sum += x[from + channel * in.channelStride] * w[tap + channel * taps.channelStride];
          });
          sums[out.at(n, m, o)] = sum;
        });
    ref::write(c.outputs[0], sums);
  });
  return ok();
}

} // namespace pliant::ops::conv
