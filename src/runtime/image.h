// SPDX-License-Identifier: Apache-2.0
// A compiled program: the bytes of an ELF shared object without undefined symbols, loaded from memory.
#pragma once
#include "support/result.h"
#include <cstddef>
#include <span>

namespace pliant {

/// Checks the parts of an image that the loader trusts: header, machine, segments within the bytes, no undefined
/// symbols and no needed libraries (helpers come through the run state, never by name).
Status checkImage(std::span<const std::byte> bytes);

class Image {
public:
  Image() = default;
  /// Loads by memfd and /proc; where those are missing, by a temporary file that is unlinked at once.
  static Result<Image> load(std::span<const std::byte> bytes);
  /// The second way alone, for tests and for places known to lack the first.
  static Result<Image> loadThroughFile(std::span<const std::byte> bytes);
  Image(Image &&other) noexcept : handle(other.handle) { other.handle = nullptr; }
  Image &operator=(Image &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Image(); ///< unloads; code of the image must not be running

  /// The address of a symbol, or null.
  void *symbol(const char *name) const;
  explicit operator bool() const { return handle != nullptr; }

private:
  void *handle = nullptr;
};

} // namespace pliant
