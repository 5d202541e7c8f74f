// SPDX-License-Identifier: Apache-2.0
// Indexing by NumPy's rules: numbers, slices, `ellipsis` and `newAxis` are steps of a view; integer and bool tensors
// pick elements.
#include "api/place.h"
#include <algorithm>

namespace pliant {
namespace api {
namespace {

std::string shapeText(std::span<const int64_t> dims) { return str(std::vector<int64_t>(dims.begin(), dims.end())); }

/// What the indices mean for a tensor of known extents.
struct Plan {
  SliceAttrs slice;          ///< of every axis
  std::vector<int64_t> kept; ///< extents behind the slice, with new axes and without numbers
  bool whole = true;         ///< the slice picks everything
  Picks picks;               ///< axes as in `kept`
  bool picked = false;
};

void range(const Slice &slice, int64_t extent, int64_t axis, Site site, Plan &plan) {
  const int64_t step = slice.step;
  if (step == 0 || step == INT64_MIN)
    raise("index", "the step of axis " + std::to_string(axis) + " is " + std::to_string(step), site);
  auto clamped = [&](std::optional<int64_t> end, int64_t open) {
    if (!end)
      return open;
    const int64_t at = *end < 0 ? (*end < -extent ? -1 : *end + extent) : *end;
    return step > 0 ? std::clamp<int64_t>(at, 0, extent) : std::clamp<int64_t>(at, -1, extent - 1);
  };
  const int64_t start = clamped(slice.start, step > 0 ? 0 : extent - 1),
                stop = clamped(slice.stop, step > 0 ? extent : -1);
  const int64_t distance = step > 0 ? stop - start : start - stop, stride = step > 0 ? step : -step;
  const int64_t size = distance > 0 ? (distance - 1) / stride + 1 : 0;
  plan.slice.starts.push_back(size ? start : 0);
  plan.slice.steps.push_back(size ? step : 1);
  plan.slice.sizes.push_back(size);
  plan.whole &= size == extent && step == 1;
  plan.kept.push_back(size);
}

void checkMask(std::span<const int64_t> mask, std::span<const int64_t> dims, int64_t axis, Site site) {
  if (mask.empty())
    raise("index", "a mask of rank 0", site, "use where(condition, x, y)");
  if (!std::ranges::equal(mask, dims.subspan(static_cast<size_t>(axis), mask.size())))
    raise("index",
          "a mask of shape " + shapeText(mask) + " for axes " + std::to_string(axis) + " and following of shape " +
              shapeText(dims),
          site);
}

Plan planned(std::span<const int64_t> dims, std::span<const Index> indices, Site site) {
  const auto rank = static_cast<int64_t>(dims.size());
  int64_t taken = 0, ellipses = 0, picking = 0; // numbers pick beside tensors
  bool byTensor = false;
  for (const Index &index : indices) {
    ellipses += index.kind == Index::Kind::Ellipsis;
    byTensor |= index.kind == Index::Kind::Tensor;
    picking += index.kind == Index::Kind::Tensor || index.kind == Index::Kind::Number;
    const bool mask = index.kind == Index::Kind::Tensor && index.tensor->dtype() == DType::Bool;
    taken += mask ? index.tensor->rank() : index.kind != Index::Kind::Ellipsis && index.kind != Index::Kind::NewAxis;
  }
  if (ellipses > 1)
    raise("index", "more than one ellipsis", site);
  if (taken > rank)
    raise("index", std::to_string(taken) + " indices for shape " + shapeText(dims), site);
  const bool alone = picking == 1;
  Plan plan;
  plan.picks.site = site;
  plan.slice.starts.reserve(dims.size());
  plan.slice.steps.reserve(dims.size());
  plan.slice.sizes.reserve(dims.size());
  plan.kept.reserve(dims.size() + indices.size());
  int64_t axis = 0;
  bool apart = false;      // something else stands between two picked axes
  int64_t lastPicked = -1; // position among the indices
  auto wholeAxis = [&] {
    range({}, dims[static_cast<size_t>(axis)], axis, site, plan);
    ++axis;
  };
  auto pick = [&](trace::Handle value, int64_t position) {
    apart |= lastPicked >= 0 && position > lastPicked + 1;
    lastPicked = position;
    plan.picks.axes.push_back({static_cast<int64_t>(plan.kept.size()), std::move(value)});
    wholeAxis();
  };
  for (size_t i = 0; i < indices.size(); ++i) {
    const Index &index = indices[i];
    const auto position = static_cast<int64_t>(i);
    switch (index.kind) {
    case Index::Kind::Ellipsis:
      for (int64_t left = rank - taken; left; --left)
        wholeAxis();
      break;
    case Index::Kind::NewAxis:
      plan.kept.push_back(1);
      break;
    case Index::Kind::Slice:
      range(index.slice, dims[static_cast<size_t>(axis)], axis, site, plan);
      ++axis;
      break;
    case Index::Kind::Number: {
      const int64_t extent = dims[static_cast<size_t>(axis)];
      if (index.number < -extent || index.number >= extent)
        raise("index",
              "position " + std::to_string(index.number) + " of axis " + std::to_string(axis) +
                  " is outside of shape " + shapeText(dims),
              site);
      if (byTensor) { // beside tensors a number is one of them
        pick(Access::scalar(DType::I64, Operand(index.number, site)), position);
        break;
      }
      range({index.number, index.number == -1 ? extent : index.number + 1}, extent, axis, site, plan);
      plan.kept.pop_back();
      ++axis;
      break;
    }
    case Index::Kind::Tensor: {
      trace::Handle value = Access::value(*index.tensor, site);
      if (value->dtype == DType::Bool) {
        Picks mask;
        mask.mask = std::move(value);
        mask.front = static_cast<int64_t>(plan.kept.size());
        mask.site = site;
        checkMask(mask.mask->dims(), dims, axis, site);
        if (alone) {
          plan.picks = std::move(mask);
          for (size_t k = 0; k < plan.picks.mask->dims().size(); ++k)
            wholeAxis();
        } else {
          for (Picks::Axis &each : mask.byNumber(site))
            pick(std::move(each.indices), position);
        }
        break;
      }
      if (!isInteger(value->dtype))
        raise("index", "a tensor of " + std::string(name(value->dtype)) + " as an index", site,
              "indices are integers or bool");
      if (value->dtype != DType::I64 && value->dtype != DType::I32)
        value = cast(std::move(value), DType::I64, site);
      pick(std::move(value), position);
      break;
    }
    }
  }
  while (axis < rank)
    wholeAxis();
  plan.picked = plan.picks.mask || !plan.picks.axes.empty();
  if (!plan.picks.axes.empty())
    plan.picks.front = apart ? 0 : plan.picks.axes.front().axis;
  return plan;
}

} // namespace
} // namespace api

Selection Tensor::operator()(std::span<const Index> indices) const {
  using namespace api;
  const Site site = indices.empty() ? Site() : indices.front().site;
  const trace::Handle value = Access::value(*this, site);
  Plan plan = planned(value->dims(), indices, site);
  Tensor out;
  bool viewed = false;
  if (!plan.whole) {
    out = Access::view(*this, plan.slice, site);
    viewed = true;
  }
  Shape between;
  for (const Expr &size : plan.slice.sizes)
    between.push_back(*size.constant());
  if (plan.kept != between || !viewed)
    out = Access::view(viewed ? out : *this, ReshapeAttrs{Extents(plan.kept.begin(), plan.kept.end())}, site);
  return Access::selection(std::move(out), plan.picked ? std::make_shared<Picks>(std::move(plan.picks)) : nullptr);
}

} // namespace pliant
