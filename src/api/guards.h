// SPDX-License-Identifier: Apache-2.0
// The guards of a program as tests of numbers.
#pragma once
#include "trace/symbolic.h"

namespace pliant::api {

class Guards {
public:
  Guards() = default;
  /// Of a trace with that many symbols, of which the first are extents of leaves.
  Guards(const std::vector<trace::Guard> &guards, size_t leafExtents, size_t symbols);
  /// Whether all hold for these values of the symbols.
  bool hold(std::span<const int64_t> values);

private:
  struct Side {
    std::vector<Expr::Step> steps;
    std::vector<int> symbols; ///< by step: the symbol's number
  };
  std::vector<std::pair<Side, Side>> tests;
  std::vector<int64_t> last; ///< values for which they held the last time
  bool tested = false;
};

} // namespace pliant::api
