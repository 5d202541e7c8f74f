// SPDX-License-Identifier: Apache-2.0
// Objects to an image: one shared object without undefined symbols, linked in memory by lld.
#pragma once
#include "support/result.h"
#include <string>
#include <vector>

namespace pliant::codegen {

/// `entries` are the symbols that the image exports. Not reentrant (lld keeps global state): callers hold one lock.
Result<std::string> linkImage(const std::vector<const std::string *> &objects, const std::vector<std::string> &entries);

} // namespace pliant::codegen
