// SPDX-License-Identifier: Apache-2.0
// Blocks of zeroed anonymous memory from the system, in huge pages when they are large: packed weights and arenas.
#pragma once
#include "support/result.h"
#include <cstddef>
#include <string_view>
#include <utility>

namespace pliant {

class Pages {
public:
  static constexpr size_t hugePage = size_t(2) << 20;

  Pages() = default;
  /// Maps at least bytes (never null, also for 0), zeroed, aligned to 4 KiB, and to 2 MiB when that large.
  /// `what` names the use in an error.
  static Result<Pages> map(size_t bytes, std::string_view what);
  Pages(Pages &&other) noexcept
      : memory(std::exchange(other.memory, nullptr)), length(std::exchange(other.length, 0)) {}
  Pages &operator=(Pages &&other) noexcept {
    std::swap(memory, other.memory);
    std::swap(length, other.length);
    return *this;
  }
  ~Pages();

  std::byte *data() const { return static_cast<std::byte *>(memory); }
  size_t size() const { return length; } ///< whole pages

private:
  void *memory = nullptr;
  size_t length = 0;
};

} // namespace pliant
