// SPDX-License-Identifier: Apache-2.0
#include "runtime/file_map.h"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace pliant;

namespace {
std::string scratchFile(const std::string &content) {
  std::string path = testing::TempDir() + "pliant_file_map_" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}
} // namespace

TEST(FileMap, ReadsSlicesAndDrops) {
  std::string content(10000, 'x');
  content[9000] = 'y';
  std::string path = scratchFile(content);
  auto map = FileMap::open(path);
  ASSERT_TRUE(map);
  ASSERT_EQ(map->size(), 10000u);
  EXPECT_EQ(static_cast<char>(map->data()[9000]), 'y');
  map->drop(100, 9800);
  map->drop(9999, SIZE_MAX);
  map->drop(20000, 1);
  EXPECT_EQ(static_cast<char>(map->data()[9000]), 'y');
  EXPECT_EQ(map->slice(9000, 1000)->size(), 1000u);
  EXPECT_FALSE(map->slice(9000, 1001));
  EXPECT_FALSE(map->slice(SIZE_MAX, 2));
  FileMap moved = std::move(*map);
  EXPECT_EQ(map->data(), nullptr);
  EXPECT_EQ(moved.path(), path);
  unlink(path.c_str());
}

TEST(FileMap, EmptyFile) {
  std::string path = scratchFile("");
  auto map = FileMap::open(path);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->size(), 0u);
  map->drop(0, 1);
  EXPECT_TRUE(map->slice(0, 0));
  unlink(path.c_str());
}

TEST(FileMap, ErrorsNameThePath) {
  auto missing = FileMap::open("/nowhere/model.onnx");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "cannot read '/nowhere/model.onnx': No such file or directory");
  EXPECT_EQ(FileMap::open("/tmp").error().message, "cannot read '/tmp': it is a folder");
  EXPECT_EQ(FileMap::open("/dev/null").error().message, "cannot read '/dev/null': it is not a regular file");
}
