// SPDX-License-Identifier: Apache-2.0
// Loading of images through the system's dynamic loader.
#include "runtime/image.h"
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace pliant {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half machine = EM_AARCH64;
#endif

using Bytes = std::span<const std::byte>;

std::string systemError(int code) { return std::generic_category().message(code); }

/// Item number i of a table at offset, copied (the bytes may be unaligned); false when it leaves the image.
template <class T> bool item(Bytes bytes, uint64_t offset, uint64_t i, T &out) {
  uint64_t at;
  if (__builtin_mul_overflow(i, sizeof(T), &at) || __builtin_add_overflow(at, offset, &at) || at > bytes.size() ||
      bytes.size() - at < sizeof(T))
    return false;
  std::memcpy(&out, bytes.data() + at, sizeof(T));
  return true;
}

Error bad(const std::string &why) { return internalError("image", "not a loadable image: " + why); }

Status checkDynamic(Bytes bytes, uint64_t offset, uint64_t size) {
  Elf64_Dyn entry;
  for (uint64_t i = 0; i < size / sizeof entry; ++i) {
    if (!item(bytes, offset, i, entry))
      return bad("dynamic section leaves the file");
    if (entry.d_tag == DT_NULL)
      return ok();
    if (entry.d_tag == DT_NEEDED)
      return bad("it needs another library");
    if (entry.d_tag == DT_TEXTREL)
      return bad("it has relocations in code");
  }
  return bad("dynamic section has no end");
}

Status checkSymbols(Bytes bytes, const Elf64_Shdr &table, const Elf64_Shdr &names) {
  Elf64_Sym symbol;
  for (uint64_t i = 1; i < table.sh_size / sizeof symbol; ++i) {
    if (!item(bytes, table.sh_offset, i, symbol))
      return bad("symbol table leaves the file");
    if (symbol.st_shndx != SHN_UNDEF)
      continue;
    uint64_t at = names.sh_offset + symbol.st_name;
    std::string name;
    for (char c; item(bytes, at, name.size(), c) && c && name.size() < 200;)
      name += c;
    return bad("undefined symbol '" + name + "'");
  }
  return ok();
}

int createMemoryFile() {
#ifndef MFD_EXEC
  constexpr unsigned MFD_EXEC = 0x10;
#endif
  // Newer systems may make such files non-executable unless asked; older ones do not know the request.
  int file = memfd_create("pliant", MFD_CLOEXEC | MFD_EXEC);
  return file >= 0 || errno != EINVAL ? file : memfd_create("pliant", MFD_CLOEXEC);
}

/// 0, or the error number.
int writeAll(int file, Bytes bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count < 0 ? errno : EIO;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return 0;
}

/// A path to an open file that no earlier call returned. The loader takes a path it has seen for the library it loaded
/// then, and file numbers are reused: the count goes into the path as a row of "/" and "./", which change nothing.
std::string freshPath(int file) {
  static std::atomic<uint64_t> counter{0};
  std::string path = "/proc/self/fd/";
  for (uint64_t count = counter.fetch_add(1, std::memory_order_relaxed) + 1; count; count >>= 1)
    path += count & 1 ? "./" : "/";
  return path + std::to_string(file);
}

/// The handle, or null with the reason.
void *open(const std::string &path, std::string &why) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *text = dlerror();
    why = text ? text : "unknown error of the loader";
  }
  return handle;
}

void *openFromMemory(Bytes bytes, std::string &why) {
  int file = createMemoryFile();
  if (file < 0) {
    why = "memfd_create: " + systemError(errno);
    return nullptr;
  }
  void *handle = nullptr;
  if (int code = writeAll(file, bytes))
    why = "writing to memory: " + systemError(code);
  else if (access("/proc/self/fd", X_OK) != 0)
    why = "/proc is not mounted";
  else
    handle = open(freshPath(file), why);
  close(file); // the mapping keeps the memory
  return handle;
}

void *openFromFolder(const std::string &folder, Bytes bytes, std::string &why) {
  std::string path = folder + "/pliant-XXXXXX";
  int file = mkostemp(path.data(), O_CLOEXEC); // mode 0600
  if (file < 0) {
    why = folder + ": " + systemError(errno);
    return nullptr;
  }
  void *handle = nullptr;
  if (int code = writeAll(file, bytes))
    why = folder + ": " + systemError(code);
  else
    handle = open(path, why);
  unlink(path.c_str());
  close(file);
  return handle;
}

void *openFromFolders(Bytes bytes, std::string &why) {
  std::vector<std::string> folders;
  for (const char *name : {"XDG_RUNTIME_DIR", "TMPDIR"})
    if (const char *folder = std::getenv(name); folder && *folder == '/')
      folders.push_back(folder);
  folders.push_back("/tmp");
  for (const std::string &folder : folders) {
    std::string reason;
    if (void *handle = openFromFolder(folder, bytes, reason))
      return handle;
    why += (why.empty() ? "" : "; ") + reason;
  }
  return nullptr;
}

Error cannotLoad(const std::string &why) {
  return userError("image", "cannot load compiled code: " + why, "",
                   "mount /proc, or let XDG_RUNTIME_DIR or TMPDIR name a folder from which code may be run");
}

} // namespace

Status checkImage(Bytes bytes) {
  Elf64_Ehdr header;
  if (!item(bytes, 0, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return bad("no ELF header in " + std::to_string(bytes.size()) + " bytes");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_ident[EI_VERSION] != EV_CURRENT || header.e_machine != machine)
    return bad("it is for another kind of machine");
  if (header.e_type != ET_DYN)
    return bad("it is not a shared object");
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0)
    return bad("no program headers");
  bool dynamic = false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!item(bytes, header.e_phoff, i, segment))
      return bad("program headers leave the file");
    if (segment.p_type == PT_INTERP)
      return bad("it is a program");
    if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC)
      continue;
    if (segment.p_offset > bytes.size() || segment.p_filesz > bytes.size() - segment.p_offset ||
        segment.p_filesz > segment.p_memsz)
      return bad("a segment leaves the file: it is cut short");
    if (segment.p_type == PT_DYNAMIC) {
      dynamic = true;
      PLIANT_CHECK(checkDynamic(bytes, segment.p_offset, segment.p_filesz));
    }
  }
  if (!dynamic)
    return bad("no dynamic section");
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table, names{};
    if (header.e_shentsize != sizeof table || !item(bytes, header.e_shoff, i, table))
      return bad("section headers leave the file: it is cut short");
    if (table.sh_type != SHT_DYNSYM)
      continue;
    if (!item(bytes, header.e_shoff, table.sh_link, names))
      return bad("symbol table without names");
    PLIANT_CHECK(checkSymbols(bytes, table, names));
  }
  return ok();
}

Result<Image> Image::load(Bytes bytes) {
  PLIANT_CHECK(checkImage(bytes));
  std::string why, fileWhy;
  Image image;
  image.handle = openFromMemory(bytes, why);
  if (!image.handle)
    image.handle = openFromFolders(bytes, fileWhy);
  if (!image.handle)
    return cannotLoad(why + "; " + fileWhy);
  return image;
}

Result<Image> Image::loadThroughFile(Bytes bytes) {
  PLIANT_CHECK(checkImage(bytes));
  std::string why;
  Image image;
  image.handle = openFromFolders(bytes, why);
  if (!image.handle)
    return cannotLoad(why);
  return image;
}

Image::~Image() {
  if (handle)
    dlclose(handle);
}

void *Image::symbol(const char *name) const { return handle ? dlsym(handle, name) : nullptr; }

} // namespace pliant
