// SPDX-License-Identifier: Apache-2.0
// The rows of docs/differential.md as conditions.
#include "explained.h"
#include <algorithm>

namespace pliant::differential {

std::string explained(const Finding &finding) {
  if (finding.illConditioned)
    return "N1";
  return {};
}

} // namespace pliant::differential
