// SPDX-License-Identifier: Apache-2.0
// Elements picked by integer and bool tensors: read by gathers, written by scatters or, under a mask, by a selection.
#include "api/place.h"
#include <algorithm>

namespace pliant::api {
namespace {

std::vector<int64_t> dimsOf(const trace::Handle &value) { return {value->dims().begin(), value->dims().end()}; }
Extents extents(std::span<const int64_t> dims) { return {dims.begin(), dims.end()}; }

/// The shape that index tensors broadcast to.
std::vector<int64_t> together(const std::vector<Picks::Axis> &axes, Site site) {
  std::vector<int64_t> out;
  for (const Picks::Axis &each : axes) {
    const std::span<const int64_t> dims = each.indices->dims();
    if (dims.size() > out.size())
      out.insert(out.begin(), dims.size() - out.size(), 1);
    for (size_t i = 0; i < dims.size(); ++i) {
      int64_t &to = out[out.size() - dims.size() + i];
      if (to == 1)
        to = dims[i];
      else if (dims[i] != 1 && dims[i] != to)
        raise("index",
              "index tensors of shapes " + str(dimsOf(axes.front().indices)) + " and " + str(dimsOf(each.indices)) +
                  " do not broadcast",
              site);
    }
  }
  return out;
}

/// One tuple of positions for each picked element: (..., number of axes).
trace::Handle tuples(const std::vector<Picks::Axis> &axes, const std::vector<int64_t> &shape, Site site) {
  std::vector<trace::Handle> columns;
  Extents column = extents(shape);
  column.push_back(1);
  for (const Picks::Axis &each : axes) {
    trace::Handle value = broadcastLike(cast(each.indices, DType::I64, site), shape, site);
    columns.push_back(record(ReshapeAttrs{column}, {value.get()}, site));
  }
  if (columns.size() == 1)
    return columns.front();
  const auto nodes = nodesOf(columns);
  return checked(Session::current().record(ConcatAttrs{static_cast<int64_t>(shape.size())}, nodes, site));
}

trace::Handle transposed(trace::Handle value, const std::vector<int64_t> &perm, Site site) {
  return std::ranges::is_sorted(perm) ? value : record(TransposeAttrs{perm}, {value.get()}, site);
}

/// The picked axes to the front, the others behind them in order.
std::vector<int64_t> pickedFirst(const std::vector<Picks::Axis> &axes, int64_t rank) {
  std::vector<int64_t> perm;
  for (const Picks::Axis &each : axes)
    perm.push_back(each.axis);
  for (int64_t axis = 0; axis < rank; ++axis)
    if (std::ranges::none_of(axes, [&](const Picks::Axis &each) { return each.axis == axis; }))
      perm.push_back(axis);
  return perm;
}

/// From (picked..., others...) to the picked axes standing at `front` among the others.
std::vector<int64_t> pickedAt(int64_t front, int64_t picked, int64_t rank) {
  std::vector<int64_t> perm;
  for (int64_t i = 0; i < front; ++i)
    perm.push_back(picked + i);
  for (int64_t i = 0; i < picked; ++i)
    perm.push_back(i);
  for (int64_t i = picked + front; i < rank; ++i)
    perm.push_back(i);
  return perm;
}

std::vector<int64_t> inverse(const std::vector<int64_t> &perm) {
  std::vector<int64_t> out(perm.size());
  for (size_t i = 0; i < perm.size(); ++i)
    out[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  return out;
}

} // namespace

std::vector<Picks::Axis> Picks::byNumber(Site site) const {
  // How many there are decides a shape, so it is asked for now.
  std::vector<int64_t> all(mask->dims().size());
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<int64_t>(i);
  const auto counted = record(ReduceSumAttrs{all, false}, {cast(mask, DType::I64, site).get()}, site);
  const DenseTensor count = checked(Session::value(counted.get(), site, Cut::Extent));
  const int64_t n = *count.as<int64_t>();
  const auto places = record(NonZeroAttrs{{Expr(n)}}, {mask.get()}, site);
  std::vector<Axis> out;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto row =
        record(SliceAttrs{{Expr(static_cast<int64_t>(i)), Expr(0)}, {1, 1}, {Expr(1), Expr(n)}}, {places.get()}, site);
    out.push_back({front + static_cast<int64_t>(i), record(ReshapeAttrs{{Expr(n)}}, {row.get()}, site)});
  }
  return out;
}

trace::Handle Picks::read(trace::Handle whole, Site site) const {
  if (mask) {
    Picks numbers;
    numbers.axes = byNumber(site);
    numbers.front = front;
    return numbers.read(std::move(whole), site);
  }
  if (axes.size() == 1)
    return record(GatherAttrs{axes.front().axis}, {whole.get(), axes.front().indices.get()}, site);
  const std::vector<int64_t> shape = together(axes, site);
  const auto at = tuples(axes, shape, site);
  const auto first = transposed(whole, pickedFirst(axes, whole->rank), site);
  const auto out = record(GatherNdAttrs{0}, {first.get(), at.get()}, site);
  return transposed(out, pickedAt(front, static_cast<int64_t>(shape.size()), out->rank), site);
}

trace::Handle Picks::written(trace::Handle whole, trace::Handle value, Site site) const {
  if (mask) {
    if (value->dims().empty()) { // nothing needs to be counted
      Extents column(static_cast<size_t>(front), Expr(1));
      column.insert(column.end(), mask->dims().begin(), mask->dims().end());
      column.resize(whole->rank, Expr(1));
      const auto where = record(ReshapeAttrs{std::move(column)}, {mask.get()}, site);
      return record(SelectAttrs{}, {where.get(), value.get(), whole.get()}, site);
    }
    Picks numbers;
    numbers.axes = byNumber(site);
    numbers.front = front;
    return numbers.written(std::move(whole), std::move(value), site);
  }
  const std::vector<int64_t> shape = together(axes, site);
  const auto at = tuples(axes, shape, site);
  const std::vector<int64_t> perm = pickedFirst(axes, whole->rank);
  const auto picked = static_cast<int64_t>(shape.size());
  // The shape of what is picked, as it is read.
  std::vector<int64_t> target = shape;
  for (size_t i = axes.size(); i < perm.size(); ++i)
    target.push_back(whole->dims()[static_cast<size_t>(perm[i])]);
  const std::vector<int64_t> order = pickedAt(front, picked, static_cast<int64_t>(target.size()));
  std::vector<int64_t> read;
  for (int64_t axis : order)
    read.push_back(target[static_cast<size_t>(axis)]);
  value = transposed(broadcastLike(std::move(value), read, site), inverse(order), site);
  const auto front = transposed(whole, perm, site);
  const auto out = record(ScatterNdAttrs{"none"}, {front.get(), at.get(), value.get()}, site);
  return transposed(out, inverse(perm), site);
}

} // namespace pliant::api
