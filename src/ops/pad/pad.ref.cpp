// SPDX-License-Identifier: Apache-2.0
// Reference of pad: each result index maps to an index of x, or to the value.
#include "ops/dispatch.h"
#include "ops/op.h"
#include "ops/walk.h"
#include <algorithm>

namespace pliant::ops::pad {

/// The index of x for position `at` (counted from the start of x) of an axis; -1 for the value.
static int64_t source(const std::string &mode, int64_t at, int64_t extent) {
  if (at >= 0 && at < extent)
    return at;
  if (mode == "constant")
    return -1;
  if (mode == "edge")
    return at < 0 ? 0 : extent - 1;
  if (mode == "reflect")
    return at < 0 ? -at : 2 * (extent - 1) - at;
  return (at % extent + extent) % extent;
}

Status ref(RefContext &c) {
  const PadAttrs &a = c.as<PadAttrs>();
  const DenseTensor &x = c.inputs[0], &result = c.outputs[0];
  const Dims own = stridesOf(x.dims());
  std::vector<Dims> maps(own.size()); // per axis: element offset into x, or -1
  for (size_t i = 0; i < own.size(); ++i) {
    const int64_t extent = x.dims()[i], low = a.low[i].constant().value_or(0), high = a.high[i].constant().value_or(0);
    const int64_t limit = a.mode == "reflect" ? extent - 1 : extent > 0 ? INT64_MAX : 0; // largest count
    if (a.mode != "constant" && std::max({low, high, int64_t(0)}) > std::max(limit, int64_t(0)))
      return c.error(a.mode + " padding of axis " + std::to_string(i) + " by " + std::to_string(std::max(low, high)) +
                         " needs more than its extent " + std::to_string(extent) + ", shape " + str(x.dims()),
                     "C3");
    for (int64_t k = 0; k < result.dims()[i]; ++k) {
      const int64_t from = source(a.mode, k - low, extent);
      maps[i].push_back(from < 0 ? -1 : from * own[i]);
    }
  }
  Dims strides = stridesOf(result.dims());
  dispatchSize(x.dtype(), [&]<class T>(Type<T>) {
    for (int64_t flat = 0; flat < result.size(); ++flat) {
      int64_t offset = 0;
      for (size_t i = 0; i < maps.size() && offset >= 0; ++i) {
        const int64_t part = maps[i][static_cast<size_t>(flat / strides[i] % result.dims()[i])];
        offset = part < 0 ? -1 : offset + part;
      }
      result.as<T>()[flat] = offset < 0 ? *c.inputs[1].as<T>() : x.as<T>()[offset];
    }
  });
  return ok();
}

} // namespace pliant::ops::pad
