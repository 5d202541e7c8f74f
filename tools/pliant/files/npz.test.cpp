// SPDX-License-Identifier: Apache-2.0
#include "files/npz.h"
#include "files/bytes.h"
#include "files/npy.h"
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>
#include <zip.h>

using namespace pliant;
using namespace pliant::files;

namespace {

std::string scratch() { return testing::TempDir() + "pliant_" + std::to_string(getpid()) + ".npz"; }

std::string content(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

DenseTensor counting(DType dtype, std::vector<int64_t> dims) {
  DenseTensor tensor = *DenseTensor::allocate(dtype, std::move(dims));
  for (size_t i = 0; i < tensor.bytes(); ++i)
    tensor.as<uint8_t>()[i] = static_cast<uint8_t>(i);
  return tensor;
}

std::string reason(const std::string &path) {
  auto tensors = readNpz(path);
  return tensors ? "read" : tensors.error().message;
}

/// An archive as numpy.savez_compressed makes it.
void deflated(const std::string &path, const std::string &name, const std::string &bytes) {
  zip_t *archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  zip_source_t *source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  zip_int64_t index = zip_file_add(archive, name.c_str(), source, 0);
  zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_DEFLATE, 9);
  ASSERT_EQ(zip_close(archive), 0);
}

} // namespace

TEST(Npz, RoundTripsInOrderAndDeterministically) {
  std::string path = scratch();
  std::vector<NamedTensor> tensors;
  tensors.emplace_back("x", counting(DType::F32, {2, 3}));
  tensors.emplace_back("a/b", counting(DType::I64, {}));
  tensors.emplace_back("empty", counting(DType::U8, {0, 2}));
  ASSERT_TRUE(writeNpz(path, tensors));
  std::string first = content(path);
  auto back = readNpz(path);
  ASSERT_TRUE(back) << back.error().message;
  ASSERT_EQ(back->size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*back)[i].first, tensors[i].first);
    EXPECT_EQ((*back)[i].second.dims(), tensors[i].second.dims());
    EXPECT_EQ(std::memcmp((*back)[i].second.data(), tensors[i].second.data(), tensors[i].second.bytes()), 0);
  }
  ASSERT_TRUE(writeNpz(path, tensors));
  EXPECT_EQ(content(path), first);
  ASSERT_TRUE(writeNpz(path, {}));
  EXPECT_EQ(readNpz(path)->size(), 0u);
  unlink(path.c_str());
}

TEST(Npz, ReadsDeflated) {
  std::string path = scratch();
  DenseTensor zeros = *DenseTensor::zeros(DType::F32, {100000});
  deflated(path, "z.npy", npyBytes(zeros));
  ASSERT_LT(content(path).size(), 10000u);
  auto back = readNpz(path);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ((*back)[0].second.size(), 100000);
  unlink(path.c_str());
}

TEST(Npz, ErrorsSayWhy) {
  std::string path = scratch();
  EXPECT_EQ(reason("/nowhere/x.npz"), "cannot read '/nowhere/x.npz': No such file");
  ASSERT_TRUE(writeFile(path, "hello"));
  EXPECT_EQ(reason(path), "cannot read '" + path + "': Not a zip archive");
  deflated(path, "notes.txt", "hello");
  EXPECT_EQ(reason(path), "cannot read '" + path + "': its entry 'notes.txt' is no .npy file");
  deflated(path, "x.npy", "hello, world, hello");
  EXPECT_EQ(reason(path), "cannot read '" + path + ":x.npy': it is no .npy file");
  EXPECT_FALSE(writeNpz("/nowhere/x.npz", {{"x", counting(DType::U8, {1})}}));
  unlink(path.c_str());
}

TEST(Npz, ChecksumIsCompared) {
  std::string path = scratch();
  ASSERT_TRUE(writeNpz(path, {{"x", counting(DType::U8, {200})}}));
  std::string bytes = content(path);
  size_t at = bytes.find("\x40\x41\x42\x43");
  ASSERT_NE(at, bytes.npos);
  bytes[at] = '!';
  ASSERT_TRUE(writeFile(path, bytes));
  EXPECT_EQ(reason(path), "cannot read '" + path + ":x.npy': CRC error");
  unlink(path.c_str());
}

TEST(Npz, SurvivesCutsAndChangedBytes) {
  std::string path = scratch();
  DenseTensor zeros = *DenseTensor::zeros(DType::F32, {50});
  deflated(path, "z.npy", npyBytes(zeros));
  std::string whole = content(path);
  for (size_t length = 0; length < whole.size(); length += 3) {
    ASSERT_TRUE(writeFile(path, whole.substr(0, length)));
    EXPECT_NE(reason(path), "read");
  }
  for (size_t i = 0; i < whole.size(); ++i)
    for (int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(value);
      ASSERT_TRUE(writeFile(path, changed));
      (void)reason(path);
    }
  unlink(path.c_str());
}
