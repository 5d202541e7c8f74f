// SPDX-License-Identifier: Apache-2.0
// What the file readers and writers share: errors that name the path, writing a file, checked reading from bytes.
#pragma once
#include "support/result.h"
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace pliant::files {

using Bytes = std::span<const std::byte>;

Error cannotRead(std::string_view path, const std::string &why, std::string hint = {});
Error cannotWrite(std::string_view path, const std::string &why, std::string hint = {});

/// Writes a file; a failure (also of the last byte) is an error that names the path. "/dev/stdout" works.
Status writeFile(const std::string &path, std::string_view content);

/// Where the bytes of one file come from, in order: memory, or an archive's entry as it is unpacked.
class Source {
public:
  virtual ~Source() = default;
  virtual Status read(void *to, size_t count) = 0; ///< exactly count bytes, or an error
  virtual size_t left() const = 0;                 ///< bytes not read yet
};

class MemorySource final : public Source {
public:
  MemorySource(Bytes bytes, std::string_view path) : bytes(bytes), path(path) {}
  Status read(void *to, size_t count) override;
  size_t left() const override { return bytes.size(); }

private:
  Bytes bytes;
  std::string_view path;
};

} // namespace pliant::files
