// SPDX-License-Identifier: Apache-2.0
// The cache before the compiler.
#include "api/compile.h"
#include "api/compiler.h"
#include "api/worker.h"
#include "cache/build_id.h"
#include "driver/program_cache.h"
#include <atomic>

namespace pliant {

namespace {

std::atomic<int64_t> cacheReads{0};

/// `find` and `keep` say what is looked for; `make` has the compiler do it.
template <class Source, class Make>
Result<driver::Compiled> cached(const Source &source, const driver::Options &options, const Make &make) {
  auto build = cache::buildId(compilerPath());
  auto cache = build ? driver::ProgramCache::open(options, *build) : std::nullopt;
  if (cache)
    if (auto found = cache->find(source)) {
      cacheReads.fetch_add(1, std::memory_order_relaxed);
      return std::move(*found);
    }
  const CompilerAtWork atWork;
  if (!api::Worker::isThis()) // which has been given nothing by others
    PLIANT_CHECK(notEnding());
  PLIANT_TRY(const driver::CompilerApi *api, compiler());
  PLIANT_TRY(driver::Compiled compiled, make(*api));
  if (cache && cache::buildIdAt(api) == build) { // not when the file was replaced after the compiler was opened
    if constexpr (std::is_same_v<Source, trace::Trace>)
      cache->keep(source, compiled);
    else
      cache->keep(compiled);
  }
  return compiled;
}

} // namespace

Result<driver::Compiled> compile(const std::string &modelPath, const driver::Options &options) {
  return cached(modelPath, options, [&](const driver::CompilerApi &api) { return api.file(modelPath, options); });
}

Result<driver::Compiled> compile(const trace::Trace &trace, const driver::Options &options) {
  return cached(trace, options, [&](const driver::CompilerApi &api) { return api.trace(trace, options); });
}

ProgramsMade programsMade() {
  ProgramsMade made{0, cacheReads.load(std::memory_order_relaxed)};
  if (compilerLoaded())
    if (auto api = compiler())
      made.compiled = (*api)->codeGenerations();
  return made;
}

} // namespace pliant
