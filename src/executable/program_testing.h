// SPDX-License-Identifier: Apache-2.0
// Programs for tests of running: compiled from bytes or a model's file, with inputs at several shapes.
#pragma once
#include "api/compiler.h"
#include "executable/executable.h"
#include "inputs.h"
#include "models/cases.h"
#include "property/graph.h"
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace pliant::test {

class ProgramTest : public testing::Test {
protected:
  driver::Compiled compiled;
  std::unique_ptr<Executable> executable;
  std::vector<std::vector<DenseTensor>> inputs; // one list for each shape that runs
  std::vector<DenseTensor> outputs;

  /// `shapes` as of --shapes; or each symbol takes a few values, in all combinations. `options` are those of inputs.
  void load(Result<driver::Compiled> made, const std::string &shapes, const std::vector<std::string> &options = {}) {
    ASSERT_TRUE(made) << made.error().text();
    inputs.clear();
    compiled = std::move(*made);
    auto loaded = Executable::load(compiled.program, compiled.image, {}, std::move(compiled.weights));
    ASSERT_TRUE(loaded) << loaded.error().text();
    executable = std::move(*loaded);
    auto arguments = tool::Arguments::parse("test", tool::inputOptionList(), options);
    ASSERT_TRUE(arguments);
    auto drawn = tool::Inputs::read(*arguments, *compiled.program, true);
    ASSERT_TRUE(drawn) << drawn.error().text();
    std::string few;
    const std::vector<std::string> symbols = tool::modelSymbols(compiled.program->inputs);
    for (size_t i = 0; shapes.empty() && i < symbols.size(); ++i)
      few += (i ? "," : "") + std::string("1..40/13");
    auto all = tool::parseShapes(shapes.empty() ? few : shapes, symbols);
    ASSERT_TRUE(all) << all.error().text();
    for (const tool::SymbolValues &values : *all) {
      auto tensors = drawn->tensors(values);
      ASSERT_TRUE(tensors) << tensors.error().text();
      if (executable->run(*tensors, outputs)) // some graphs refuse some shapes
        inputs.push_back(std::move(*tensors));
    }
  }

  /// A graph of the property ring.
  void loadGraph(uint64_t seed, int nodes) {
    auto api = compiler();
    ASSERT_TRUE(api) << api.error().text();
    load((*api)->bytes(ring::drawGraph(seed, nodes).model, {}), {});
  }

  /// A file of PLIANT_MODELS or of the exported models; where it is not there the test is skipped, and fails with
  /// CI=true.
  void loadModel(const char *file, const std::string &shapes, const std::vector<std::string> &options = {}) {
    const std::string path = models::findFile(file);
    if (path.empty()) {
      const char *ci = std::getenv("CI");
      ASSERT_FALSE(ci && std::string(ci) == "true") << file << " is not here";
      GTEST_SKIP() << file << " is not here";
    }
    auto api = compiler();
    ASSERT_TRUE(api) << api.error().text();
    load((*api)->file(path, {}), shapes, options);
  }
};

} // namespace pliant::test
