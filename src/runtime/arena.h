// SPDX-License-Identifier: Apache-2.0
// The arena of a run: one block of scratch memory that grows to the largest need and is reused by every run.
#pragma once
#include "runtime/pages.h"

namespace pliant {

class Arena {
public:
  /// A block of at least bytes, 64-byte aligned, never null, valid until the next reserve or trim. Contents are
  /// unspecified: they do not survive growth, and are not cleared.
  Result<void *> reserve(size_t bytes);
  void trim() { pages = Pages(); } ///< gives the block back to the system
  size_t capacity() const { return pages.size(); }

private:
  Pages pages;
};

} // namespace pliant
