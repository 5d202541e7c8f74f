// SPDX-License-Identifier: Apache-2.0
// The models that must run, and the shapes at which they must be right.
#pragma once
#include <string>
#include <vector>

namespace pliant::models {

struct Case {
  std::string name, file;
  std::string shapes;    ///< lists as of --shapes; shapes of stored inputs come on top
  std::string reference; ///< those small enough for the reference evaluators, at every test
  std::string bad;       ///< a shape that must be refused with the node's name and both shapes
  std::string prefill;   ///< of a step model: the model that does the same in one go
  bool large = false;    ///< by command only
};

const std::vector<Case> &cases();
const Case *findCase(const std::string &name);

/// Where models are looked for: PLIANT_MODELS (or beside the checkout), then the cache of exported ones.
std::vector<std::string> folders();
/// The path of a file in the first folder that has it, or empty.
std::string findFile(const std::string &name);

} // namespace pliant::models
