// SPDX-License-Identifier: Apache-2.0
// Where the parts that do the work say what they did.
#pragma once
#include "pliant/observe.h"
#include "support/result.h"
#include <chrono>

namespace pliant::api::observe {

using Clock = std::chrono::steady_clock;
inline int64_t now() { return Clock::now().time_since_epoch().count(); }

void cut(Cut reason, int64_t ops, Site site);
void hit();
void evicted();
/// A program ran: so many kernels.
void launched(int64_t kernels);
/// A program was made for a segment whose first op is at `site`, by `why` (a sentence).
void compiled(int64_t begin, int64_t ops, Site site, std::string why);
void ran(int64_t begin, int64_t ops, bool failed);
/// A thread waited for a value at a line.
void waited(int64_t begin, Site site);

/// Tells the receiver of warnings what there is to tell. Called where no lock is held.
void warn();

} // namespace pliant::api::observe
