// SPDX-License-Identifier: Apache-2.0
// Reference of conv_transpose: each output gathers the inputs that reach it, in double, rounded once; integers wrap.
#include "ops/ref_values.h"
#include "ops/spatial.h"

namespace pliant::ops::conv_transpose {

Status ref(RefContext &c) {
  const auto &a = c.as<ConvTransposeAttrs>();
  const spatial::Layout in = spatial::layoutOf(c.inputs[0].dims(), a.channelsLast);
  const spatial::Layout taps = spatial::layoutOf(c.inputs[1].dims(), false); // channels as batch
  const spatial::Layout out = spatial::layoutOf(c.outputs[0].dims(), a.channelsLast);
  if (in.channels != taps.batch || taps.batch % a.groups != 0)
    return c.error("x has " + std::to_string(in.channels) + " channels but w has " + std::to_string(taps.batch) +
                       " in " + std::to_string(a.groups) + " groups",
                   "C3");
  const spatial::Index stride = spatial::lift(a.strides, 1), dilation = spatial::lift(a.dilations, 1);
  const spatial::Index low = spatial::constantPads(a.pads, false);
  ref::withArithmetic(c.outputs[0].dtype(), [&]<class T>(Type<T>) {
    const std::vector<T> x = ref::read<T>(c.inputs[0]), w = ref::read<T>(c.inputs[1]);
    std::vector<T> sums(static_cast<size_t>(c.outputs[0].size()));
    const int64_t perGroup = in.channels / a.groups;
    for (int64_t n = 0; n < out.batch; ++n)
      for (int64_t m = 0; m < out.channels; ++m)
        spatial::forEach(out.extent, [&](const spatial::Index &o) {
          const int64_t first = m / taps.channels * perGroup, column = m % taps.channels;
          T sum = 0;
          spatial::forEach(taps.extent, [&](const spatial::Index &k) {
            spatial::Index i;
            for (size_t d = 0; d < 3; ++d) {
              i[d] = o[d] + low[d] - k[d] * dilation[d];
              if (i[d] % stride[d] != 0)
                return;
              i[d] /= stride[d];
            }
            if (!in.inside(i))
              return;
            for (int64_t channel = first; channel < first + perGroup; ++channel)
              sum += x[in.at(n, channel, i)] * w[taps.at(channel, column, k)];
          });
          sums[out.at(n, m, o)] = sum;
        });
    ref::write(c.outputs[0], sums);
  });
  return ok();
}

} // namespace pliant::ops::conv_transpose
