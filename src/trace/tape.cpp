// SPDX-License-Identifier: Apache-2.0
#include "trace/tape.h"
#include <algorithm>

namespace pliant::trace {

Tape *Tapes::find(const Words &words, uint64_t hash) {
  for (const Kept &each : kept)
    if (each.hash == hash && each.tape->code->words == words)
      return each.tape.get();
  return nullptr;
}

Tape *Tapes::add(uint64_t hash, size_t ops) {
  while (!kept.empty() && (kept.size() >= mostTapes || keptOps + ops > mostOps))
    forgetOldest();
  keptOps += ops;
  kept.push_back({hash, ops, std::make_unique<Tape>()});
  use(kept.back().tape.get());
  return kept.back().tape.get();
}

void Tapes::forgetOldest() {
  auto oldest = std::min_element(kept.begin(), kept.end(),
                                 [](const Kept &a, const Kept &b) { return a.tape->used < b.tape->used; });
  for (const Kept &each : kept)
    if (each.tape->next == oldest->tape.get())
      each.tape->next = nullptr;
  keptOps -= oldest->ops;
  kept.erase(oldest);
}

} // namespace pliant::trace
