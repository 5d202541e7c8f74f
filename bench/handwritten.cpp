// SPDX-License-Identifier: Apache-2.0
#include "handwritten.h"

namespace pliant::bench::handwritten {

const Loops *loops() {
  if (!__builtin_cpu_supports("fma"))
    return nullptr;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    return &avx512Loops();
  return __builtin_cpu_supports("avx2") ? &avx2Loops() : nullptr;
}

} // namespace pliant::bench::handwritten
