// SPDX-License-Identifier: Apache-2.0
// Read-only file maps.
#include "runtime/file_map.h"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace pliant {

Result<FileMap> FileMap::open(const std::string &path) {
  auto fail = [&](const std::string &why) { return userError("", "cannot read '" + path + "': " + why); };
  auto system = [&](int code) { return fail(std::generic_category().message(code)); };
  // Not blocking: opening a pipe for reading would wait for its writer.
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return system(errno);
  struct stat info;
  if (fstat(file, &info) != 0) {
    int code = errno;
    close(file);
    return system(code);
  }
  if (!S_ISREG(info.st_mode)) {
    close(file);
    return fail(S_ISDIR(info.st_mode) ? "it is a folder" : "it is not a regular file");
  }
  FileMap map;
  map.name = path;
  map.length = static_cast<size_t>(info.st_size);
  if (map.length) {
    void *memory = mmap(nullptr, map.length, PROT_READ, MAP_PRIVATE, file, 0);
    int code = errno;
    close(file);
    if (memory == MAP_FAILED)
      return system(code);
    map.memory = static_cast<const std::byte *>(memory);
  } else {
    close(file);
  }
  return map;
}

FileMap::FileMap(FileMap &&other) noexcept
    : memory(std::exchange(other.memory, nullptr)), length(std::exchange(other.length, 0)),
      name(std::move(other.name)) {}

FileMap &FileMap::operator=(FileMap &&other) noexcept {
  std::swap(memory, other.memory);
  std::swap(length, other.length);
  std::swap(name, other.name);
  return *this;
}

FileMap::~FileMap() {
  if (memory)
    munmap(const_cast<std::byte *>(memory), length);
}

Result<std::span<const std::byte>> FileMap::slice(size_t offset, size_t count) const {
  if (offset > length || count > length - offset)
    return userError("", "'" + name + "' is too short: bytes " + std::to_string(offset) + " to " +
                             std::to_string(offset) + " + " + std::to_string(count) + " of " + std::to_string(length));
  return std::span<const std::byte>(memory + offset, count);
}

void FileMap::drop(size_t offset, size_t count) const {
  if (!memory || offset >= length || count == 0)
    return;
  count = std::min(count, length - offset);
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t begin = offset / page * page;
  madvise(const_cast<std::byte *>(memory) + begin, offset + count - begin, MADV_DONTNEED);
}

} // namespace pliant
