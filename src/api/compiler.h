// SPDX-License-Identifier: Apache-2.0
// Opens the compiler library when it is first needed; until then no LLVM is in the process.
#pragma once
#include "driver/compile.h"

namespace pliant {

/// The compiler, opened once per process: PLIANT_COMPILER names another file. An error names what was tried.
Result<const driver::CompilerApi *> compiler();
bool compilerLoaded();
/// The file of the compiler, whether or not it is there.
std::string compilerPath();

} // namespace pliant
