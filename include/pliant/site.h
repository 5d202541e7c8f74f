// SPDX-License-Identifier: Apache-2.0
// A line of the user's program: where an op was recorded.
#pragma once
#include <concepts>
#include <cstdint>
#include <source_location>

namespace pliant {

struct Site {
  const char *file = ""; ///< lives as long as the process
  uint32_t line = 0;

  Site() = default;
  /// Only of what is a text: `{0, 3}` is a shape.
  template <std::same_as<const char *> Text> constexpr Site(Text file, uint32_t line) : file(file), line(line) {}
  constexpr Site(const std::source_location &place) : file(place.file_name()), line(place.line()) {}
};

} // namespace pliant
