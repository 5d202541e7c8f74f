// SPDX-License-Identifier: Apache-2.0
// The cache before the compiler.
#include "api/compile.h"
#include "api/compiler.h"
#include "cache/build_id.h"
#include "driver/program_cache.h"

namespace pliant {

Result<driver::Compiled> compile(const std::string &modelPath, const driver::Options &options) {
  auto build = cache::buildId(compilerPath());
  auto cache = build ? driver::ProgramCache::open(options, *build) : std::nullopt;
  if (cache)
    if (auto found = cache->find(modelPath))
      return std::move(*found);
  PLIANT_TRY(const driver::CompilerApi *api, compiler());
  PLIANT_TRY(driver::Compiled compiled, api->file(modelPath, options));
  if (cache && cache::buildIdAt(api) == build) // not when the file was replaced after the compiler was opened
    cache->keep(compiled);
  return compiled;
}

} // namespace pliant
