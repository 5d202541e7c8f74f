// SPDX-License-Identifier: Apache-2.0
#include "files/picture.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <jpeglib.h>
#include <png.h>
#include <unistd.h>

using namespace pliant;
using namespace pliant::files;

namespace {

Result<DenseTensor> parse(const std::string &bytes) { return decodePicture(std::as_bytes(std::span(bytes)), "x"); }

std::string reason(const std::string &bytes) {
  auto picture = parse(bytes);
  return picture ? "read" : picture.error().message;
}

std::string content(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

DenseTensor gradient(std::vector<int64_t> dims) {
  DenseTensor tensor = *DenseTensor::allocate(DType::U8, std::move(dims));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.as<uint8_t>()[i] = static_cast<uint8_t>(i * 3);
  return tensor;
}

std::string png(const DenseTensor &tensor) {
  std::string path = testing::TempDir() + "pliant_" + std::to_string(getpid()) + ".png";
  EXPECT_TRUE(writePng(path, tensor));
  std::string bytes = content(path);
  unlink(path.c_str());
  return bytes;
}

/// A PNG of any colour type and depth, of rows given as bytes.
std::string rawPng(int width, int height, int depth, int type, std::string row, bool interlaced = false) {
  std::string out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &out,
      [](png_structp p, png_bytep data, size_t n) {
        static_cast<std::string *>(png_get_io_ptr(p))->append(reinterpret_cast<char *>(data), n);
      },
      nullptr);
  png_set_IHDR(png, info, static_cast<unsigned>(width), static_cast<unsigned>(height), depth, type,
               interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_color palette[2] = {{1, 2, 3}, {40, 50, 60}};
  if (type == PNG_COLOR_TYPE_PALETTE)
    png_set_PLTE(png, info, palette, 2);
  std::vector<png_bytep> rows(static_cast<size_t>(height), reinterpret_cast<png_bytep>(row.data()));
  png_set_rows(png, info, rows.data());
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_destroy_write_struct(&png, &info);
  return out;
}

std::string jpeg(int width, int height, int channels, J_COLOR_SPACE space, bool progressive = false) {
  jpeg_compress_struct c;
  jpeg_error_mgr errors;
  c.err = jpeg_std_error(&errors);
  jpeg_create_compress(&c);
  unsigned char *buffer = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&c, &buffer, &size);
  c.image_width = static_cast<unsigned>(width);
  c.image_height = static_cast<unsigned>(height);
  c.input_components = channels;
  c.in_color_space = space;
  jpeg_set_defaults(&c);
  jpeg_set_quality(&c, 100, TRUE);
  if (progressive)
    jpeg_simple_progression(&c);
  jpeg_start_compress(&c, TRUE);
  std::vector<unsigned char> row(static_cast<size_t>(width * channels));
  for (size_t i = 0; i < row.size(); ++i)
    row[i] = channels == 1 ? 77 : std::array<unsigned char, 4>{200, 100, 50, 0}[i % static_cast<size_t>(channels)];
  JSAMPROW rows[] = {row.data()};
  while (c.next_scanline < c.image_height)
    jpeg_write_scanlines(&c, rows, 1);
  jpeg_finish_compress(&c);
  jpeg_destroy_compress(&c);
  std::string out(reinterpret_cast<char *>(buffer), size);
  std::free(buffer);
  return out;
}

} // namespace

TEST(Picture, PngRoundTrip) {
  DenseTensor tensor = gradient({5, 7, 3});
  auto back = parse(png(tensor));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->dims(), tensor.dims());
  EXPECT_EQ(std::memcmp(back->data(), tensor.data(), tensor.bytes()), 0);
}

