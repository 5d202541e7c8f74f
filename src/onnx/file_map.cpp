// SPDX-License-Identifier: Apache-2.0
// Files mapped read only, and the rule that keeps external data inside the model's folder.
#include "onnx/file_map.h"
#include "onnx/blob.h"
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pliant::onnx_file {

Result<std::unique_ptr<Mapping>> Mapping::ofFile(const std::string &path, uint64_t maxBytes) {
  auto fail = [&](const std::string &what) { return userError("onnx", "cannot open " + quote(path) + ": " + what); };
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return fail(std::generic_category().message(errno));
  struct stat info;
  std::string problem;
  void *data = nullptr;
  uint64_t size = 0;
  if (::fstat(fd, &info) != 0)
    problem = std::generic_category().message(errno);
  else if (S_ISDIR(info.st_mode))
    problem = "it is a folder";
  else if (!S_ISREG(info.st_mode))
    problem = "it is no regular file";
  else if (static_cast<uint64_t>(info.st_size) > maxBytes)
    problem = "it has more than " + std::to_string(maxBytes) + " bytes";
  else if ((size = static_cast<uint64_t>(info.st_size)) != 0) {
    data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
      problem = std::generic_category().message(errno);
  }
  ::close(fd);
  if (!problem.empty())
    return fail(problem);
  std::unique_ptr<Mapping> mapping(new Mapping);
  mapping->view = {static_cast<const std::byte *>(data), size};
  mapping->mapped = size != 0;
  mapping->pages = std::make_unique<FilePages>(mapping->view);
  return mapping;
}

std::unique_ptr<Mapping> Mapping::ofBytes(std::string bytes) {
  std::unique_ptr<Mapping> mapping(new Mapping);
  mapping->owned = std::move(bytes);
  mapping->view = std::as_bytes(std::span(mapping->owned.data(), mapping->owned.size()));
  return mapping;
}

Mapping::~Mapping() {
  pages.reset();
  if (mapped)
    ::munmap(const_cast<std::byte *>(view.data()), view.size());
}

void Mapping::readAhead(bool on) const {
  if (mapped)
    ::madvise(const_cast<std::byte *>(view.data()), view.size(), on ? MADV_NORMAL : MADV_RANDOM);
}

void Mapping::dropPages(uint64_t offset, uint64_t length) const {
  if (!mapped || offset > view.size() || length > view.size() - offset)
    return;
  uint64_t page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  uint64_t begin = (offset + page - 1) / page * page, end = (offset + length) / page * page;
  if (begin < end)
    ::madvise(const_cast<std::byte *>(view.data()) + begin, end - begin, MADV_DONTNEED);
}

Result<std::string> externalPath(const std::string &modelPath, bool isFolder, const std::string &location) {
  namespace fs = std::filesystem;
  auto fail = [&](const std::string &what) {
    return userError("onnx", "external data " + quote(location) + " " + what, {},
                     "external data must lie in the model's folder");
  };
  fs::path relative(location);
  if (location.empty() || location.find('\0') != std::string::npos)
    return fail("is no file name");
  if (relative.is_absolute())
    return fail("is an absolute path");
  for (const fs::path &part : relative)
    if (part == "..")
      return fail("leaves the model's folder");
  std::error_code error;
  fs::path model(modelPath), folder = isFolder ? model : model.parent_path();
  if (folder.empty())
    folder = ".";
  fs::path real = fs::canonical(folder / relative, error);
  if (error)
    return fail("cannot be opened: " + error.message());
  auto inside = [&](const fs::path &root) {
    fs::path home = fs::canonical(root, error);
    if (error)
      return false;
    auto [left, unused] = std::mismatch(home.begin(), home.end(), real.begin(), real.end());
    return left == home.end();
  };
  if (inside(folder))
    return real.string();
  if (!isFolder) {
    fs::path realModel = fs::canonical(model, error);
    if (!error && inside(realModel.parent_path()))
      return real.string();
  }
  return fail("leaves the model's folder through a symbolic link");
}

} // namespace pliant::onnx_file
