// SPDX-License-Identifier: Apache-2.0
// The detected and the forced target descriptions. Detection of x86-64 is by cpuid and xgetbv, without LLVM.
#include "runtime/target.h"
#include <array>
#include <cpuid.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace pliant {
namespace {

enum Register : uint8_t { EAX, EBX, ECX, EDX };
enum Saved : uint8_t { Always, Avx, Avx512 };   ///< register state that the system must save for the feature
enum Level : uint8_t { V1, V2, V3, V4, Extra }; ///< the x86-64 level that includes the feature

struct Feature {
  std::string_view name; ///< LLVM's
  uint32_t leaf, subleaf;
  Register reg;
  uint8_t bit;
  Saved saved;
  Level level;
};

// Every feature that changes the code LLVM 19 makes from vector and integer IR. Each is said with + or -, so that the
// processor name given to LLVM decides only about tuning. What every x86-64 has (x87, mmx, fxsr, cx8) is left out.
constexpr Feature featureTable[] = {
    {"cmov", 1, 0, EDX, 15, Always, V1},
    {"sse", 1, 0, EDX, 25, Always, V1},
    {"sse2", 1, 0, EDX, 26, Always, V1},
    {"sse3", 1, 0, ECX, 0, Always, V2},
    {"ssse3", 1, 0, ECX, 9, Always, V2},
    {"sse4.1", 1, 0, ECX, 19, Always, V2},
    {"sse4.2", 1, 0, ECX, 20, Always, V2},
    {"crc32", 1, 0, ECX, 20, Always, V2},
    {"popcnt", 1, 0, ECX, 23, Always, V2},
    {"cx16", 1, 0, ECX, 13, Always, V2},
    {"sahf", 0x80000001, 0, ECX, 0, Always, V2},
    {"movbe", 1, 0, ECX, 22, Always, V3},
    {"lzcnt", 0x80000001, 0, ECX, 5, Always, V3},
    {"bmi", 7, 0, EBX, 3, Always, V3},
    {"bmi2", 7, 0, EBX, 8, Always, V3},
    {"avx", 1, 0, ECX, 28, Avx, V3},
    {"f16c", 1, 0, ECX, 29, Avx, V3},
    {"fma", 1, 0, ECX, 12, Avx, V3},
    {"avx2", 7, 0, EBX, 5, Avx, V3},
    {"avx512f", 7, 0, EBX, 16, Avx512, V4},
    {"evex512", 7, 0, EBX, 16, Avx512, V4},
    {"avx512cd", 7, 0, EBX, 28, Avx512, V4},
    {"avx512bw", 7, 0, EBX, 30, Avx512, V4},
    {"avx512dq", 7, 0, EBX, 17, Avx512, V4},
    {"avx512vl", 7, 0, EBX, 31, Avx512, V4},
    {"avx512ifma", 7, 0, EBX, 21, Avx512, Extra},
    {"avx512vbmi", 7, 0, ECX, 1, Avx512, Extra},
    {"avx512vbmi2", 7, 0, ECX, 6, Avx512, Extra},
    {"avx512vnni", 7, 0, ECX, 11, Avx512, Extra},
    {"avx512bitalg", 7, 0, ECX, 12, Avx512, Extra},
    {"avx512vpopcntdq", 7, 0, ECX, 14, Avx512, Extra},
    {"avx512bf16", 7, 1, EAX, 5, Avx512, Extra},
    {"avx512fp16", 7, 0, EDX, 23, Avx512, Extra},
    {"avx512vp2intersect", 7, 0, EDX, 8, Avx512, Extra},
    {"avxvnni", 7, 1, EAX, 4, Avx, Extra},
    {"avxifma", 7, 1, EAX, 23, Avx, Extra},
    {"avxvnniint8", 7, 1, EDX, 4, Avx, Extra},
    {"avxneconvert", 7, 1, EDX, 5, Avx, Extra},
    {"avxvnniint16", 7, 1, EDX, 10, Avx, Extra},
    {"gfni", 7, 0, ECX, 8, Always, Extra},
    {"aes", 1, 0, ECX, 25, Always, Extra},
    {"pclmul", 1, 0, ECX, 1, Always, Extra},
    {"vaes", 7, 0, ECX, 9, Avx, Extra},
    {"vpclmulqdq", 7, 0, ECX, 10, Avx, Extra},
    {"sha", 7, 0, EBX, 29, Always, Extra},
    {"adx", 7, 0, EBX, 19, Always, Extra},
    {"prfchw", 0x80000001, 0, ECX, 8, Always, Extra},
    {"sse4a", 0x80000001, 0, ECX, 6, Always, Extra},
};
// Never wanted, whatever the processor name given to LLVM says: xop, fma4 and tbm exist on AMD family 15h only; the
// amx tiles need a request to the system.
constexpr std::string_view neverOn[] = {"xop",      "fma4",     "tbm",         "lwp",         "amx-tile",
                                        "amx-int8", "amx-bf16", "avx10.1-256", "avx10.1-512", "egpr"};
constexpr size_t featureCount = std::size(featureTable);
using FeatureSet = std::array<bool, featureCount>;
using Registers = std::array<uint32_t, 4>;

Registers cpuid(uint32_t leaf, uint32_t subleaf = 0) {
  Registers r{};
  // Answers 0 for a leaf above the highest one of its range.
  if (!__get_cpuid_count(leaf, subleaf, &r[EAX], &r[EBX], &r[ECX], &r[EDX]))
    r = {};
  return r;
}

/// What the operating system saves on a switch: a feature whose registers it does not save must not be used.
Saved savedState() {
  if (!(cpuid(1)[ECX] & (1u << 27))) // OSXSAVE
    return Always;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 0x06) != 0x06)
    return Always;
  return (low & 0xe6) == 0xe6 ? Avx512 : Avx;
}

