// SPDX-License-Identifier: Apache-2.0
// From a model file to a program: out of the disk cache, or by the compiler library, which is opened only then.
#pragma once
#include "driver/compile.h"

namespace pliant {

/// `options.cache` says whether the disk cache is used. Errors are those of the compiler.
Result<driver::Compiled> compile(const std::string &modelPath, const driver::Options &options);

/// From recorded code. Without a cache where none can be.
Result<driver::Compiled> compile(const trace::Trace &trace, const driver::Options &options);

/// Programs that this process has got so far, from files and from recorded code.
struct ProgramsMade {
  int64_t compiled = 0; ///< whose code the compiler has generated, whoever called it
  int64_t read = 0;     ///< from the disk cache
};
ProgramsMade programsMade();

} // namespace pliant
