// SPDX-License-Identifier: Apache-2.0
// Runs a model that a text describes: compiled, as the reference, and compiled with every launch compared.
#pragma once
#include "executable/executable.h"
#include <gtest/gtest.h>

namespace pliant::test {

RunValue f32(std::vector<int64_t> dims, std::vector<float> values);
RunValue i64(std::vector<int64_t> dims, std::vector<int64_t> values);
RunValue flag(bool value);
RunValue list(std::vector<RunValue> items);
RunValue absent();
/// 0, 1, 2, ...
RunValue ramp(std::vector<int64_t> dims, float from = 0);

class Control : public testing::Test {
protected:
  /// Compiles once for all runs of a test; a failure is the test's.
  void model(const std::string &text, int opset = 18);
  /// The outputs of all ways to run, which must agree, or the error of the compiled one, as text: "f32(2, 3): 0 1 2 3 4
  /// 5; [f32(1,): 1, f32(0,): ]".
  std::string run(const std::vector<RunValue> &inputs);
  /// Of a text that does not compile.
  static std::string compileError(const std::string &text, int opset = 18);

  struct Way {
    std::string name;
    std::unique_ptr<Executable> executable;
  };
  std::vector<Way> ways;
};

} // namespace pliant::test