TEST(Picture, GreyAlphaPaletteAndSixteenBits) {
  auto grey = parse(png(gradient({2, 2})));
  ASSERT_TRUE(grey);
  EXPECT_EQ(grey->dims(), (std::vector<int64_t>{2, 2, 3}));
  EXPECT_EQ(grey->as<uint8_t>()[3], 3);
  EXPECT_EQ(grey->as<uint8_t>()[5], 3);
  auto alpha = parse(png(gradient({1, 2, 4})));
  EXPECT_EQ(alpha->as<uint8_t>()[3], 12);
  auto palette = parse(rawPng(3, 2, 8, PNG_COLOR_TYPE_PALETTE, std::string("\x01\x00\x01", 3)));
  ASSERT_TRUE(palette);
  EXPECT_EQ(palette->as<uint8_t>()[0], 40);
  EXPECT_EQ(palette->as<uint8_t>()[5], 3);
  auto deep = parse(rawPng(1, 1, 16, PNG_COLOR_TYPE_RGB, std::string("\x12\x34\x56\x78\x9a\xbc", 6)));
  EXPECT_EQ(deep->as<uint8_t>()[1], 0x56);
  auto bits = parse(rawPng(8, 1, 1, PNG_COLOR_TYPE_GRAY, "\x80"));
  EXPECT_EQ(bits->as<uint8_t>()[0], 255);
  EXPECT_EQ(bits->as<uint8_t>()[3], 0);
  auto laced = parse(rawPng(9, 9, 8, PNG_COLOR_TYPE_GRAY, "abcdefghi", true));
  EXPECT_EQ(laced->as<uint8_t>()[3 * (9 * 8 + 2)], 'c');
}

TEST(Picture, Jpeg) {
  for (bool progressive : {false, true}) {
    auto colour = parse(jpeg(20, 10, 3, JCS_RGB, progressive));
    ASSERT_TRUE(colour) << colour.error().message;
    EXPECT_EQ(colour->dims(), (std::vector<int64_t>{10, 20, 3}));
    EXPECT_NEAR(colour->as<uint8_t>()[0], 200, 3);
    EXPECT_NEAR(colour->as<uint8_t>()[1], 100, 3);
    EXPECT_NEAR(colour->as<uint8_t>()[2], 50, 3);
  }
  auto grey = parse(jpeg(8, 8, 1, JCS_GRAYSCALE));
  ASSERT_TRUE(grey);
  EXPECT_NEAR(grey->as<uint8_t>()[2], 77, 2);
  EXPECT_EQ(reason(jpeg(8, 8, 4, JCS_CMYK)), "cannot read 'x': CMYK pictures are not supported");
}

TEST(Picture, ErrorsSayWhy) {
  EXPECT_EQ(reason("hello"), "cannot read 'x': it is neither a PNG nor a JPEG picture");
  std::string bytes = png(gradient({50, 50, 3})), photo = jpeg(50, 50, 3, JCS_RGB);
  EXPECT_EQ(reason(bytes.substr(0, bytes.size() / 2)), "cannot read 'x': it is cut short");
  EXPECT_EQ(reason(photo.substr(0, photo.size() / 2)), "cannot read 'x': it is cut short");
  EXPECT_EQ(writePng("x.png", *DenseTensor::zeros(DType::F32, {2, 2})).error().message,
            "cannot write 'x.png': a f32 tensor of shape (2, 2) is no picture");
  EXPECT_FALSE(writePng("x.png", *DenseTensor::zeros(DType::U8, {0, 2})));
  EXPECT_FALSE(writePng("/nowhere/x.png", *DenseTensor::zeros(DType::U8, {2, 2})));
}

TEST(Picture, SurvivesCutsAndChangedBytes) {
  for (const std::string &whole : {png(gradient({6, 6, 3})), jpeg(16, 16, 3, JCS_RGB, true)}) {
    ASSERT_EQ(reason(whole), "read");
    for (size_t length = 0; length < whole.size(); ++length)
      (void)reason(whole.substr(0, length));
    for (size_t i = 0; i < whole.size(); ++i)
      for (int value : {0, 1, 0x7f, 0xff}) {
        std::string changed = whole;
        changed[i] = static_cast<char>(value);
        (void)reason(changed);
      }
  }
}
