// SPDX-License-Identifier: Apache-2.0
#include "files/npy.h"
#include <gtest/gtest.h>
#include <unistd.h>

using namespace pliant;
using namespace pliant::files;

namespace {

Result<DenseTensor> parse(const std::string &bytes) {
  MemorySource source(std::as_bytes(std::span(bytes)), "x.npy");
  return readNpy(source, "x.npy");
}

std::string file(const std::string &header, const std::string &data, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return bytes + header + data;
}

std::string header(const std::string &type, const std::string &shape, const char *order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

std::string reason(const std::string &bytes) {
  auto tensor = parse(bytes);
  return tensor ? "read" : tensor.error().message;
}

} // namespace

TEST(Npy, RoundTripsEveryType) {
  for (uint8_t i = 0; i <= static_cast<uint8_t>(DType::Bool); ++i)
    for (std::vector<int64_t> dims : {std::vector<int64_t>{}, {3}, {0, 4}, {2, 3}, {1, 1, 5, 2}}) {
      auto tensor = DenseTensor::zeros(static_cast<DType>(i), dims);
      ASSERT_TRUE(tensor);
      for (size_t b = 0; b < tensor->bytes(); ++b)
        tensor->as<uint8_t>()[b] = tensor->dtype() == DType::Bool ? b & 1 : static_cast<uint8_t>(b * 7 + 1);
      std::string bytes = npyBytes(*tensor);
      EXPECT_EQ((bytes.size() - tensor->bytes()) % 64, 0u);
      auto back = parse(bytes);
      ASSERT_TRUE(back) << back.error().message;
      EXPECT_EQ(back->dtype(), tensor->dtype());
      EXPECT_EQ(back->dims(), dims);
      EXPECT_EQ(std::memcmp(back->data(), tensor->data(), tensor->bytes()), 0);
    }
}

TEST(Npy, WritesWhatNumPyWrites) {
  auto tensor = DenseTensor::zeros(DType::F32, {3});
  std::string bytes = npyBytes(*tensor);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(bytes.substr(10, 58), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } ");
  EXPECT_EQ(bytes[127], '\n');
}

TEST(Npy, ReadsVersionsAndSpellings) {
  for (char version : {1, 2, 3})
    EXPECT_EQ(reason(file(header("<i2", "(2,)"), "abcd", version)), "read");
  EXPECT_EQ(reason(file("{\"shape\":(2L,),\"descr\":\"|u1\",\"fortran_order\":False}  \n", "ab")), "read");
  auto flags = parse(file(header("|b1", "(3,)"), std::string("\0\x01\x7f", 3)));
  EXPECT_EQ(flags->as<uint8_t>()[2], 1);
}

TEST(Npy, TransposesFortranOrder) {
  auto tensor = parse(file(header("|u1", "(2, 3)", "True"), "adbecf"));
  ASSERT_TRUE(tensor);
  EXPECT_EQ(std::string(tensor->as<char>(), 6), "abcdef");
  auto cube = parse(file(header("|i1", "(2, 2, 2)", "True"), "aecgbfdh"));
  EXPECT_EQ(std::string(cube->as<char>(), 8), "abcdefgh");
  EXPECT_EQ(parse(file(header("<f4", "(0, 3)", "True"), ""))->size(), 0);
}

TEST(Npy, ErrorsSayWhy) {
  EXPECT_EQ(reason("hello, world"), "cannot read 'x.npy': it is no .npy file");
  EXPECT_EQ(reason(""), "cannot read 'x.npy': it is no .npy file: 0 bytes");
  EXPECT_EQ(reason(file(header("|O", "(2,)"), "ab")),
            "cannot read 'x.npy': it holds Python objects ('|O'), which are not read");
  EXPECT_EQ(reason(file(header(">f4", "(1,)"), "abcd")), "cannot read 'x.npy': it is big-endian ('>f4')");
  EXPECT_EQ(reason(file(header("<c8", "(1,)"), "abcdefgh")),
            "cannot read 'x.npy': element type '<c8' is not supported");
  EXPECT_EQ(reason(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd")),
            "cannot read 'x.npy': it holds records, not numbers");
  EXPECT_EQ(reason(file(header("<f4", "(2, 2)"), "abcd")),
            "cannot read 'x.npy': a f32 array of shape (2, 2) has 16 bytes, but the file holds 4");
  EXPECT_EQ(reason(file(header("<f8", "(99999999999999, 9999999999999)"), "")),
            "cannot read 'x.npy': shape (99999999999999, 9999999999999) is too large: its bytes overflow 63 bits");
  EXPECT_EQ(reason(file(header("<f8", "(-1,)"), "")),
            "cannot read 'x.npy': bad .npy header: shape has an extent that is not a count");
  EXPECT_EQ(reason(file(header("<f8", "(99999999999999999999999,)"), "")),
            "cannot read 'x.npy': bad .npy header: shape has an extent that is not a count");
  EXPECT_EQ(reason(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)),
            "cannot read 'x.npy': its .npy header has 4294967295 bytes");
}

TEST(Npy, SurvivesCutsAndChangedBytes) {
  std::string whole = file(header("<f4", "(2, 2)", "True"), "0123456789abcdef");
  ASSERT_EQ(reason(whole), "read");
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(reason(whole.substr(0, length)), "read");
  for (size_t i = 0; i < whole.size(); ++i)
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[i] = static_cast<char>(value);
      (void)static_cast<bool>(parse(changed));
    }
}

TEST(Npy, FilesByPath) {
  std::string path = testing::TempDir() + "pliant_" + std::to_string(getpid()) + ".npy";
  auto tensor = DenseTensor::zeros(DType::I64, {4, 2});
  ASSERT_TRUE(writeNpy(path, *tensor));
  EXPECT_EQ(readNpy(path)->dims(), (std::vector<int64_t>{4, 2}));
  unlink(path.c_str());
  EXPECT_EQ(readNpy(path).error().message, "cannot read '" + path + "': No such file or directory");
  EXPECT_FALSE(writeNpy("/nowhere/x.npy", *tensor));
}
