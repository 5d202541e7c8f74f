// SPDX-License-Identifier: Apache-2.0
// lld reads and writes memory files, so no folder has to be writable.
#include "codegen/link.h"
#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace pliant::codegen {
namespace {

/// A file in memory that has a path while it is open.
class MemoryFile {
public:
  explicit MemoryFile(const char *name) : descriptor(memfd_create(name, MFD_CLOEXEC)) {}
  MemoryFile(MemoryFile &&other) noexcept : descriptor(other.descriptor) { other.descriptor = -1; }
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }
  bool write(const std::string &bytes) {
    for (size_t done = 0; done < bytes.size();) {
      ssize_t n = ::write(descriptor, bytes.data() + done, bytes.size() - done);
      if (n <= 0)
        return false;
      done += static_cast<size_t>(n);
    }
    return true;
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor); }
  bool valid() const { return descriptor >= 0; }

private:
  int descriptor;
};

} // namespace

Result<std::string> linkImage(const std::vector<const std::string *> &objects,
                              const std::vector<std::string> &entries) {
  // One archive-like memory file per object; descriptors are bounded, so kernels are linked in batches of objects that
  // were concatenated by partial links when there are many.
  constexpr size_t batch = 200;
  if (objects.size() > batch) {
    std::vector<std::string> joined;
    for (size_t first = 0; first < objects.size(); first += batch) {
      std::vector<const std::string *> part(objects.begin() + first,
                                            objects.begin() + std::min(objects.size(), first + batch));
      auto partial = linkImage(part, {});
      if (!partial)
        return partial;
      joined.push_back(std::move(*partial));
    }
    std::vector<const std::string *> all;
    for (const std::string &object : joined)
      all.push_back(&object);
    return linkImage(all, entries);
  }
  std::vector<MemoryFile> files;
  std::vector<std::string> arguments{"ld.lld"};
  if (entries.empty())
    arguments.insert(arguments.end(), {"-r"});
  else
    arguments.insert(arguments.end(), {"-shared", "-Bsymbolic", "--no-undefined", "-z", "noseparate-code", "-z",
                                       "relro", "--hash-style=gnu", "--build-id=none", "-z", "nognustack"});
  for (const std::string *object : objects) {
    MemoryFile file("kernel.o");
    if (!file.valid() || !file.write(*object))
      return internalError("link", "no memory file for an object");
    arguments.push_back(file.path());
    files.push_back(std::move(file));
  }
  // lld replaces a regular output file by renaming, which needs a folder; into a pipe it writes straight.
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return internalError("link", "no pipe for the image");
  std::string image;
  std::thread reader([&image, from = ends[0]] {
    char block[65536];
    for (ssize_t n; (n = read(from, block, sizeof block)) > 0;)
      image.append(block, static_cast<size_t>(n));
  });
  arguments.insert(arguments.end(), {"-o", "/proc/self/fd/" + std::to_string(ends[1]), "--threads=1"});
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  std::string text;
  llvm::raw_string_ostream stream(text);
  bool linked = lld::elf::link(pointers, stream, stream, /*exitEarly=*/false, /*disableOutput=*/false);
  lld::CommonLinkerContext::destroy();
  close(ends[1]);
  reader.join();
  close(ends[0]);
  if (!linked)
    return internalError("link", stream.str());
  return image;
}

} // namespace pliant::codegen
