// SPDX-License-Identifier: Apache-2.0
// NonMaxSuppression: the number of boxes chosen is a fresh symbol.
#include "ops/onnx_util.h"
#include <cmath>

namespace pliant::ops::non_max_suppression {
using namespace onnx_import;

static Status importNonMaxSuppression(NodeImport &n) {
  ValueBuilder &b = n.b;
  Value boxes = n.in(0), scores = n.in(1);
  Extents limit{0};
  if (n.has(2)) // anything is allowed: models ask for "all" with the largest number
    limit = b.bind(asScalar(n, n.in(2)), Interval{}, "boxes");
  if (b.failed())
    return b.status();
  if (limit.size() != 1)
    return n.error("max_output_boxes_per_class must be one number");
  limit[0] = max(min(limit[0], Expr(extentBounds.hi)), Expr(0));
  auto scalar = [&](size_t i, double otherwise) {
    return n.has(i) ? asScalar(n, n.in(i)) : b.scalar(DType::F32, otherwise);
  };
  std::vector<Value> found = b.nonMaxSuppression(boxes, scores, scalar(3, 0), scalar(4, -INFINITY), limit,
                                                 n.intAttr("center_point_box", 0) != 0);
  if (b.failed())
    return b.status();
  const Extents count = b.bind(found[1], extentBounds, "selected");
  if (!b.failed())
    n.out(b.slice(found[0], {0, 0}, {1, 1}, {count[0], 3}));
  return b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"NonMaxSuppression", 10, importNonMaxSuppression}};
  return rows;
}

} // namespace pliant::ops::non_max_suppression
