// SPDX-License-Identifier: Apache-2.0
// Errors of rules and references, and the search by name: the part of the registry that is not generated.
#include "ops/op.h"
#include <algorithm>

namespace pliant {

/// "C2" is completed by the folder of the contract: "matmul.C2", "binary.C1".
static Error contractError(OpId op, std::string message, const char *constraint, std::string hint) {
  const OpInfo &entry = info(op);
  std::string id = constraint ? constraint : "";
  if (!id.empty() && id.find('.') == std::string::npos)
    id = std::string(entry.folder) + '.' + id;
  return userError(entry.name, std::move(message), std::move(id), std::move(hint));
}
Error ShapeContext::error(std::string message, const char *constraint, std::string hint) const {
  return contractError(op, std::move(message), constraint, std::move(hint));
}
Error RefContext::error(std::string message, const char *constraint, std::string hint) const {
  return contractError(op, std::move(message), constraint, std::move(hint));
}

std::optional<OpId> opFromName(std::string_view name) {
  static const auto &sorted = *[] { // never destroyed: threads may outlive statics
    auto &list = *new std::vector<const OpInfo *>;
    for (const OpInfo &entry : allOps())
      list.push_back(&entry);
    std::sort(list.begin(), list.end(), [](auto *a, auto *b) { return std::string_view(a->name) < b->name; });
    return &list;
  }();
  auto it = std::lower_bound(sorted.begin(), sorted.end(), name,
                             [](const OpInfo *entry, std::string_view key) { return entry->name < key; });
  if (it == sorted.end() || (*it)->name != name)
    return std::nullopt;
  return (*it)->id;
}

} // namespace pliant
