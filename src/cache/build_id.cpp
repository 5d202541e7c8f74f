// SPDX-License-Identifier: Apache-2.0
// Reads the few bytes of the file that matter, or the same in memory; nothing is mapped or loaded.
#include "cache/build_id.h"
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <span>
#include <unistd.h>

namespace pliant::cache {

static std::optional<std::string> readAt(int file, uint64_t offset, uint64_t size) {
  std::string bytes(size, '\0');
  bool whole = pread(file, bytes.data(), size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
  return whole ? std::optional(std::move(bytes)) : std::nullopt;
}

/// The id in a note segment.
static std::optional<std::string> idIn(const std::string &notes) {
  auto padded = [](uint64_t size) { return (size + 3) / 4 * 4; };
  for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data() + at, sizeof note);
    uint64_t name = at + sizeof note, content = name + padded(note.n_namesz);
    if (content + note.n_descsz > notes.size())
      return std::nullopt;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes.data() + name, "GNU", 4) == 0)
      return notes.substr(content, note.n_descsz);
    at = content + padded(note.n_descsz);
  }
  return std::nullopt;
}

std::optional<std::string> buildId(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return std::nullopt;
  constexpr uint64_t longestNotes = 4096;
  std::optional<std::string> id;
  Elf64_Ehdr header{};
  if (auto bytes = readAt(file, 0, sizeof header)) {
    std::memcpy(&header, bytes->data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(Elf64_Phdr))
      header.e_phnum = 0;
  }
  for (unsigned i = 0; i < header.e_phnum && !id; ++i) {
    Elf64_Phdr segment;
    auto bytes = readAt(file, header.e_phoff + i * sizeof segment, sizeof segment);
    if (!bytes)
      break;
    std::memcpy(&segment, bytes->data(), sizeof segment);
    if (segment.p_type != PT_NOTE || segment.p_filesz > longestNotes)
      continue;
    if (auto notes = readAt(file, segment.p_offset, segment.p_filesz))
      id = idIn(*notes);
  }
  close(file);
  return id;
}

std::optional<std::string> buildIdAt(const void *address) {
  struct Search {
    uint64_t address;
    std::optional<std::string> id;
  } search{reinterpret_cast<uint64_t>(address), std::nullopt};
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *data) {
        Search &search = *static_cast<Search *>(data);
        std::span segments(object->dlpi_phdr, object->dlpi_phnum);
        auto inside = [&](const Elf64_Phdr &s) {
          return s.p_type == PT_LOAD && search.address - (object->dlpi_addr + s.p_vaddr) < s.p_memsz;
        };
        if (std::none_of(segments.begin(), segments.end(), inside))
          return 0;
        for (const Elf64_Phdr &s : segments)
          if (s.p_type == PT_NOTE && !search.id)
            search.id = idIn(std::string(reinterpret_cast<const char *>(object->dlpi_addr + s.p_vaddr), s.p_memsz));
        return 1;
      },
      &search);
  return search.id;
}

std::optional<std::string> coreBuildId() { return buildIdAt(reinterpret_cast<const void *>(&coreBuildId)); }

} // namespace pliant::cache
