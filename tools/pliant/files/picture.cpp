// SPDX-License-Identifier: Apache-2.0
// Pictures through libpng and libjpeg. Both report errors by longjmp: no object with a destructor may be made between
// setjmp and the jump, so the decoders below are split into steps over plain structs.
#include "files/picture.h"
#include "runtime/file_map.h"
#include <climits>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <jpeglib.h>
// After jpeglib.h, which it needs.
#include <jerror.h>
#include <png.h>

namespace pliant::files {
namespace {

constexpr uint64_t maxPixels = uint64_t(1) << 28;
constexpr int maxScans = 200; ///< of a progressive JPEG: each costs a pass over all pixels

Result<DenseTensor> pictureTensor(uint64_t height, uint64_t width, std::string_view path) {
  if (height == 0 || width == 0 || height > maxPixels / width)
    return cannotRead(path, "it has " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
  auto tensor = DenseTensor::allocate(DType::U8, {static_cast<int64_t>(height), static_cast<int64_t>(width), 3});
  if (!tensor)
    return cannotRead(path, tensor.error().message, tensor.error().hint);
  return tensor;
}

// PNG ----------------------------------------------------------------------------------------------------------------

class PngReader {
public:
  explicit PngReader(Bytes bytes) : bytes(bytes) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, onError, onWarning);
    info = png ? png_create_info_struct(png) : nullptr;
  }
  PngReader(const PngReader &) = delete;
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }

  bool readHeader() {
    if (!info || setjmp(jump))
      return false;
    png_set_read_fn(png, this, onRead);
    png_set_user_limits(png, 1u << 24, 1u << 24);
    png_set_chunk_cache_max(png, 128);
    png_set_chunk_malloc_max(png, 8u << 20);
    png_read_info(png, info);
    width = png_get_image_width(png, info);
    height = png_get_image_height(png, info);
    png_set_expand(png);
    png_set_strip_16(png);
    png_set_strip_alpha(png);
    png_set_gray_to_rgb(png);
    passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != size_t(3) * width)
      png_error(png, "unexpected pixel format");
    return true;
  }

  bool readPixels(uint8_t *pixels) {
    if (setjmp(jump))
      return false;
    for (int pass = 0; pass < passes; ++pass)
      for (size_t y = 0; y < height; ++y)
        png_read_row(png, pixels + y * 3 * width, nullptr);
    png_read_end(png, nullptr);
    return true;
  }

  size_t width = 0, height = 0;
  char reason[160] = "out of memory";

private:
  static void onError(png_structp png, png_const_charp text) {
    auto *self = static_cast<PngReader *>(png_get_error_ptr(png));
    std::snprintf(self->reason, sizeof self->reason, "%s", text);
    std::longjmp(self->jump, 1);
  }
  static void onWarning(png_structp, png_const_charp) {}
  static void onRead(png_structp png, png_bytep to, size_t count) {
    auto *self = static_cast<PngReader *>(png_get_io_ptr(png));
    if (count > self->bytes.size())
      png_error(png, "it is cut short");
    std::memcpy(to, self->bytes.data(), count);
    self->bytes = self->bytes.subspan(count);
  }

  Bytes bytes;
  std::jmp_buf jump;
  png_structp png = nullptr;
  png_infop info = nullptr;
  int passes = 1;
};

// JPEG ---------------------------------------------------------------------------------------------------------------

class JpegReader {
public:
  explicit JpegReader(Bytes bytes) : bytes(bytes) {
    std::memset(&jpeg, 0, sizeof jpeg);
    jpeg.err = jpeg_std_error(&errors);
    errors.error_exit = onError;
    errors.emit_message = onMessage;
    jpeg.client_data = this;
  }
  JpegReader(const JpegReader &) = delete;
  ~JpegReader() { jpeg_destroy_decompress(&jpeg); }

