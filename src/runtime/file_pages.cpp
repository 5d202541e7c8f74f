// SPDX-License-Identifier: Apache-2.0
// The process's list of mapped files.
#include "runtime/file_pages.h"
#include <cstdint>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace pliant {
namespace {

struct Mapped {
  std::mutex lock;
  std::map<const std::byte *, const std::byte *> ends; // by begin
};
Mapped &mapped() {
  static auto *all = new Mapped; // outlives whatever is destroyed when the process ends
  return *all;
}

} // namespace

FilePages::FilePages(std::span<const std::byte> bytes) {
  if (bytes.empty())
    return;
  begin = bytes.data();
  std::lock_guard guard(mapped().lock);
  mapped().ends[begin] = begin + bytes.size();
}

FilePages::~FilePages() {
  if (!begin)
    return;
  std::lock_guard guard(mapped().lock);
  mapped().ends.erase(begin);
}

void dropFilePages(const void *from, size_t bytes) {
  const auto *first = static_cast<const std::byte *>(from);
  std::lock_guard guard(mapped().lock); // the mapping stays while its pages go
  auto after = mapped().ends.upper_bound(first);
  if (after == mapped().ends.begin() || first + bytes > std::prev(after)->second)
    return;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto at = reinterpret_cast<uintptr_t>(first), begin = (at + page - 1) / page * page,
             end = (at + bytes) / page * page;
  if (begin < end)
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

} // namespace pliant
