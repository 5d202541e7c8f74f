// SPDX-License-Identifier: Apache-2.0
// Reference of non_max_suppression: a sort by score, then each box against those chosen before it.
#include "ops/op.h"
#include <algorithm>
#include <numeric>

namespace pliant::ops::non_max_suppression {

namespace {
struct Box {
  float top, left, bottom, right;
};
} // namespace

static Box boxAt(const float *b, bool centred) {
  if (centred)
    return {b[1] - b[3] * 0.5f, b[0] - b[2] * 0.5f, b[1] + b[3] * 0.5f, b[0] + b[2] * 0.5f};
  return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
}

/// Whether intersection over union is above the bound; boxes without area overlap nothing.
static bool overlaps(const Box &a, const Box &b, float bound) {
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (!(height > 0) || !(width > 0))
    return false;
  const float areaA = (a.bottom - a.top) * (a.right - a.left), areaB = (b.bottom - b.top) * (b.right - b.left);
  const float common = height * width;
  return common / (areaA + areaB - common) > bound;
}

Status ref(RefContext &c) {
  const auto &a = c.as<NonMaxSuppressionAttrs>();
  const auto &scores = c.inputs[1].dims();
  const int64_t batches = scores[0], classes = scores[1], n = scores[2];
  const int64_t limit = a.limit[0].constant().value_or(0);
  const float overlap = *c.inputs[2].as<float>(), least = *c.inputs[3].as<float>();
  int64_t *selected = c.outputs[0].as<int64_t>(), count = 0;
  std::fill_n(selected, c.outputs[0].size(), 0);
  std::vector<int64_t> order(static_cast<size_t>(n));
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t kind = 0; kind < classes; ++kind) {
      const float *score = c.inputs[1].as<float>() + (batch * classes + kind) * n;
      std::iota(order.begin(), order.end(), 0);
      std::erase_if(order, [&](int64_t i) { return !(score[i] > least); });
      std::sort(order.begin(), order.end(),
                [&](int64_t i, int64_t j) { return score[i] != score[j] ? score[i] > score[j] : i < j; });
      std::vector<Box> chosen;
      for (int64_t i : order) {
        const Box box = boxAt(c.inputs[0].as<float>() + (batch * n + i) * 4, a.centred);
        if (static_cast<int64_t>(chosen.size()) >= limit ||
            std::any_of(chosen.begin(), chosen.end(), [&](const Box &b) { return overlaps(box, b, overlap); }))
          continue;
        chosen.push_back(box);
        for (int64_t value : {batch, kind, i})
          *selected++ = value;
        ++count;
      }
      order.resize(static_cast<size_t>(n));
    }
  *c.outputs[1].as<int64_t>() = count;
  return ok();
}

} // namespace pliant::ops::non_max_suppression