  bool readHeader() {
    if (setjmp(jump))
      return false;
    jpeg_create_decompress(&jpeg);
    jpeg.client_data = this;
    jpeg.mem->max_memory_to_use = 1L << 30;
    progress.progress_monitor = onProgress;
    jpeg.progress = &progress;
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size());
    jpeg_read_header(&jpeg, TRUE);
    if (jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK) {
      std::snprintf(reason, sizeof reason, "CMYK pictures are not supported");
      return false;
    }
    jpeg.out_color_space = JCS_RGB;
    width = jpeg.image_width;
    height = jpeg.image_height;
    return true;
  }

  bool readPixels(uint8_t *pixels) {
    if (setjmp(jump))
      return false;
    jpeg_start_decompress(&jpeg);
    if (jpeg.output_components != 3 || jpeg.output_width != width || jpeg.output_height != height)
      return false;
    while (jpeg.output_scanline < jpeg.output_height) {
      JSAMPROW row = pixels + size_t(jpeg.output_scanline) * 3 * width;
      jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    return true;
  }

  size_t width = 0, height = 0;
  char reason[JMSG_LENGTH_MAX] = "it is damaged";

private:
  [[noreturn]] static void fail(JpegReader *self, const char *why) {
    if (why)
      std::snprintf(self->reason, sizeof self->reason, "%s", why);
    std::longjmp(self->jump, 1);
  }
  static JpegReader *self(j_common_ptr common) { return static_cast<JpegReader *>(common->client_data); }
  static void onError(j_common_ptr common) {
    common->err->format_message(common, self(common)->reason);
    fail(self(common), nullptr);
  }
  /// libjpeg only warns of missing data, and fills grey in.
  static void onMessage(j_common_ptr common, int) {
    int code = common->err->msg_code;
    if (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)
      fail(self(common), "it is cut short");
  }
  static void onProgress(j_common_ptr common) {
    if (reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > maxScans)
      fail(self(common), "it has too many scans");
  }

  Bytes bytes;
  std::jmp_buf jump;
  jpeg_decompress_struct jpeg;
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress = {};
};

template <class Reader> Result<DenseTensor> decode(Bytes bytes, std::string_view path) {
  Reader reader(bytes);
  if (!reader.readHeader())
    return cannotRead(path, reader.reason);
  PLIANT_TRY(DenseTensor tensor, pictureTensor(reader.height, reader.width, path));
  if (!reader.readPixels(tensor.as<uint8_t>()))
    return cannotRead(path, reader.reason);
  return tensor;
}

bool startsWith(Bytes bytes, std::string_view start) {
  return bytes.size() >= start.size() && std::memcmp(bytes.data(), start.data(), start.size()) == 0;
}
bool isPng(Bytes bytes) { return startsWith(bytes, "\x89PNG\r\n\x1a\n"); }
bool isJpeg(Bytes bytes) { return startsWith(bytes, "\xff\xd8\xff"); }

} // namespace

bool isPicture(Bytes start) { return isPng(start) || isJpeg(start); }

Result<DenseTensor> decodePicture(Bytes bytes, std::string_view path) {
  if (isPng(bytes))
    return decode<PngReader>(bytes, path);
  if (isJpeg(bytes))
    return decode<JpegReader>(bytes, path);
  return cannotRead(path, "it is neither a PNG nor a JPEG picture");
}

Result<DenseTensor> readPicture(const std::string &path) {
  PLIANT_TRY(FileMap map, FileMap::open(path));
  return decodePicture({map.data(), map.size()}, path);
}

Status writePng(const std::string &path, const DenseTensor &picture) {
  const std::vector<int64_t> &dims = picture.dims();
  int64_t channels = dims.size() == 2 ? 1 : dims.size() == 3 ? dims[2] : 0;
  bool good = picture.dtype() == DType::U8 && (channels == 1 || channels == 3 || channels == 4) && picture.size() > 0 &&
              dims[0] <= INT_MAX / 8 && dims[1] <= INT_MAX / 8 &&
              static_cast<uint64_t>(picture.size()) <= 4 * maxPixels;
  if (!good)
    return cannotWrite(path,
                       "a " + std::string(name(picture.dtype())) + " tensor of shape " + str(dims) + " is no picture",
                       "u8 of shape (height, width), (height, width, 3) or (height, width, 4) is");
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.height = static_cast<png_uint_32>(dims[0]);
  image.width = static_cast<png_uint_32>(dims[1]);
  image.format = channels == 1 ? PNG_FORMAT_GRAY : channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  // One pass into memory of the most it can take: asking for the exact size would compress twice.
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.data(), 0, nullptr))
    return cannotWrite(path, image.message);
  return writeFile(path, std::string_view(bytes).substr(0, size));
}

} // namespace pliant::files
