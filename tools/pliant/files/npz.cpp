// SPDX-License-Identifier: Apache-2.0
// .npz through libzip.
#include "files/npz.h"
#include "files/npy.h"
#include <memory>
#include <zip.h>

namespace pliant::files {
namespace {

constexpr zip_int64_t maxEntries = 100000;
constexpr uint64_t maxDeflateRatio = 1032; ///< what deflate can reach at most

struct Discard {
  void operator()(zip_t *archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

Result<Archive> openArchive(const std::string &path, int flags) {
  int code = 0;
  if (zip_t *archive = zip_open(path.c_str(), flags, &code))
    return Archive(archive);
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  return flags & ZIP_RDONLY ? cannotRead(path, why) : cannotWrite(path, why);
}

/// One entry, unpacked as it is read.
class EntrySource final : public Source {
public:
  EntrySource(zip_file_t *file, uint64_t size, std::string_view path) : file(file), size(size), path(path) {}
  EntrySource(const EntrySource &) = delete;
  ~EntrySource() override { zip_fclose(file); }

  Status read(void *to, size_t count) override {
    auto *at = static_cast<char *>(to);
    while (count) {
      zip_int64_t got = zip_fread(file, at, count);
      if (got <= 0)
        return cannotRead(path, got < 0 ? zip_file_strerror(file) : "it is cut short");
      at += got;
      count -= static_cast<size_t>(got);
      size -= static_cast<uint64_t>(got);
    }
    return ok();
  }
  size_t left() const override { return size; }

  /// Reads the end, where libzip compares the checksum.
  Status finish() {
    char extra;
    zip_int64_t got = zip_fread(file, &extra, 1);
    if (got < 0)
      return cannotRead(path, zip_file_strerror(file));
    return got == 0 ? ok() : Status(cannotRead(path, "it is longer than the archive says"));
  }

private:
  zip_file_t *file;
  uint64_t size;
  std::string_view path;
};

Result<DenseTensor> readEntry(zip_t *archive, zip_uint64_t index, const zip_stat_t &info, const std::string &path) {
  constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if ((info.valid & needed) != needed)
    return cannotRead(path, "the archive does not tell its size");
  if ((info.valid & ZIP_STAT_ENCRYPTION_METHOD) && info.encryption_method != ZIP_EM_NONE)
    return cannotRead(path, "it is encrypted");
  bool stored = info.comp_method == ZIP_CM_STORE;
  if (!stored && info.comp_method != ZIP_CM_DEFLATE)
    return cannotRead(path, "compression method " + std::to_string(info.comp_method) + " is not supported",
                      "numpy.savez and numpy.savez_compressed write what is");
  // A size that its bytes cannot unpack to is refused before memory is taken for it.
  if (stored ? info.size != info.comp_size : info.size / maxDeflateRatio > info.comp_size + 1)
    return cannotRead(path, "it cannot unpack to " + std::to_string(info.size) + " bytes");
  zip_file_t *file = zip_fopen_index(archive, index, 0);
  if (!file)
    return cannotRead(path, zip_strerror(archive));
  EntrySource source(file, info.size, path);
  PLIANT_TRY(DenseTensor tensor, readNpy(source, path));
  PLIANT_CHECK(source.finish());
  return tensor;
}

} // namespace

Result<std::vector<NamedTensor>> readNpz(const std::string &path) {
  PLIANT_TRY(Archive archive, openArchive(path, ZIP_RDONLY));
  zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  if (count < 0 || count > maxEntries)
    return cannotRead(path, "it has " + std::to_string(count) + " entries");
  std::vector<NamedTensor> tensors;
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t info;
    zip_stat_init(&info);
    if (zip_stat_index(archive.get(), static_cast<zip_uint64_t>(i), 0, &info) != 0 || !(info.valid & ZIP_STAT_NAME))
      return cannotRead(path, zip_strerror(archive.get()));
    std::string name = info.name;
    std::string entryPath = path + ":" + name;
    if (!name.ends_with(".npy"))
      return cannotRead(path, "its entry '" + name + "' is no .npy file");
    PLIANT_TRY(DenseTensor tensor, readEntry(archive.get(), static_cast<zip_uint64_t>(i), info, entryPath));
    name.resize(name.size() - 4);
    tensors.emplace_back(std::move(name), std::move(tensor));
  }
  return tensors;
}

Status writeNpz(const std::string &path, const std::vector<NamedTensor> &tensors) {
  PLIANT_TRY(Archive archive, openArchive(path, ZIP_CREATE | ZIP_TRUNCATE));
  auto fail = [&] { return cannotWrite(path, zip_strerror(archive.get())); };
  std::vector<std::string> contents; // libzip reads them when the archive is closed
  contents.reserve(tensors.size());
  for (const auto &[name, tensor] : tensors) {
    const std::string &bytes = contents.emplace_back(npyBytes(tensor));
    zip_source_t *source = zip_source_buffer(archive.get(), bytes.data(), bytes.size(), 0);
    if (!source)
      return fail();
    zip_int64_t index = zip_file_add(archive.get(), (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return fail();
    }
    constexpr zip_uint16_t firstDay = 1 << 5 | 1; // 1980-01-01, as numpy writes
    auto entry = static_cast<zip_uint64_t>(index);
    if (zip_set_file_compression(archive.get(), entry, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(archive.get(), entry, 0, firstDay, 0) != 0)
      return fail();
  }
  // An archive without entries is no file for libzip; write the end record that numpy writes.
  if (tensors.empty())
    return writeFile(path, std::string("PK\x05\x06", 4) + std::string(18, '\0'));
  if (zip_close(archive.get()) != 0)
    return fail();
  (void)archive.release();
  return ok();
}

} // namespace pliant::files
