// SPDX-License-Identifier: Apache-2.0
// What is tested went through the form of the disk cache: whatever is added to programs is written and read back.
#pragma once
#include "driver/program_cache.h"

namespace pliant::test {

/// The same as a hit would give it.
inline Result<driver::Compiled> throughBytes(driver::Compiled compiled) {
  std::string bytes = driver::encoded(compiled);
  auto read = driver::decoded(bytes);
  if (!read || driver::encoded(*read) != bytes)
    return internalError("cache", "a program does not survive its own bytes");
  read->weights = std::move(compiled.weights);
  read->stats = compiled.stats;
  read->prints = std::move(compiled.prints);
  return std::move(*read);
}

} // namespace pliant::test
