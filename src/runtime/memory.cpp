// SPDX-License-Identifier: Apache-2.0
// The account of tensor memory.
#include "runtime/memory.h"
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace pliant {
namespace {

std::atomic<size_t> live{0}, peak{0}, override{0};

/// What the machine has, less when a control group allows less. Asking for more than this cannot succeed, but on
/// Linux it would be granted and the process killed later.
size_t machineMemory() {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  size_t bytes = pages > 0 && size > 0 ? static_cast<size_t>(pages) * static_cast<size_t>(size) : SIZE_MAX;
  if (FILE *file = std::fopen("/sys/fs/cgroup/memory.max", "re")) {
    unsigned long long group = 0; // the file may also hold "max"
    if (std::fscanf(file, "%llu", &group) == 1 && group != 0)
      bytes = std::min<size_t>(bytes, group);
    std::fclose(file);
  }
  return bytes;
}

Result<size_t> limitFromEnvironment() {
  const char *text = std::getenv("PLIANT_MEMORY_LIMIT");
  if (!text || !*text)
    return machineMemory();
  auto bytes = parseByteCount(text);
  if (bytes)
    return *bytes;
  return userError("", std::string("PLIANT_MEMORY_LIMIT is '") + text + "'", "",
                   "give bytes with an optional K, M, G or T, such as 4G");
}

} // namespace

Result<size_t> parseByteCount(std::string_view text) {
  uint64_t number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  static constexpr std::string_view units = "KMGT";
  unsigned shift = 0;
  bool good = failure == std::errc() && unit.size() <= 1;
  if (good && !unit.empty()) {
    size_t at = units.find(unit[0]);
    good = at != units.npos;
    shift = good ? 10 * (static_cast<unsigned>(at) + 1) : 0;
  }
  if (!good || number > (static_cast<uint64_t>(INT64_MAX) >> shift))
    return userError("", "'" + std::string(text) + "' is no byte count", "",
                     "give a number with an optional K, M, G or T, such as 4G");
  return static_cast<size_t>(number << shift);
}

std::string byteCountText(size_t bytes) {
  static constexpr const char *units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024)
    return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit < 5; ++unit)
    value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, units[unit]);
  return text;
}

Result<size_t> memoryLimit() {
  if (size_t forced = override.load(std::memory_order_relaxed))
    return forced;
  static const auto &fromEnvironment = *new Result<size_t>(limitFromEnvironment()); // threads may outlive statics
  if (fromEnvironment)
    return *fromEnvironment;
  return Error(fromEnvironment.error());
}

void setMemoryLimit(size_t bytes) { override.store(bytes, std::memory_order_relaxed); }

Status chargeMemory(size_t bytes, std::string_view what) {
  PLIANT_TRY(size_t limit, memoryLimit());
  size_t before = live.load(std::memory_order_relaxed);
  do {
    if (before > limit || bytes > limit - before)
      return memoryError("",
                         "out of memory: " + std::string(what) + " needs " + byteCountText(bytes) + ", " +
                             byteCountText(before) + " of the limit of " + byteCountText(limit) + " are in use",
                         "use a smaller size, or raise PLIANT_MEMORY_LIMIT");
  } while (!live.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
  size_t now = before + bytes, most = peak.load(std::memory_order_relaxed);
  while (most < now && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
  return ok();
}

void releaseMemory(size_t bytes) { live.fetch_sub(bytes, std::memory_order_relaxed); }
size_t liveMemory() { return live.load(std::memory_order_relaxed); }
size_t peakMemory() { return peak.load(std::memory_order_relaxed); }
void resetPeakMemory() { peak.store(liveMemory(), std::memory_order_relaxed); }

} // namespace pliant
