// SPDX-License-Identifier: Apache-2.0
// The target description: the only place that knows the CPU. Kernels, tiles and versions ask it, and LLVM is told it.
#pragma once
#include "support/result.h"
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

struct TargetDescription {
  std::string name;        ///< "host", or the forced name
  std::string cpu;         ///< LLVM's processor name, for scheduling and tuning: "znver4", "x86-64-v3", ...
  std::string features;    ///< for LLVM: every relevant feature with + or -, comma separated, in a fixed order
  unsigned vectorBits = 0; ///< 512, 256 or 128: the width kernels use
  unsigned vectorRegisters = 0;
  bool fma = false;
  size_t l1d = 0, l2 = 0, l3 = 0; ///< bytes of one cache; l3 is 0 where there is none
  unsigned cacheLine = 64;

  bool has(std::string_view feature) const; ///< "avx512vnni", as LLVM names it
  /// Stable text of what code generation depends on, for keys: not the cache sizes of this machine's hypervisor.
  std::string key() const { return cpu + ";" + std::to_string(vectorBits) + ";" + features; }
  std::string json() const;

  static const TargetDescription &host(); ///< detected once, by cpuid and what the system saves of the registers
  /// The host narrowed to "avx512" (x86-64-v4), "avx2" (x86-64-v3) or "x86-64", or "host" itself. Exactly these levels
  /// and no extras, so that a forced target gives the same code on every machine. An error where the host lacks it.
  /// An empty name is what PLIANT_TARGET says, or "host": so a whole test suite runs narrowed.
  static Result<TargetDescription> forced(std::string_view name);
};

} // namespace pliant
