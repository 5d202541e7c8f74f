// SPDX-License-Identifier: Apache-2.0
// Where the elements of a tensor lie that others may see: a variable, whose value each write replaces, or a view of
// one, which is the steps that lead from the variable's value to its own. A write through a view makes a new value of
// the variable; whoever read the old one keeps it.
#pragma once
#include "api/record.h"

namespace pliant::api {

/// What integer and bool tensors pick out of a tensor, by NumPy's rules.
class Picks {
public:
  /// A tensor for each axis from `axes`; where the picked axes go in the result.
  struct Axis {
    int64_t axis;
    trace::Handle indices; ///< integers that broadcast together
  };
  std::vector<Axis> axes;
  trace::Handle mask; ///< in place of axes: picks where it is true, over its axes from `front` on
  int64_t front = 0;  ///< where the picked axes begin in the result
  Site site;          ///< of the indexing

  trace::Handle read(trace::Handle whole, Site site) const;
  /// `whole` with what is picked replaced by `value`, which broadcasts to it.
  trace::Handle written(trace::Handle whole, trace::Handle value, Site site) const;

  std::vector<Axis> byNumber(Site site) const; ///< the mask as the indices of its true elements
};

class Place {
public:
  /// Both with one share.
  static Place *variable(trace::Handle value);
  Place *view(ViewStep step, Site site);
  Place *selection(std::shared_ptr<const Picks> picks);
  void retain() { shares.fetch_add(1, std::memory_order_relaxed); }
  void release();
  trace::Handle read(Site site);
  /// A value of its element type and shape, which no write changes.
  trace::Handle like();
  /// `value` has the element type of the place and broadcasts to its shape.
  void write(trace::Handle value, Site site);
  bool copies() const { return picks != nullptr; } ///< what is read is no view

private:
  struct Variable {
    std::mutex mutex;
    trace::Handle value;
    uint64_t version = 0;
    std::vector<Place *> places;
  };
  std::atomic<uint32_t> shares{1};
  std::shared_ptr<Variable> base;
  std::vector<ViewStep> steps; ///< none: the variable itself
  std::shared_ptr<const Picks> picks;
  Site site;                  ///< that made the view: for reads that know no line of their own, such as of a copy
  trace::Handle seen, picked; ///< what the steps, and `picks` behind them, gave for a version
  uint64_t seenVersion = 0, pickedVersion = 0;

  static Place *add(std::shared_ptr<Variable> base);
  trace::Handle readLocked(Site site);
  trace::Handle written(const trace::Handle &whole, trace::Handle value, Site site) const;
  std::optional<SliceAttrs> box() const;
};

/// `value` broadcast to the shape of `like`; an error names both.
trace::Handle broadcastLike(trace::Handle value, std::span<const int64_t> dims, Site site);
/// What one view step makes of a value.
trace::Handle apply(const ViewStep &step, trace::Handle value, Site site);

} // namespace pliant::api
