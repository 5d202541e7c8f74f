// SPDX-License-Identifier: Apache-2.0
// Shared parts of the file readers and writers.
#include "files/bytes.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace pliant::files {

Error cannotRead(std::string_view path, const std::string &why, std::string hint) {
  return userError("", "cannot read '" + std::string(path) + "': " + why, "", std::move(hint));
}

Error cannotWrite(std::string_view path, const std::string &why, std::string hint) {
  return userError("", "cannot write '" + std::string(path) + "': " + why, "", std::move(hint));
}

Status writeFile(const std::string &path, std::string_view content) {
  auto fail = [&](int code) { return cannotWrite(path, std::generic_category().message(code)); };
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return fail(errno);
  while (!content.empty()) {
    ssize_t count = write(file, content.data(), content.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      int code = count < 0 ? errno : EIO;
      close(file);
      return fail(code);
    }
    content.remove_prefix(static_cast<size_t>(count));
  }
  if (close(file) != 0 && errno != EINTR)
    return fail(errno);
  return ok();
}

Status MemorySource::read(void *to, size_t count) {
  if (count > bytes.size())
    return cannotRead(path, "it is cut short: " + std::to_string(count) + " more bytes expected, " +
                                std::to_string(bytes.size()) + " there");
  if (count)
    std::memcpy(to, bytes.data(), count);
  bytes = bytes.subspan(count);
  return ok();
}

} // namespace pliant::files
