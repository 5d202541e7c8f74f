// SPDX-License-Identifier: Apache-2.0
// A file mapped for reading: model files and weights are read through it, and their pages dropped when packed.
#pragma once
#include "support/result.h"
#include <cstddef>
#include <span>
#include <string>

namespace pliant {

/// Bytes stay valid while the map lives. A file that is cut short by someone else while it is mapped ends the process
/// with SIGBUS, as with every memory map.
class FileMap {
public:
  FileMap() = default;
  static Result<FileMap> open(const std::string &path); ///< a regular file, may be empty; errors name the path
  FileMap(FileMap &&other) noexcept;
  FileMap &operator=(FileMap &&other) noexcept;
  ~FileMap();

  const std::byte *data() const { return memory; }
  size_t size() const { return length; }
  const std::string &path() const { return name; }
  /// The bytes [offset, offset + count), or an error that names the path when they leave the file.
  Result<std::span<const std::byte>> slice(size_t offset, size_t count) const;
  /// Gives the resident pages that touch [offset, offset + count) back; a later read fetches them again.
  void drop(size_t offset, size_t count) const;

private:
  const std::byte *memory = nullptr;
  size_t length = 0;
  std::string name;
};

} // namespace pliant
