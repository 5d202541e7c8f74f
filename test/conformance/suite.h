// SPDX-License-Identifier: Apache-2.0
// ONNX's backend tests as cases: one model folder in one mode, and what became of it.
#pragma once
#include "support/result.h"
#include <cstdint>
#include <string>
#include <vector>

namespace pliant::conformance {

enum class Mode : uint8_t {
  Given,   ///< extents as the file declares them
  Symbolic ///< every input extent a symbol
};
inline const char *name(Mode mode) { return mode == Mode::Given ? "given" : "symbolic"; }

struct Case {
  std::string folder, test; ///< "node", "test_add"
  std::string path;         ///< of the folder that holds model.onnx
  Mode mode = Mode::Given;
  std::string name() const { return folder + "/" + test; }
};

enum class Verdict : uint8_t { Passed, PassedWithFallbacks, Failed, Unsupported, Crashed };
inline constexpr const char *verdictNames[] = {"passed", "passed_with_fallbacks", "failed", "unsupported", "crashed"};

struct Outcome {
  Verdict verdict = Verdict::Crashed;
  int64_t fallbacks = 0;
  double ms = 0;
  std::string kept;   ///< symbolic: the inputs whose extents had to stay as given
  std::string reason; ///< why it did not pass
};

/// All tests of the folders node, simple, pytorch-operator and pytorch-converted whose names contain `filter`.
Result<std::vector<Case>> findCases(const std::string &root, const std::string &filter, const std::vector<Mode> &modes);
/// The root: `given`, else PLIANT_ONNX_TESTDATA, else where Debian's libonnx-testdata puts it.
std::string dataRoot(const std::string &given);

/// Compiles, runs every data set and compares. May crash: that is what is tested.
Outcome runCase(const Case &test);

} // namespace pliant::conformance
