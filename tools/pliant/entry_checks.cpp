// SPDX-License-Identifier: Apache-2.0
// Entry checks of a program, and bytes of its weights.
#include "entry_checks.h"
#include <set>

namespace pliant::tool {

EntryChecks entryChecks(const Program &program) {
  EntryChecks out;
  std::set<std::string> seen;
  for (const Argument &input : program.inputs) {
    auto &list = out.perInput.emplace_back();
    for (size_t axis = 0; axis < input.type.shape.size(); ++axis) {
      const Expr &extent = input.type.shape[axis];
      auto symbol = extent.symbolName();
      if (symbol && seen.insert(*symbol).second)
        continue; // binds it
      list.push_back("axis " + std::to_string(axis) + " is " + extent.str());
    }
    out.total += !list.empty();
  }
  return out;
}

std::string checkText(const Step &check) {
  return check.values[0].str() + (check.broadcast ? " broadcasts with " : " = ") + check.values[1].str();
}

int64_t weightBytes(const Program &program) {
  int64_t bytes = 0;
  for (const Weight &w : program.weights)
    if (auto count = elementCount(w.dims); count && w.source >= 0)
      bytes += *count * static_cast<int64_t>(byteSize(w.dtype));
  return bytes;
}

} // namespace pliant::tool
