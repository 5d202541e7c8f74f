// SPDX-License-Identifier: Apache-2.0
// A thread of the library's own, which nobody joins.
#pragma once

namespace pliant {

/// Runs `body(data)` on a thread of this name (at most 15 characters), which takes no signals: they are the business of
/// the user's threads. False when the system gives none.
bool startBackgroundThread(const char *name, void *(*body)(void *), void *data);

} // namespace pliant
