// SPDX-License-Identifier: Apache-2.0
// Which ops of a program have no kernel.
#pragma once
#include "ops/op.h"
#include "plan/program.h"
#include <set>

namespace pliant::test {

/// "arg_max, top_k"; empty when all have one.
inline std::string fallbackOps(const Program &program) {
  std::set<std::string> ops;
  for (const Step *step : numberedSteps(program))
    if (isFallback(*step))
      ops.insert(info(step->op).name);
  std::string out;
  for (const std::string &op : ops)
    out += (out.empty() ? "" : ", ") + op;
  return out;
}

} // namespace pliant::test
