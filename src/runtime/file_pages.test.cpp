// SPDX-License-Identifier: Apache-2.0
#include "runtime/file_pages.h"
#include "runtime/dense_tensor.h"
#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace pliant;

namespace {

size_t residentPages(const void *from, size_t bytes) {
  // Of the process, not of the page cache: 8 bytes a page, bit 63 says that it is mapped.
  std::vector<uint64_t> entries(bytes / 4096);
  const int map = open("/proc/self/pagemap", O_RDONLY);
  const auto offset = static_cast<off_t>(reinterpret_cast<uintptr_t>(from) / 4096 * 8);
  EXPECT_EQ(pread(map, entries.data(), entries.size() * 8, offset), static_cast<ssize_t>(entries.size() * 8));
  close(map);
  return static_cast<size_t>(std::count_if(entries.begin(), entries.end(), [](uint64_t e) { return e >> 63; }));
}

} // namespace

TEST(FilePages, GivesWholePagesOfFilesBackAndNothingElse) {
  const std::string path = testing::TempDir() + "pliant_file_pages_" + std::to_string(getpid());
  constexpr size_t size = 64 * 4096;
  std::ofstream(path, std::ios::binary) << std::string(size, 'x');
  FILE *file = std::fopen(path.c_str(), "rb");
  auto *bytes = static_cast<std::byte *>(mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fileno(file), 0));
  std::fclose(file);
  unlink(path.c_str());
  ASSERT_NE(static_cast<void *>(bytes), MAP_FAILED);
  auto touch = [&] {
    size_t sum = 0;
    for (size_t i = 0; i < size; ++i)
      sum += static_cast<size_t>(bytes[i]);
    return sum;
  };
  EXPECT_EQ(touch(), size * 'x');
  EXPECT_EQ(residentPages(bytes, size), 64u);
  dropFilePages(bytes, size);
  EXPECT_EQ(residentPages(bytes, size), 64u) << "nobody has said that they are a file's";
  {
    FilePages announced({bytes, size});
    dropFilePages(bytes + 1, 3 * 4096);
    EXPECT_EQ(residentPages(bytes, size), 62u) << "the pages that lie inside as a whole";
    dropFilePages(bytes, size + 1);
    EXPECT_EQ(residentPages(bytes, size), 62u) << "beyond the file";
    dropFilePages(bytes, size);
    EXPECT_EQ(residentPages(bytes, size), 0u);
    EXPECT_EQ(touch(), size * 'x') << "read again";
  }
  dropFilePages(bytes, size);
  EXPECT_EQ(residentPages(bytes, size), 64u);
  munmap(bytes, size);
  DenseTensor other = *DenseTensor::allocate(DType::F32, {1 << 16});
  std::memset(other.data(), 1, other.bytes());
  dropFilePages(other.data(), other.bytes());
  EXPECT_EQ(other.as<uint8_t>()[other.bytes() / 2], 1);
}
