// SPDX-License-Identifier: Apache-2.0
// Memory that is a file's: mappings announce themselves, so that whoever has read a part for the last time can give its
// pages back without knowing where they came from.
#pragma once
#include <cstddef>
#include <span>

namespace pliant {

/// While it lives, the bytes are known to be a private mapping of a file that nobody writes.
class FilePages {
public:
  FilePages() = default;
  explicit FilePages(std::span<const std::byte> bytes);
  FilePages(const FilePages &) = delete;
  FilePages &operator=(const FilePages &) = delete;
  ~FilePages();

private:
  const std::byte *begin = nullptr;
};

/// Gives the whole pages inside [from, from + bytes) back to the system, where they are a file's: a later read fetches
/// them again. Other memory is left alone.
void dropFilePages(const void *from, size_t bytes);

} // namespace pliant
