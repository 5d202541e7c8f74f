// SPDX-License-Identifier: Apache-2.0
// Finds equal segments of steps that follow one another: the layers of a model. They are drawn once.
#pragma once
#include "plan/program.h"

namespace pliant::tool::view {

/// A step, or a segment that stands for `count` equal ones.
struct Item {
  const Step *step = nullptr;
  std::vector<Item> body{}; ///< the first segment
  int count = 1;
  /// A buffer that the first segment reads, and what it makes for the next one in its place.
  std::map<int, int> carried{};
};

struct Folded {
  std::vector<Item> items;
  std::map<int, int> same; ///< buffers of further segments to those of the first, which stand for them
};

/// Segments are equal when their steps are (kernel or op, types, symbols) and each input comes from the same place: the
/// same step of the segment, or of the segment before, the same buffer for all, or a weight or input of the program of
/// its own. Nothing but the next segment may read what a segment makes; the last one and outputs of the program
/// excepted. Steps that do not depend on the segment that they interrupt are moved before it.
Folded fold(const Program &program, const std::vector<const Step *> &steps);

} // namespace pliant::tool::view
