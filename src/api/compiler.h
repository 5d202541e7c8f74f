// SPDX-License-Identifier: Apache-2.0
// Opens the compiler library when it is first needed; until then no LLVM is in the process.
#pragma once
#include "driver/compile.h"

namespace pliant {

/// The compiler, opened once per process: PLIANT_COMPILER names another file. An error names what was tried.
Result<const driver::CompilerApi *> compiler();
bool compilerLoaded();
/// A share in the compiler, for as long as it is opened or at work: its statics go when the process ends.
class CompilerAtWork {
public:
  CompilerAtWork();
  ~CompilerAtWork();
  CompilerAtWork(const CompilerAtWork &) = delete;
  CompilerAtWork &operator=(const CompilerAtWork &) = delete;
};
/// An error where another thread ends the process: nothing more is begun for this one.
Status notEnding();
/// Waits for compiles in progress; from then on they are only for this thread.
void endCompiles();
/// The file of the compiler, whether or not it is there.
std::string compilerPath();

} // namespace pliant