FeatureSet detectFeatures() {
  Saved saved = savedState();
  FeatureSet set{};
  for (size_t i = 0; i < featureCount; ++i) {
    const Feature &f = featureTable[i];
    bool sublisted = f.leaf != 7 || f.subleaf == 0 || cpuid(7)[EAX] >= f.subleaf;
    set[i] = f.saved <= saved && sublisted && (cpuid(f.leaf, f.subleaf)[f.reg] >> f.bit & 1);
  }
  // A hypervisor may hide one bit and leave others that build on it.
  auto at = [&](std::string_view name) -> bool & {
    size_t i = 0;
    while (featureTable[i].name != name)
      ++i;
    return set[i];
  };
  bool v3 = at("avx") && at("avx2") && at("fma") && at("f16c");
  for (size_t i = 0; i < featureCount; ++i)
    if ((featureTable[i].saved == Avx512 && !(v3 && at("avx512f"))) || (featureTable[i].saved == Avx && !at("avx")))
      set[i] = false;
  return set;
}

bool hasLevel(const FeatureSet &set, Level level) {
  for (size_t i = 0; i < featureCount; ++i)
    if (featureTable[i].level <= level && !set[i])
      return false;
  return true;
}

std::string featureList(const FeatureSet &set, unsigned vectorBits) {
  std::string text;
  auto add = [&](bool on, std::string_view name) {
    if (!text.empty())
      text += ',';
    text += on ? '+' : '-';
    text += name;
  };
  for (size_t i = 0; i < featureCount; ++i)
    add(set[i], featureTable[i].name);
  for (std::string_view name : neverOn)
    add(false, name);
  // The tuning of several Intel processors would split our 512-bit vectors in two.
  if (vectorBits == 512) {
    add(false, "prefer-256-bit");
    add(false, "prefer-128-bit");
  }
  return text;
}

/// LLVM's name of a processor by vendor, family and model; empty when unknown.
std::string_view knownProcessor() {
  Registers r = cpuid(0);
  bool amd = r[EBX] == 0x68747541 && r[EDX] == 0x69746e65 && r[ECX] == 0x444d4163;   // AuthenticAMD
  bool intel = r[EBX] == 0x756e6547 && r[EDX] == 0x49656e69 && r[ECX] == 0x6c65746e; // GenuineIntel
  uint32_t signature = cpuid(1)[EAX], family = signature >> 8 & 15, model = signature >> 4 & 15;
  if (family == 6 || family == 15)
    model |= (signature >> 16 & 15) << 4;
  if (family == 15)
    family += signature >> 20 & 255;
  if (amd && family == 0x17)
    return model < 0x30 ? "znver1" : "znver2";
  if (amd && family == 0x19)
    return (model >= 0x10 && model <= 0x1f) || (model >= 0x60 && model <= 0x7f) || model >= 0xa0 ? "znver4" : "znver3";
  if (amd && family == 0x1a)
    return "znver5";
  if (!intel || family != 6)
    return {};
  struct Row {
    uint8_t model;
    std::string_view name;
  };
  static constexpr Row rows[] = {
      {0x3c, "haswell"},        {0x3f, "haswell"},        {0x45, "haswell"},        {0x46, "haswell"},
      {0x3d, "broadwell"},      {0x47, "broadwell"},      {0x4f, "broadwell"},      {0x56, "broadwell"},
      {0x4e, "skylake"},        {0x5e, "skylake"},        {0x8e, "skylake"},        {0x9e, "skylake"},
      {0xa5, "skylake"},        {0xa6, "skylake"},        {0x55, "skylake-avx512"}, {0x6a, "icelake-server"},
      {0x6c, "icelake-server"}, {0x7d, "icelake-client"}, {0x7e, "icelake-client"}, {0x8c, "tigerlake"},
      {0x8d, "tigerlake"},      {0xa7, "rocketlake"},     {0x97, "alderlake"},      {0x9a, "alderlake"},
      {0xb7, "raptorlake"},     {0xba, "raptorlake"},     {0xbf, "raptorlake"},     {0xaa, "meteorlake"},
      {0xac, "meteorlake"},     {0x8f, "sapphirerapids"}, {0xcf, "emeraldrapids"},  {0xad, "graniterapids"},
      {0xae, "graniterapids-d"}};
  for (const Row &row : rows)
    if (row.model == model)
      return row.name;
  return {};
}

