// SPDX-License-Identifier: Apache-2.0
#include "api/place.h"
#include <algorithm>

namespace pliant::api {

Place *Place::add(std::shared_ptr<Variable> base) {
  auto *place = new Place;
  base->places.push_back(place);
  place->base = std::move(base);
  return place;
}

Place *Place::variable(trace::Handle value) {
  auto base = std::make_shared<Variable>();
  base->value = std::move(value);
  return add(std::move(base));
}

Place *Place::selection(std::shared_ptr<const Picks> what) {
  std::lock_guard lock(base->mutex);
  Place *place = add(base);
  place->steps = steps;
  place->site = what->site;
  place->picks = std::move(what);
  return place;
}

void Place::release() {
  if (shares.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  {
    std::lock_guard lock(base->mutex);
    std::erase(base->places, this);
    // The only view that is left of a variable that nobody else sees becomes a variable: what it was a view of need not
    // be kept, nor computed.
    if (base->places.size() == 1)
      if (Place &last = *base->places.front();
          !last.steps.empty() && !last.picks && last.seenVersion == base->version) {
        last.steps.clear();
        base->value = std::move(last.seen);
      }
  }
  delete this;
}

trace::Handle broadcastLike(trace::Handle value, std::span<const int64_t> dims, Site site) {
  if (std::ranges::equal(value->dims(), dims))
    return value;
  // What is written may have more axes than there are, in front and of extent 1, as in NumPy.
  if (const auto given = value->dims(); given.size() > dims.size()) {
    const auto spare = given.size() - dims.size();
    if (std::ranges::all_of(given.first(spare), [](int64_t extent) { return extent == 1; })) {
      const auto kept = given.subspan(spare);
      value = record(ReshapeAttrs{Extents(kept.begin(), kept.end())}, {value.get()}, site);
      return broadcastLike(std::move(value), dims, site);
    }
  }
  auto text = [](std::span<const int64_t> extents) {
    return str(std::vector<int64_t>(extents.begin(), extents.end()));
  };
  auto out =
      Session::current().record(BroadcastToAttrs{Extents(dims.begin(), dims.end())}, std::array{value.get()}, site);
  if (!out)
    raise("=", "a value of shape " + text(value->dims()) + " written to shape " + text(dims), site);
  return std::move(*out);
}

trace::Handle apply(const ViewStep &step, trace::Handle value, Site site) {
  return std::visit([&](const auto &attrs) { return record(attrs, {value.get()}, site); }, step);
}

/// Two slices of unit or other steps, one after the other, are one.
static bool joined(ViewStep &last, const ViewStep &next) {
  auto *a = std::get_if<SliceAttrs>(&last);
  auto *b = std::get_if<SliceAttrs>(&next);
  if (!a || !b)
    return false;
  for (size_t i = 0; i < a->starts.size(); ++i) {
    a->starts[i] = a->starts[i] + b->starts[i] * a->steps[i];
    a->steps[i] *= b->steps[i];
    a->sizes[i] = b->sizes[i];
  }
  return true;
}

Place *Place::view(ViewStep step, Site site) {
  std::lock_guard lock(base->mutex);
  trace::Handle value = apply(step, readLocked(site), site); // raises what is wrong with the step
  Place *next = add(base);
  next->seen = std::move(value);
  next->seenVersion = base->version;
  next->steps = steps;
  next->site = site.line ? site : this->site;
  // A view of a view of ... stays as short as one view where slices follow each other.
  if (next->steps.empty() || !joined(next->steps.back(), step))
    next->steps.push_back(std::move(step));
  return next;
}

trace::Handle Place::read(Site site) {
  std::lock_guard lock(base->mutex);
  if (!site.line)
    site = this->site;
  trace::Handle value = readLocked(site);
  if (!picks)
    return value;
  if (!picked || pickedVersion != base->version) {
    picked = picks->read(std::move(value), site);
    pickedVersion = base->version;
  }
  return picked;
}

trace::Handle Place::like() {
  {
    std::lock_guard lock(base->mutex);
    if (picks ? picked : seen)
      return picks ? picked : seen;
    if (!picks && steps.empty())
      return base->value;
  }
  return read(site);
}

trace::Handle Place::readLocked(Site site) {
  if (steps.empty())
    return base->value;
  if (!seen || seenVersion != base->version) {
    trace::Handle value = base->value;
    for (const ViewStep &step : steps)
      value = apply(step, std::move(value), site);
    seen = std::move(value);
    seenVersion = base->version;
  }
  return seen;
}

void Place::write(trace::Handle value, Site site) {
  std::lock_guard lock(base->mutex);
  if (picks)
    value = picks->written(readLocked(site), std::move(value), site);
  if (steps.empty())
    base->value = broadcastLike(std::move(value), base->value->dims(), site);
  else
    base->value = written(base->value, std::move(value), site);
  ++base->version;
}

std::optional<SliceAttrs> Place::box() const {
  if (steps.size() > 2)
    return std::nullopt;
  auto *slice = std::get_if<SliceAttrs>(&steps.front());
  if (!slice || std::any_of(slice->steps.begin(), slice->steps.end(), [](int64_t step) { return step != 1; }))
    return std::nullopt;
  // A reshape behind it keeps the order of the elements, so the value takes the box's shape.
  if (steps.size() == 2 && !std::holds_alternative<ReshapeAttrs>(steps.back()))
    return std::nullopt;
  return *slice;
}

/// Whether an axis position lies in [start, behind), shaped to broadcast along the axis.
static trace::Handle within(int64_t extent, int64_t start, int64_t behind, size_t axesBehind, Site site) {
  const auto at = record(IotaAttrs{{Expr(extent)}, DType::I64}, {}, site);
  const auto from = Access::scalar(DType::I64, Operand(start, site)),
             to = Access::scalar(DType::I64, Operand(behind, site));
  const auto above = record(GreaterEqualAttrs{}, {at.get(), from.get()}, site);
  const auto below = record(LessAttrs{}, {at.get(), to.get()}, site);
  Extents column(axesBehind + 1, Expr(1));
  column[0] = extent;
  return record(ReshapeAttrs{std::move(column)}, {record(LogicalAndAttrs{}, {above.get(), below.get()}, site).get()},
                site);
}

trace::Handle Place::written(const trace::Handle &whole, trace::Handle value, Site site) const {
  for (const ViewStep &step : steps)
    if (std::holds_alternative<BroadcastToAttrs>(step))
      raise("view", "a write through a broadcast view, whose elements stand for several places each", site,
            "write to a clone of it");
  const std::span<const int64_t> dims = whole->dims();
  const bool uniform = value->dims().empty();
  if (auto slice = box()) {
    // Inside of the box the value, elsewhere what was there.
    trace::Handle inside;
    PadAttrs pads{{}, {}, "constant"};
    for (size_t i = 0; i < dims.size(); ++i) {
      const int64_t start = *slice->starts[i].constant(), size = *slice->sizes[i].constant();
      pads.low.push_back(start);
      pads.high.push_back(dims[i] - start - size);
      if (size == dims[i])
        continue;
      auto here = within(dims[i], start, start + size, dims.size() - 1 - i, site);
      inside = inside ? record(LogicalAndAttrs{}, {inside.get(), here.get()}, site) : std::move(here);
    }
    if (!uniform) {
      value = broadcastLike(std::move(value), seen->dims(), site);
      value = record(ReshapeAttrs{slice->sizes}, {value.get()}, site);
      if (inside)
        value = record(std::move(pads), {value.get(), Access::scalar(value->dtype, Operand(0, site)).get()}, site);
    }
    return inside ? record(SelectAttrs{}, {inside.get(), value.get(), whole.get()}, site)
                  : broadcastLike(std::move(value), dims, site);
  }
  // Any other view: the positions of its elements in the variable are what its steps make of 0, 1, 2, ...
  const Extents all(dims.begin(), dims.end());
  const int64_t count = checked(elementCount(dims.data(), dims.size()));
  trace::Handle places = record(IotaAttrs{{Expr(count)}, DType::I64}, {}, site);
  places = record(ReshapeAttrs{all}, {places.get()}, site);
  for (const ViewStep &step : steps)
    places = apply(step, std::move(places), site);
  const int64_t written = checked(elementCount(places->dims().data(), places->dims().size()));
  value = broadcastLike(std::move(value), places->dims(), site);
  value = record(ReshapeAttrs{{Expr(written)}}, {value.get()}, site);
  places = record(ReshapeAttrs{{Expr(written), Expr(1)}}, {places.get()}, site);
  const auto flat = record(ReshapeAttrs{{Expr(count)}}, {whole.get()}, site);
  const auto out = record(ScatterNdAttrs{"none"}, {flat.get(), places.get(), value.get()}, site);
  return record(ReshapeAttrs{all}, {out.get()}, site);
}

} // namespace pliant::api
