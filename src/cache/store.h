// SPDX-License-Identifier: Apache-2.0
// The folder of the disk cache: entries found by a digest, written whole or not at all, bounded, oldest out first.
// Whatever goes wrong here is a miss: the cache only ever saves time.
#pragma once
#include "support/digest.h"
#include <optional>
#include <string>
#include <string_view>

namespace pliant::cache {

class Store {
public:
  /// The folder that the environment names: PLIANT_CACHE_DIR, else XDG_CACHE_HOME/pliant/compiled, else
  /// HOME/.cache/pliant/compiled. Nothing when there is none or PLIANT_CACHE_LIMIT is 0. The folder is made by `put`.
  static std::optional<Store> open();
  Store(std::string folder, uint64_t limit) : folder(std::move(folder)), limit(limit) {}

  /// The content of an entry that is whole and undamaged. Other users may not have been able to write it.
  std::optional<std::string> get(std::string_view kind, const DigestBytes &key) const;
  void put(std::string_view kind, const DigestBytes &key, std::string_view content) const;
  /// Removes the entries used longest ago until the rest is within the limit.
  void trim() const;

private:
  std::string folder;
  uint64_t limit; ///< bytes
  std::string path(std::string_view kind, const DigestBytes &key) const;
};

} // namespace pliant::cache
