// SPDX-License-Identifier: Apache-2.0
// Entries are files: a head with the digests of key and content, then the content.
#include "cache/store.h"
#include "runtime/memory.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace pliant::cache {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t defaultLimit = uint64_t(512) << 20;
constexpr std::string_view partSuffix = ".part"; // of files being written
constexpr auto abandoned = std::chrono::hours(1);

struct Head {
  char magic[8] = {'P', 'L', 'I', 'A', 'N', 'T', 'C', '1'};
  uint64_t size = 0;
  DigestBytes key{}, content{};
};

std::span<const std::byte> bytesOf(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

std::optional<std::string> readWhole(int file, uint64_t size) {
  std::string bytes(size, '\0');
  for (uint64_t done = 0; done < size;) {
    ssize_t count = read(file, bytes.data() + done, size - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return std::nullopt;
    done += static_cast<uint64_t>(count);
  }
  return bytes;
}

} // namespace

std::optional<Store> Store::open() {
  uint64_t limit = defaultLimit;
  if (const char *text = std::getenv("PLIANT_CACHE_LIMIT"); text && *text) {
    auto bytes = parseByteCount(text);
    limit = bytes ? *bytes : 0; // who wrote something wanted less than the default
  }
  if (limit == 0)
    return std::nullopt;
  auto absolute = [](const char *name) -> std::string {
    const char *value = std::getenv(name);
    return value && *value == '/' ? value : "";
  };
  if (const char *own = std::getenv("PLIANT_CACHE_DIR"); own && *own)
    return Store(own, limit);
  if (std::string base = absolute("XDG_CACHE_HOME"); !base.empty())
    return Store(base + "/pliant/compiled", limit);
  if (std::string home = absolute("HOME"); !home.empty())
    return Store(home + "/.cache/pliant/compiled", limit);
  return std::nullopt;
}

std::string Store::path(std::string_view kind, const DigestBytes &key) const {
  return folder + "/" + hex(key) + "." + std::string(kind);
}

std::optional<std::string> Store::get(std::string_view kind, const DigestBytes &key) const {
  int file = ::open(path(kind, key).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0)
    return std::nullopt;
  auto content = [&]() -> std::optional<std::string> {
    struct stat info;
    // What it holds is run as code: it must be ours (or the system's), and nobody else's to write.
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || (info.st_uid != geteuid() && info.st_uid != 0) ||
        (info.st_mode & (S_IWGRP | S_IWOTH)))
      return std::nullopt;
    Head head;
    const Head expected;
    auto start = readWhole(file, sizeof head);
    if (!start)
      return std::nullopt;
    std::memcpy(&head, start->data(), sizeof head);
    if (std::memcmp(head.magic, expected.magic, sizeof head.magic) != 0 || head.key != key ||
        head.size != static_cast<uint64_t>(info.st_size) - sizeof head)
      return std::nullopt;
    auto bytes = readWhole(file, head.size);
    if (!bytes || digestOf(bytesOf(*bytes)) != head.content)
      return std::nullopt;
    futimens(file, nullptr); // used now, for trim()
    return bytes;
  }();
  close(file);
  return content;
}

void Store::put(std::string_view kind, const DigestBytes &key, std::string_view content) const {
  if (content.size() + sizeof(Head) > limit)
    return;
  std::error_code failure;
  if (!fs::exists(folder, failure)) {
    fs::create_directories(folder, failure);
    if (failure)
      return;
    fs::permissions(folder, fs::perms::owner_all, failure); // as the specification of XDG_CACHE_HOME asks
  }
  static std::atomic<uint64_t> counter{0};
  const std::string part =
      path(kind, key) + "." + std::to_string(getpid()) + "-" + std::to_string(counter++) + std::string(partSuffix);
  int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    return;
  Head head;
  head.size = content.size();
  head.key = key;
  head.content = digestOf(bytesOf(content));
  bool whole = writeAll(file, {reinterpret_cast<const char *>(&head), sizeof head}) && writeAll(file, content);
  close(file);
  if (!whole || rename(part.c_str(), path(kind, key).c_str()) != 0)
    unlink(part.c_str());
}

void Store::trim() const {
  struct Found {
    fs::file_time_type time;
    uint64_t size;
    fs::path path;
  };
  std::vector<Found> entries;
  uint64_t total = 0;
  std::error_code failure;
  const auto now = fs::file_time_type::clock::now();
  for (auto it = fs::directory_iterator(folder, failure); !failure && it != fs::directory_iterator();
       it.increment(failure)) {
    std::error_code ignored; // others remove entries meanwhile
    Found found{it->last_write_time(ignored), it->file_size(ignored), it->path()};
    if (ignored)
      continue;
    const std::string name = found.path.filename().string();
    if (name.ends_with(partSuffix)) {
      if (now - found.time > abandoned) // its writer died
        fs::remove(found.path, ignored);
      continue;
    }
    if (!name.ends_with(".program") && !name.ends_with(".kernel"))
      continue; // not ours
    total += found.size;
    entries.push_back(std::move(found));
  }
  std::sort(entries.begin(), entries.end(), [](const Found &a, const Found &b) { return a.time < b.time; });
  for (const Found &oldest : entries) {
    if (total <= limit)
      break;
    fs::remove(oldest.path, failure);
    total -= oldest.size;
  }
}

} // namespace pliant::cache
