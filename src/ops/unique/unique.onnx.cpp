// SPDX-License-Identifier: Apache-2.0
// Unique: groups by a kernel, their number read by the host, the rest by gather and slice.
#include "ops/onnx_axes.h"

namespace pliant::ops::unique {
using namespace onnx_import;

static Status importUnique(NodeImport &n) {
  ValueBuilder &b = n.b;
  PLIANT_TRY(auto place, axisOrFlattened(n));
  const auto [x, axis] = place;
  std::vector<Value> found = b.unique(x, axis, n.intAttr("sorted", 1) != 0);
  if (b.failed())
    return b.status();
  const Interval bounds{0, b.shape(x)[axis].constant().value_or(extentBounds.hi)};
  const Extents total = b.bind(found[3], bounds, "unique");
  if (b.failed())
    return b.status();
  auto known = [&](Value list) { return b.slice(list, {0}, {1}, total); };
  Value firsts = known(found[1]);
  n.out(b.gather(x, firsts, axis));
  n.out(firsts);
  n.out(found[0]);
  n.out(known(found[2]));
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"Unique", 11, importUnique}};
  return rows;
}

} // namespace pliant::ops::unique
