// SPDX-License-Identifier: Apache-2.0
#include "trace/segment.h"

namespace pliant::trace {

std::string str(Site site) {
  return site.line ? std::string(site.file) + ":" + std::to_string(site.line) : std::string();
}

uint64_t hashOf(const Words &words) {
  uint64_t hash = words.size();
  for (uint64_t word : words)
    hash = detail::mixed(hash, word);
  return hash;
}

Structure::Structure(std::shared_ptr<const Code> given, std::vector<uint32_t> held)
    : code(std::move(given)), results(std::move(held)), hash(hashOf(code->words)) {
  for (uint32_t result : results)
    hash = detail::mixed(hash, result);
}

} // namespace pliant::trace
