// SPDX-License-Identifier: Apache-2.0
// What the entry of a run tests of its inputs: for `explain` and `view`.
#pragma once
#include "plan/program.h"

namespace pliant::tool {

/// Fixed extents, and symbols that another axis has bound.
struct EntryChecks {
  std::vector<std::vector<std::string>> perInput;
  int64_t total = 0;
};
EntryChecks entryChecks(const Program &program);

/// "seq broadcasts with min(512, seq)", of a Check step.
std::string checkText(const Step &check);

/// Of the weights that the model brings.
int64_t weightBytes(const Program &program);

} // namespace pliant::tool
