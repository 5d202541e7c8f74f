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
/// A program was made for a segment, by `why` (a sentence), for the line that asked.
void compiled(int64_t begin, int64_t ops, std::string why);
void ran(int64_t begin, int64_t ops, bool failed);
/// A thread waited for a value at a line.
void waited(int64_t begin, Site site);

} // namespace pliant::api::observe
