// SPDX-License-Identifier: Apache-2.0
// A compiler library of the next version, to be refused.
#include "driver/compile.h"

extern "C" __attribute__((visibility("default"))) const pliant::driver::CompilerApi *pliantCompiler() {
  static const pliant::driver::CompilerApi api{pliant::driver::compilerApiVersion + 1, nullptr, nullptr, nullptr,
                                               nullptr};
  return &api;
}
