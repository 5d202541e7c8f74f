// SPDX-License-Identifier: Apache-2.0
// Anonymous memory in pages.
#include "runtime/pages.h"
#include "runtime/memory.h"
#include <cerrno>
#include <cstdint>
#include <sys/mman.h>
#include <system_error>

namespace pliant {

Result<Pages> Pages::map(size_t bytes, std::string_view what) {
  constexpr size_t smallPage = 4096;
  size_t page = bytes >= hugePage ? hugePage : smallPage;
  if (bytes > SIZE_MAX / 2 - 2 * hugePage)
    return memoryError("", std::string(what) + " is too large: " + byteCountText(bytes));
  size_t length = bytes ? (bytes + page - 1) / page * page : page;
  PLIANT_CHECK(chargeMemory(length, what));
  // Older kernels align a mapping to small pages only: map one huge page more and cut both ends off.
  size_t slack = page == hugePage ? hugePage - smallPage : 0;
  void *raw = mmap(nullptr, length + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) {
    releaseMemory(length);
    return memoryError("", "out of memory: the system has no " + byteCountText(length) + " for " + std::string(what) +
                               ": " + std::generic_category().message(errno));
  }
  auto start = reinterpret_cast<uintptr_t>(raw), aligned = (start + page - 1) / page * page;
  if (slack) {
    if (size_t head = aligned - start)
      munmap(raw, head);
    if (size_t tail = slack - (aligned - start))
      munmap(reinterpret_cast<void *>(aligned + length), tail);
  }
  Pages pages;
  pages.memory = reinterpret_cast<void *>(aligned);
  pages.length = length;
  if (slack)
    madvise(pages.memory, length, MADV_HUGEPAGE); // advice: a kernel without huge pages serves small ones
  return pages;
}

Pages::~Pages() {
  if (!memory)
    return;
  munmap(memory, length);
  releaseMemory(length);
}

} // namespace pliant
