// SPDX-License-Identifier: Apache-2.0
// Finding the cases.
#include "suite.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace pliant::conformance {

namespace fs = std::filesystem;

std::string dataRoot(const std::string &given) {
  if (!given.empty())
    return given;
  const char *named = std::getenv("PLIANT_ONNX_TESTDATA");
  return named && *named ? named : "/usr/share/libonnx-testdata/data";
}

Result<std::vector<Case>> findCases(const std::string &root, const std::string &filter,
                                    const std::vector<Mode> &modes) {
  std::vector<Case> cases;
  for (const char *folder : {"node", "simple", "pytorch-operator", "pytorch-converted"}) {
    std::error_code failure;
    std::vector<Case> found;
    for (const fs::directory_entry &entry : fs::directory_iterator(fs::path(root) / folder, failure))
      if (fs::exists(entry.path() / "model.onnx", failure))
        found.push_back({folder, entry.path().filename().string(), entry.path().string(), Mode::Given});
    if (found.empty())
      return userError("conformance", "no tests in " + (fs::path(root) / folder).string(), "",
                       "install libonnx-testdata, or give its folder with --root");
    std::sort(found.begin(), found.end(), [](const Case &a, const Case &b) { return a.test < b.test; });
    for (Case &test : found)
      if (test.name().find(filter) != std::string::npos)
        cases.push_back(std::move(test));
  }
  std::vector<Case> all;
  for (Mode mode : modes)
    for (Case test : cases) {
      test.mode = mode;
      all.push_back(std::move(test));
    }
  return all;
}

} // namespace pliant::conformance
