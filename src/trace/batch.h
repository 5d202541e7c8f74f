// SPDX-License-Identifier: Apache-2.0
// The same ops for many: each value gets a first axis along which the instances lie, but for what all of them share.
#pragma once
#include "trace/oplist.h"
#include <optional>

namespace pliant::trace {

struct Batched {
  static constexpr int shared = -1;
  static constexpr int64_t count = -1, zero = -2;
  std::shared_ptr<const Structure> structure;
  std::vector<int> leaves;      ///< by leaf: `shared`, or how many axes of extent 1 lie behind the first
  std::vector<int64_t> numbers; ///< what the integers are: those of the instances, or `count` of them, or `zero`
  std::vector<bool> results;    ///< whether they have the axis
};

/// Nothing when an op among them cannot take the axis.
std::optional<Batched> batch(const Structure &structure, const std::vector<bool> &shared);

} // namespace pliant::trace
