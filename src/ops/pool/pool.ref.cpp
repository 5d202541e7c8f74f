// SPDX-License-Identifier: Apache-2.0
// References of pooling: each window visited cell by cell.
#include "ops/ref_values.h"
#include "ops/spatial.h"
#include <limits>

namespace pliant::ops::pool {

/// Calls `fn(window, taps)` for every window; `taps(visit)` visits its cells as `visit(cell)`, padding included.
template <class A, class F> static void forWindows(const A &a, const spatial::Layout &out, F &&fn) {
  const spatial::Index kernel = spatial::lift(a.kernel, 1), stride = spatial::lift(a.strides, 1);
  const spatial::Index dilation = spatial::lift(a.dilations, 1), low = spatial::constantPads(a.pads, false);
  spatial::forEach(out.extent, [&](const spatial::Index &o) {
    fn(o, [&](auto &&visit) {
      spatial::forEach(kernel, [&](spatial::Index cell) {
        for (size_t d = 0; d < 3; ++d)
          cell[d] = o[d] * stride[d] - low[d] + cell[d] * dilation[d];
        visit(cell);
      });
    });
  });
}

/// The mean of each window, or its sum.
template <class A> static void total(RefContext &c, const A &a, const spatial::Layout &in, const spatial::Layout &out) {
  constexpr bool mean = std::is_same_v<A, AvgPoolAttrs>;
  const std::vector<double> x = ref::read<double>(c.inputs[0]);
  std::vector<double> totals(static_cast<size_t>(c.outputs[0].size()));
  const spatial::Index low = spatial::constantPads(a.pads, false), high = spatial::constantPads(a.pads, true);
  for (int64_t n = 0; n < out.batch; ++n)
    for (int64_t channel = 0; channel < out.channels; ++channel)
      forWindows(a, out, [&](const spatial::Index &o, auto &&taps) {
        double sum = 0, count = 0;
        taps([&](const spatial::Index &cell) {
          const bool inside = in.inside(cell);
          bool counted = inside;
          if constexpr (mean)
            counted = counted || a.includePad;
          for (size_t d = 0; d < 3; ++d) // cells that ceilMode reaches beyond the pads never count
            counted = counted && cell[d] >= -low[d] && cell[d] < in.extent[d] + high[d];
          count += counted;
          if (inside)
            sum += x[in.at(n, channel, cell)];
        });
        totals[out.at(n, channel, o)] = mean ? sum / count : sum; // a window of padding only: 0/0 is NaN
      });
  ref::write(c.outputs[0], totals);
}

/// The maximum of each window and where it is; `columnMajor` numbers the spatial axes in reverse.
template <class A, class F>
static void maximum(RefContext &c, const A &a, const spatial::Layout &in, const spatial::Layout &out, F &&store) {
  ref::withOrder(c.inputs[0].dtype(), [&]<class T>(Type<T>) {
    const std::vector<T> x = ref::read<T>(c.inputs[0]);
    for (int64_t n = 0; n < out.batch; ++n)
      for (int64_t channel = 0; channel < out.channels; ++channel)
        forWindows(a, out, [&](const spatial::Index &o, auto &&taps) {
          T best{};
          spatial::Index where{-1, -1, -1}; // padding never wins
          taps([&](const spatial::Index &cell) {
            if (!in.inside(cell))
              return;
            const T value = x[in.at(n, channel, cell)];
            if (where[0] < 0 || (!ref::isNaN(best) && (ref::isNaN(value) || value > best)))
              best = value, where = cell;
          });
          store(n, channel, o, best, where);
        });
  });
}

static Status indices(RefContext &c, const MaxPoolIndicesAttrs &a, const spatial::Layout &in,
                      const spatial::Layout &out) {
  int64_t *to = c.outputs[0].as<int64_t>();
  maximum(c, a, in, out, [&](int64_t n, int64_t channel, const spatial::Index &o, auto, const spatial::Index &where) {
    int64_t flat = 0;
    for (size_t d = 0; d < 3; ++d) {
      const size_t axis = a.columnMajor ? 2 - d : d;
      flat = flat * in.extent[axis] + where[axis];
    }
    const int64_t image = in.extent[0] * in.extent[1] * in.extent[2];
    to[out.at(n, channel, o)] = where[0] < 0 ? -1 : (n * in.channels + channel) * image + flat;
  });
  return ok();
}

Status ref(RefContext &c) {
  auto layouts = [&](bool channelsLast) {
    return std::pair(spatial::layoutOf(c.inputs[0].dims(), channelsLast),
                     spatial::layoutOf(c.outputs[0].dims(), channelsLast));
  };
  if (c.op == OpId::AvgPool) {
    const auto &a = c.as<AvgPoolAttrs>();
    const auto [in, out] = layouts(a.channelsLast);
    total(c, a, in, out);
    return ok();
  }
  if (c.op == OpId::SumPool) {
    const auto &a = c.as<SumPoolAttrs>();
    const auto [in, out] = layouts(a.channelsLast);
    total(c, a, in, out);
    return ok();
  }
  if (c.op == OpId::MaxPoolIndices) {
    const auto &a = c.as<MaxPoolIndicesAttrs>();
    const auto [in, out] = layouts(a.channelsLast);
    return indices(c, a, in, out);
  }
  const auto &a = c.as<MaxPoolAttrs>();
  const auto [in, out] = layouts(a.channelsLast);
  dispatch(c.inputs[0].dtype(), [&]<class S>(Type<S>) {
    S *to = c.outputs[0].as<S>();
    using Compute = ComputeOf<S>;
    Compute lowest = std::numeric_limits<Compute>::lowest();
    if constexpr (isFloatStorage<S>)
      lowest = -std::numeric_limits<Compute>::infinity();
    maximum(c, a, in, out, [&](int64_t n, int64_t channel, const spatial::Index &o, auto best, const auto &where) {
      to[out.at(n, channel, o)] = static_cast<S>(where[0] < 0 ? lowest : static_cast<Compute>(best));
    });
  });
  return ok();
}

} // namespace pliant::ops::pool
