// SPDX-License-Identifier: Apache-2.0
#include "files/files.h"
#include "files/bytes.h"
#include <gtest/gtest.h>
#include <unistd.h>

using namespace pliant;
using namespace pliant::files;

TEST(Files, EveryKindByItsBytes) {
  std::string base = testing::TempDir() + "pliant_files_" + std::to_string(getpid());
  DenseTensor tensor = *DenseTensor::zeros(DType::U8, {2, 3, 3});
  tensor.as<uint8_t>()[4] = 9;
  for (const char *ending : {".npy", ".npz", ".png", ".pb"}) {
    std::string path = base + ending;
    ASSERT_TRUE(writeTensor(path, {"x", tensor})) << path;
    auto back = readTensor(path);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->second.dims(), tensor.dims());
    EXPECT_EQ(back->second.as<uint8_t>()[4], 9);
    unlink(path.c_str());
  }
  EXPECT_EQ(writeTensor("x.txt", {"x", tensor}).error().message,
            "cannot write 'x.txt': the kind of file is not known by its ending");
}

TEST(Files, EntriesOfArchives) {
  std::string path = testing::TempDir() + "pliant_files_" + std::to_string(getpid()) + ".npz";
  ASSERT_TRUE(
      writeNpz(path, {{"a", *DenseTensor::zeros(DType::F32, {1})}, {"b/c:d", *DenseTensor::zeros(DType::I64, {2})}}));
  EXPECT_EQ(readTensors(path)->size(), 2u);
  EXPECT_EQ(readTensor(path + ":b/c:d")->second.dims(), std::vector<int64_t>{2});
  auto several = readTensor(path);
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().message, "cannot read '" + path + "': it holds 2 tensors, one is expected");
  auto missing = readTensor(path + ":z");
  EXPECT_EQ(missing.error().message, "cannot read '" + path + "': it has no entry 'z'");
  EXPECT_EQ(missing.error().hint, "it has: a, b/c:d");
  unlink(path.c_str());
}

TEST(Files, UnknownContent) {
  std::string path = testing::TempDir() + "pliant_files_" + std::to_string(getpid()) + ".txt";
  ASSERT_TRUE(writeFile(path, "hello"));
  EXPECT_EQ(readTensor(path).error().message,
            "cannot read '" + path + "': it is no .npy, .npz, .png, .jpg or .pb file");
  unlink(path.c_str());
  EXPECT_FALSE(readTensor("/nowhere"));
}