void detectCaches(TargetDescription &target) {
  // Leaf 4 (Intel) and 0x8000001D (AMD) have the same layout: one subleaf a cache until the type is 0.
  for (uint32_t leaf : {4u, 0x8000001du}) {
    for (uint32_t i = 0; i < 16; ++i) {
      Registers r = cpuid(leaf, i);
      uint32_t type = r[EAX] & 31, level = r[EAX] >> 5 & 7;
      if (type == 0)
        break;
      size_t line = (r[EBX] & 0xfff) + 1, parts = (r[EBX] >> 12 & 0x3ff) + 1, ways = (r[EBX] >> 22) + 1;
      size_t bytes = line * parts * ways * (static_cast<size_t>(r[ECX]) + 1);
      if (level == 1 && type != 2) { // not the instruction cache
        target.l1d = bytes;
        target.cacheLine = static_cast<unsigned>(line);
      } else if (level == 2) {
        target.l2 = bytes;
      } else if (level == 3) {
        target.l3 = bytes;
      }
    }
    if (target.l1d)
      return;
  }
  for (int i = 0; i < 8; ++i) { // a hypervisor may hide the leaves; the system may still know
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/", type;
    int level = 0;
    size_t kilobytes = 0;
    std::ifstream(folder + "level") >> level;
    std::ifstream(folder + "type") >> type;
    std::ifstream(folder + "size") >> kilobytes; // "32K"
    size_t bytes = kilobytes * 1024;
    if (level == 1 && type == "Data")
      target.l1d = bytes;
    else if (level == 2)
      target.l2 = bytes;
    else if (level == 3)
      target.l3 = bytes;
  }
  if (!target.l1d)
    target.l1d = 32 * 1024;
  if (!target.l2)
    target.l2 = 256 * 1024;
}

void describe(TargetDescription &target, const FeatureSet &set) {
  Level level = hasLevel(set, V4) ? V4 : hasLevel(set, V3) ? V3 : hasLevel(set, V2) ? V2 : V1;
  target.vectorBits = level == V4 ? 512 : level == V3 ? 256 : 128;
  target.vectorRegisters = level == V4 ? 32 : 16;
  target.fma = level >= V3;
  target.features = featureList(set, target.vectorBits);
  static constexpr const char *levels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  target.cpu = levels[level];
}

} // namespace

const TargetDescription &TargetDescription::host() {
  static const TargetDescription &target = *[] { // never destroyed: threads may outlive statics
    TargetDescription &t = *new TargetDescription;
    t.name = "host";
    describe(t, detectFeatures());
    if (std::string_view known = knownProcessor(); !known.empty())
      t.cpu = known;
    detectCaches(t);
    return &t;
  }();
  return target;
}

Result<TargetDescription> TargetDescription::forced(std::string_view name) {
  const TargetDescription &native = host();
  if (name.empty())
    if (const char *wanted = std::getenv("PLIANT_TARGET"))
      name = wanted;
  if (name.empty() || name == "host")
    return native;
  Level level = name == "avx512" ? V4 : name == "avx2" ? V3 : V1;
  if (level == V1 && name != "x86-64")
    return userError("target", "there is no target '" + std::string(name) + "'", "",
                     "use host, avx512, avx2 or x86-64");
  FeatureSet set{};
  for (size_t i = 0; i < featureCount; ++i) {
    set[i] = featureTable[i].level <= level;
    if (set[i] && !native.has(featureTable[i].name))
      return userError("target", "this processor (" + native.cpu + ") lacks " + std::string(featureTable[i].name) +
                                     " of the target '" + std::string(name) + "'");
  }
  TargetDescription target = native;
  target.name = name;
  describe(target, set);
  return target;
}

bool TargetDescription::has(std::string_view feature) const {
  size_t at = features.find("+" + std::string(feature));
  for (; at != std::string::npos; at = features.find("+" + std::string(feature), at + 1)) {
    size_t end = at + 1 + feature.size();
    if (end == features.size() || features[end] == ',')
      return true;
  }
  return false;
}

std::string TargetDescription::json() const {
  auto number = [](const char *key, size_t value) {
    return std::string("\"") + key + "\": " + std::to_string(value) + ", ";
  };
  return "{\"name\": \"" + name + "\", \"cpu\": \"" + cpu + "\", " + number("vectorBits", vectorBits) +
         number("vectorRegisters", vectorRegisters) + "\"fma\": " + (fma ? "true" : "false") + ", " +
         number("l1d", l1d) + number("l2", l2) + number("l3", l3) + number("cacheLine", cacheLine) +
         "\"features\": \"" + features + "\"}";
}

} // namespace pliant
