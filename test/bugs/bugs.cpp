// SPDX-License-Identifier: Apache-2.0
// Kinds of bugs that users of tensor compilers have reported (docs/bug-kinds.md), each with what is right. Tables
// beside this file hold them; a test stands for one case:
//
//     case ReshapeOfNothing ORT#8421 [opset 18]       a name and where users told of it
//     in x:f32[A,B]                                   a model as of text_model.h
//     out y
//     y = Identity(x)
//     f32[2,0]{} -> f32[2,0]{}                        inputs and outputs as of text_tensor.h
//     f32[3]{*1} -> error rank & (3,)                 an error whose text has all these parts
//
// `sweeps.cpp` counts others up. A model runs compiled with the extents that the text declares, by the references, with
// every launch compared with them, compiled for a run's own extents, and with the inputs as constants of the model.
#include "bugs.h"
#include "api/compiler.h"
#include "compare.h"
#include "control/text_model.h"
#include "control/text_tensor.h"
#include "files/tensor_proto.h"
#include "through_bytes.h"
#include "verify.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>
#include <sstream>

namespace pliant::bugs {
namespace {

std::vector<Case> casesOf(const std::string &path) {
  std::vector<Case> cases;
  std::ifstream file(path);
  int number = 1;
  for (std::string line, before; std::getline(file, line); ++number) {
    line.erase(0, line.find_first_not_of(' '));
    if (line.empty() || line[0] == '#')
      continue;
    if (line.starts_with("case ")) {
      Case &made = cases.emplace_back();
      std::string word;
      std::istringstream(line) >> word >> made.name >> made.report >> word >> made.opset;
      if (made.opset == 0)
        made.opset = 18;
      made.place = path;
      made.line = number;
      before.clear();
      continue;
    }
    if (cases.empty())
      continue;
    const bool tensors = dtypeFromName(line.substr(0, line.find('['))).has_value();
    const size_t arrow = line.find("->");
    if (line.starts_with("->") || (tensors && arrow != line.npos)) {
      cases.back().samples.push_back({before + line.substr(0, arrow), line.substr(arrow + 2)});
      before.clear();
    } else if (tensors) {
      before += line + " "; // what they give follows on the next line
    } else {
      cases.back().model += line + "\n";
    }
  }
  return cases;
}

using Program = Result<std::unique_ptr<Executable>>;
using Outcome = Result<std::vector<DenseTensor>>;

Program compiled(const std::string &model, bool reference = false, bool observed = false) {
  PLIANT_TRY(const driver::CompilerApi *api, compiler());
  driver::Options options;
  options.cache = false;
  options.reference = reference;
  options.observed = observed;
  PLIANT_TRY(driver::Compiled made, api->bytes(model, options));
  PLIANT_TRY(made, test::throughBytes(std::move(made)));
  PLIANT_TRY(auto executable, Executable::load(made.program, made.image, {}, std::move(made.weights)));
  if (observed)
    executable->observe(tool::verifier(executable->program()));
  return executable;
}
Outcome run(const Program &program, const std::vector<DenseTensor> &inputs) {
  return program ? (*program)->run(inputs) : Outcome(program.error());
}

std::string withExtents(onnx::ModelProto model, const std::vector<DenseTensor> &inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto &type = *model.mutable_graph()->mutable_input(static_cast<int>(i))->mutable_type()->mutable_tensor_type();
    type.mutable_shape()->clear_dim();
    for (int64_t extent : inputs[i].dims())
      type.mutable_shape()->add_dim()->set_dim_value(extent);
  }
  return model.SerializeAsString();
}
std::string withConstants(onnx::ModelProto model, const std::vector<DenseTensor> &inputs) {
  auto &graph = *model.mutable_graph();
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto bytes = files::tensorProtoBytes("", {graph.input(static_cast<int>(i)).name(), inputs[i]});
    if (!bytes || !graph.add_initializer()->ParseFromString(*bytes))
      return {};
  }
  graph.clear_input();
  return model.SerializeAsString();
}

void expectError(const Outcome &outcome, const std::string &parts) {
  ASSERT_FALSE(outcome) << "gives " << test::textOf(outcome->front()) << "\n  not error" << parts;
  const std::string text = outcome.error().text();
  EXPECT_EQ(outcome.error().kind, Error::Kind::User) << text;
  std::istringstream stream(parts);
  for (std::string part; std::getline(stream, part, '&');) {
    const size_t from = part.find_first_not_of(' '), to = part.find_last_not_of(' ');
    if (from != part.npos)
      EXPECT_NE(text.find(part.substr(from, to - from + 1)), text.npos) << text << "\n  says nothing of" << part;
  }
}

void expectOutcome(const std::string &way, const Outcome &outcome, const Sample &sample) {
  SCOPED_TRACE(way + " of " + sample.inputs);
  static const std::string error = " error";
  if (sample.gives.starts_with(error))
    return expectError(outcome, sample.gives.substr(error.size()));
  auto expected = test::tensorsOf(sample.gives);
  ASSERT_TRUE(expected) << expected.error().text();
  ASSERT_TRUE(outcome) << outcome.error().text() << "\n  not" << sample.gives;
  ASSERT_EQ(outcome->size(), expected->size());
  for (size_t i = 0; i < expected->size(); ++i)
    if (auto agreement = tool::compare((*outcome)[i], (*expected)[i]); !agreement.holds)
      ADD_FAILURE() << agreement.reason << "\n  gives " << test::textOf((*outcome)[i]) << "\n  not   "
                    << test::textOf((*expected)[i]);
}

class Right : public testing::Test {
public:
  explicit Right(Case shown) : bug(std::move(shown)) {}
  void TestBody() override {
    testing::ScopedTrace trace(bug.place.c_str(), bug.line, bug.report);
    const std::string bytes = test::modelOf(bug.model, bug.opset);
    onnx::ModelProto model;
    ASSERT_TRUE(model.ParseFromString(bytes));
    ASSERT_FALSE(bug.samples.empty());
    const Program ours = compiled(bytes), reference = compiled(bytes, true), observed = compiled(bytes, false, true);
    for (const Sample &each : bug.samples) {
      auto inputs = test::tensorsOf(each.inputs);
      ASSERT_TRUE(inputs) << inputs.error().text();
      ASSERT_EQ(static_cast<int>(inputs->size()), model.graph().input_size()) << each.inputs;
      expectOutcome("compiled", run(ours, *inputs), each);
      expectOutcome("reference", run(reference, *inputs), each);
      expectOutcome("verified", run(observed, *inputs), each);
      expectOutcome("static", run(compiled(withExtents(model, *inputs)), *inputs), each);
      expectOutcome("constant", run(compiled(withConstants(model, *inputs)), {}), each);
    }
  }

private:
  Case bug;
};

void add(const std::string &suite, const Case &bug) {
  testing::RegisterTest(suite.c_str(), bug.name.c_str(), nullptr, nullptr, bug.place.c_str(), bug.line,
                        [bug]() -> Right * { return new Right(bug); });
}

void addTables() {
  std::vector<std::filesystem::path> tables;
  for (const auto &entry : std::filesystem::directory_iterator(PLIANT_BUG_TABLES))
    if (entry.path().extension() == ".txt")
      tables.push_back(entry.path());
  std::sort(tables.begin(), tables.end());
  for (const auto &table : tables)
    for (const Case &bug : casesOf(table.string()))
      add(table.stem().string(), bug);
  for (const Case &bug : sweeps())
    add("sweeps", bug);
}

} // namespace
} // namespace pliant::bugs

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  pliant::bugs::addTables();
  return RUN_ALL_TESTS();
}
