// SPDX-License-Identifier: Apache-2.0
#include "runtime/image.h"
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <vector>

using namespace pliant;

namespace {

struct Options {
  bool undefined = false; ///< one more symbol, "strlen", that is not in the image
  bool needed = false;    ///< DT_NEEDED
};

/// A shared object with one function, `int answer()`, laid out by hand: code and tables in page 0, the dynamic section
/// in page 1, which the loader may write to.
struct Library {
  Elf64_Ehdr header;
  Elf64_Phdr segments[3];
  uint8_t code[16];
  Elf64_Sym symbols[3];
  char names[16];
  uint32_t hash[6];
  Elf64_Shdr sections[3];
  uint8_t pad[4096 - sizeof(Elf64_Ehdr) - 3 * sizeof(Elf64_Phdr) - 16 - 3 * sizeof(Elf64_Sym) - 16 - 24 -
              3 * sizeof(Elf64_Shdr)];
  Elf64_Dyn dynamic[8];
};
static_assert(offsetof(Library, dynamic) == 4096);

std::vector<std::byte> library(int32_t answer, Options options = {}) {
  Library lib;
  std::memset(&lib, 0, sizeof lib);
  auto offset = [](size_t o) { return static_cast<uint64_t>(o); };
  std::memcpy(lib.header.e_ident, ELFMAG, SELFMAG);
  lib.header.e_ident[EI_CLASS] = ELFCLASS64;
  lib.header.e_ident[EI_DATA] = ELFDATA2LSB;
  lib.header.e_ident[EI_VERSION] = EV_CURRENT;
  lib.header.e_type = ET_DYN;
  lib.header.e_machine = EM_X86_64;
  lib.header.e_version = EV_CURRENT;
  lib.header.e_phoff = offsetof(Library, segments);
  lib.header.e_shoff = offsetof(Library, sections);
  lib.header.e_ehsize = sizeof(Elf64_Ehdr);
  lib.header.e_phentsize = sizeof(Elf64_Phdr);
  lib.header.e_phnum = 3;
  lib.header.e_shentsize = sizeof(Elf64_Shdr);
  lib.header.e_shnum = 3;
  lib.segments[0] = {PT_LOAD, PF_R | PF_X, 0, 0, 0, 4096, 4096, 4096};
  lib.segments[1] = {PT_LOAD, PF_R | PF_W, 4096, 4096, 4096, sizeof lib.dynamic, sizeof lib.dynamic, 4096};
  lib.segments[2] = {PT_DYNAMIC, PF_R | PF_W, 4096, 4096, 4096, sizeof lib.dynamic, sizeof lib.dynamic, 8};
  lib.code[0] = 0xb8; // mov eax, answer
  std::memcpy(lib.code + 1, &answer, 4);
  lib.code[5] = 0xc3; // ret
  std::memcpy(lib.names, "\0answer\0strlen", 15);
  lib.symbols[1] = {1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, offset(offsetof(Library, code)), 6};
  uint32_t count = options.undefined ? 3 : 2;
  if (options.undefined)
    lib.symbols[2] = {8, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, SHN_UNDEF, 0, 0};
  uint32_t hash[6] = {1, count, 1, 0, 0, 0}; // one bucket, which starts the chain at symbol 1
  std::memcpy(lib.hash, hash, sizeof hash);
  lib.sections[1].sh_type = SHT_DYNSYM;
  lib.sections[1].sh_offset = offsetof(Library, symbols);
  lib.sections[1].sh_size = count * sizeof(Elf64_Sym);
  lib.sections[1].sh_link = 2;
  lib.sections[2].sh_type = SHT_STRTAB;
  lib.sections[2].sh_offset = offsetof(Library, names);
  lib.sections[2].sh_size = sizeof lib.names;
  Elf64_Dyn entries[] = {{DT_HASH, {offsetof(Library, hash)}},    {DT_SYMTAB, {offsetof(Library, symbols)}},
                         {DT_STRTAB, {offsetof(Library, names)}}, {DT_STRSZ, {sizeof lib.names}},
                         {DT_SYMENT, {sizeof(Elf64_Sym)}},        {options.needed ? DT_NEEDED : DT_NULL, {1}}};
  std::memcpy(lib.dynamic, entries, sizeof entries);
  std::vector<std::byte> bytes(sizeof lib);
  std::memcpy(bytes.data(), &lib, sizeof lib);
  return bytes;
}

int answer(const Image &image) {
  auto *function = reinterpret_cast<int (*)()>(image.symbol("answer"));
  return function ? function() : -1;
}

int openFiles() {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (readdir(folder))
    ++count;
  closedir(folder);
  return count;
}

} // namespace

TEST(Image, LoadsAndCalls) {
  auto image = Image::load(library(42));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(answer(*image), 42);
  EXPECT_EQ(image->symbol("nothing"), nullptr);
  EXPECT_EQ(image->symbol("malloc"), nullptr) << "the symbols of the process are no part of an image";
}

TEST(Image, ManyLiveAtOnceAndNoneConfused) {
  int files = openFiles();
  std::vector<Image> images;
  for (int i = 0; i < 200; ++i) {
    auto image = i % 5 ? Image::load(library(i)) : Image::loadThroughFile(library(i));
    ASSERT_TRUE(image) << image.error().message;
    images.push_back(std::move(*image));
  }
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(answer(images[static_cast<size_t>(i)]), i);
  EXPECT_EQ(openFiles(), files) << "an image keeps no file open";
  images.clear();
  EXPECT_EQ(answer(*Image::load(library(7))), 7);
}

TEST(Image, MoveAndEmpty) {
  Image empty;
  EXPECT_FALSE(empty);
  EXPECT_EQ(empty.symbol("answer"), nullptr);
  empty = std::move(*Image::load(library(3)));
  EXPECT_EQ(answer(empty), 3);
}

TEST(Image, RefusesWhatIsNotAnImage) {
  EXPECT_FALSE(Image::load({}));
  std::vector<std::byte> text(1000, std::byte('x'));
  EXPECT_FALSE(Image::load(text));
  auto reason = [](std::vector<std::byte> bytes) {
    Status status = checkImage(bytes);
    return status ? std::string("accepted") : status.error().message;
  };
  EXPECT_EQ(reason(library(1)), "accepted");
  EXPECT_EQ(reason(library(1, {.undefined = true})), "not a loadable image: undefined symbol 'strlen'");
  EXPECT_EQ(reason(library(1, {.needed = true})), "not a loadable image: it needs another library");
  auto other = library(1);
  other[offsetof(Elf64_Ehdr, e_machine)] = std::byte(EM_RISCV);
  EXPECT_EQ(reason(other), "not a loadable image: it is for another kind of machine");
  auto program = library(1);
  program[offsetof(Elf64_Ehdr, e_type)] = std::byte(ET_EXEC);
  EXPECT_EQ(reason(program), "not a loadable image: it is not a shared object");
  auto whole = library(1);
  for (size_t length = 0; length < whole.size(); length += 7)
    EXPECT_NE(reason({whole.begin(), whole.begin() + static_cast<long>(length)}), "accepted") << length;
}

TEST(Image, CheckSurvivesAnyByte) {
  auto whole = library(1);
  for (size_t i = 0; i < whole.size(); ++i)
    for (int value : {0x00, 0x7f, 0xff}) {
      auto bytes = whole;
      bytes[i] = std::byte(value);
      (void)static_cast<bool>(checkImage(bytes));
    }
}
