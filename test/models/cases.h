// SPDX-License-Identifier: Apache-2.0
// The models that must run, and the shapes at which they must be right.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace pliant::models {

/// Runs one after the other, of which each takes states that the one before gave.
struct Stream {
  std::string name;
  std::string shapes;                                    ///< of one step after the other
  std::string ranges;                                    ///< as of --range: "sr=8000..8000"
  std::vector<std::pair<std::string, std::string>> feed; ///< from output to input, which is zeros at first
  std::string signal = {};                               ///< an input that is a sound through all steps
  int reference = 0;                                     ///< steps that the reference evaluators follow
  std::vector<std::string> empty = {}, full = {}; ///< outputs that have no elements in any step, or some in every one
};

struct Case {
  std::string name, file;
  std::string shapes;    ///< lists as of --shapes; shapes of stored inputs come on top
  std::string reference; ///< those small enough for the reference evaluators, at every test
  std::string bad;       ///< a shape that must be refused with the node's name and both shapes
  std::string prefill;   ///< of a step model: the model that does the same in one go
  std::string ranges;    ///< as of --range: "sr=16000..16000"
  std::vector<std::pair<std::string, std::vector<std::string>>> given; ///< integer inputs, as expressions over symbols
  bool storedWeights = false; ///< weights are inputs: those of the stored run, not drawn ones
  std::vector<Stream> streams;
  int states = 0;       ///< pasts that the program must be able to append to in place
  bool literal = false; ///< ONNX Runtime fuses its pairs of quantisation, and so rounds elsewhere: no peer
  bool large = false;   ///< by command only
};

const std::vector<Case> &cases();
const Case *findCase(const std::string &name);

/// Where models are looked for: PLIANT_MODELS (or beside the checkout), then the cache of exported ones.
std::vector<std::string> folders();
/// The path of a file or folder in the first folder that has it, or empty.
std::string findFile(const std::string &name);

} // namespace pliant::models
