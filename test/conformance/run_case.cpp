// SPDX-License-Identifier: Apache-2.0
// One test in one mode: compile, run every data set, compare.
#include "api/compiler.h"
#include "compare.h"
#include "executable/executable.h"
#include "fallback_ops.h"
#include "files/list_proto.h"
#include "files/tensor_proto.h"
#include "suite.h"
#include <chrono>
#include <filesystem>
#include <fstream>
#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#include <onnx/onnx_pb.h>

namespace pliant::conformance {
namespace {

namespace fs = std::filesystem;

struct Failure {
  Verdict verdict;
  std::string reason;
};

bool isGap(const Error &error) {
  if (error.kind != Error::Kind::User)
    return false;
  for (const char *words : {"not supported", "is not a tensor", "no declared rank"})
    if (error.message.find(words) != std::string::npos)
      return true;
  return false;
}

/// Per input or output: what kind of list it is, when it is one.
using Kinds = std::vector<std::optional<ListInfo::Kind>>;

/// What the model declares of its inputs: the program may not exist to ask.
struct Declared {
  std::vector<std::string> inputs;  ///< in the order of the data files
  std::vector<std::string> vectors; ///< integer vectors: a rank may depend on their lengths
  std::vector<std::string> tables;  ///< integer tensors of a higher rank: one may depend on the length of their rows
  Kinds inputLists, outputLists;
};

std::optional<ListInfo::Kind> listKind(const onnx::TypeProto &type) {
  if (type.has_sequence_type())
    return ListInfo::Kind::Sequence;
  if (!type.has_optional_type())
    return std::nullopt;
  return type.optional_type().elem_type().has_sequence_type() ? ListInfo::Kind::OptionalSequence
                                                              : ListInfo::Kind::Optional;
}

Declared declaredInputs(const std::string &path) {
  Declared out;
  onnx::ModelProto model;
  std::ifstream stream(path, std::ios::binary);
  if (!model.ParseFromIstream(&stream))
    return out;
  for (const auto &input : model.graph().input()) {
    out.inputs.push_back(input.name());
    out.inputLists.push_back(listKind(input.type()));
    const auto &type = input.type().tensor_type();
    if ((type.elem_type() == onnx::TensorProto::INT64 || type.elem_type() == onnx::TensorProto::INT32) &&
        type.shape().dim_size() >= 1)
      (type.shape().dim_size() == 1 ? out.vectors : out.tables).push_back(input.name());
  }
  for (const auto &output : model.graph().output())
    out.outputLists.push_back(listKind(output.type()));
  return out;
}

struct Datum {
  std::string name;
  RunValue value;
};

/// The values of one data set, `what` being "input" or "output", in order; `lists` says which are no tensors.
Result<std::vector<Datum>> dataFiles(const fs::path &set, const std::string &what, const Kinds &lists) {
  std::vector<Datum> out;
  for (size_t i = 0;; ++i) {
    fs::path file = set / (what + "_" + std::to_string(i) + ".pb");
    std::error_code failure;
    if (!fs::exists(file, failure))
      return out;
    if (i < lists.size() && lists[i]) {
      PLIANT_TRY(TensorList list, files::readListProto(file.string(), *lists[i]));
      out.push_back({"", {{}, std::move(list)}});
      continue;
    }
    PLIANT_TRY(auto tensor, files::readTensorProto(file.string()));
    out.push_back({tensor.first, {tensor.second, std::nullopt}});
  }
}

/// These files store bf16 as the unsigned integers of its bits.
DenseTensor asDeclared(const DenseTensor &tensor, DType declared) {
  if (declared != DType::BF16 || tensor.dtype() != DType::U16)
    return tensor;
  return DenseTensor::borrow(DType::BF16, tensor.dims(), tensor.data(), std::make_shared<DenseTensor>(tensor));
}

std::optional<Failure> runSet(Executable &executable, const Declared &declared, const fs::path &set) {
  const Program &program = executable.program();
  auto given = dataFiles(set, "input", declared.inputLists);
  if (!given)
    return Failure{Verdict::Unsupported, given.error().text()};
  auto expected = dataFiles(set, "output", declared.outputLists);
  if (!expected)
    return Failure{Verdict::Unsupported, expected.error().text()};
  std::vector<RunValue> inputs;
  for (const Argument &argument : program.inputs) {
    auto named = std::find_if(given->begin(), given->end(), [&](const Datum &d) { return d.name == argument.name; });
    if (named == given->end()) {
      auto at = std::find(declared.inputs.begin(), declared.inputs.end(), argument.name) - declared.inputs.begin();
      if (at >= static_cast<int64_t>(given->size()))
        return Failure{Verdict::Failed, "the test has no data for input '" + argument.name + "'"};
      named = given->begin() + at;
    }
    inputs.push_back(named->value);
    inputs.back().tensor = asDeclared(inputs.back().tensor, argument.type.dtype);
  }
  auto outputs = executable.runValues(inputs);
  if (!outputs)
    return Failure{Verdict::Failed, "run: " + outputs.error().text()};
  if (outputs->size() != expected->size())
    return Failure{Verdict::Failed,
                   std::to_string(outputs->size()) + " outputs, expected " + std::to_string(expected->size())};
  for (size_t i = 0; i < outputs->size(); ++i) {
    auto differs = [&](const std::string &reason) {
      return Failure{Verdict::Failed, "output '" + program.outputs[i].name + "': " + reason};
    };
    const RunValue &ours = (*outputs)[i], &theirs = (*expected)[i].value;
    if (ours.list.has_value() != theirs.list.has_value())
      return differs("one is a list, the other a tensor");
    std::vector<DenseTensor> mine{ours.tensor}, want{theirs.tensor};
    if (ours.list) {
      mine = ours.list->items;
      want = theirs.list->items;
      if (ours.list->present != theirs.list->present || mine.size() != want.size())
        return differs(std::to_string(mine.size()) + " elements, expected " + std::to_string(want.size()));
    }
    for (size_t k = 0; k < mine.size(); ++k)
      if (auto agreement = tool::compare(mine[k], asDeclared(want[k], mine[k].dtype())); !agreement.holds)
        return differs(agreement.reason);
  }
  return std::nullopt;
}

Outcome attempt(const Case &test, const Declared &declared, const std::set<std::string> &kept) {
  Outcome out;
  auto fail = [&](Verdict verdict, std::string reason) {
    out.verdict = verdict;
    out.reason = std::move(reason);
    return out;
  };
  auto api = compiler();
  if (!api)
    return fail(Verdict::Failed, api.error().text());
  driver::Options options;
  options.cache = false;
  options.symbolicInputs = test.mode == Mode::Symbolic;
  options.staticInputs = kept;
  auto compiled = (*api)->file(test.path + "/model.onnx", options);
  if (!compiled)
    return fail(isGap(compiled.error()) ? Verdict::Unsupported : Verdict::Failed,
                "compile: " + compiled.error().text());
  auto executable = Executable::load(compiled->program, compiled->image, {}, std::move(compiled->weights));
  if (!executable)
    return fail(Verdict::Failed, "load: " + executable.error().text());
  out.fallbacks = (*executable)->fallbacks();
  int sets = 0;
  for (;; ++sets) {
    fs::path set = fs::path(test.path) / ("test_data_set_" + std::to_string(sets));
    std::error_code failure;
    if (!fs::is_directory(set, failure))
      break;
    if (auto bad = runSet(**executable, declared, set))
      return fail(bad->verdict, bad->reason);
  }
  if (!sets)
    return fail(Verdict::Failed, "the test has no data");
  out.verdict = out.fallbacks ? Verdict::PassedWithFallbacks : Verdict::Passed;
  if (out.fallbacks)
    out.reason = "no kernel for " + test::fallbackOps((*executable)->program());
  return out;
}

} // namespace

Outcome runCase(const Case &test) {
  const auto start = std::chrono::steady_clock::now();
  const Declared declared = declaredInputs(test.path + "/model.onnx");
  Outcome out = attempt(test, declared, {});
  // The length of a vector on which a rank depends stays as given: each alone, then all of them.
  if (test.mode == Mode::Symbolic && out.verdict != Verdict::Passed) {
    std::vector<std::set<std::string>> choices;
    for (const auto *list : {&declared.vectors, &declared.tables})
      for (const std::string &input : *list)
        choices.push_back({input});
    if (declared.vectors.size() > 1)
      choices.emplace_back(declared.vectors.begin(), declared.vectors.end());
    for (const auto &kept : choices) {
      Outcome again = attempt(test, declared, kept);
      // What is said to be unsupported when ranks are known is a gap, whatever was said without them.
      const bool gap = out.verdict == Verdict::Failed && again.verdict == Verdict::Unsupported;
      if (!gap && (again.verdict > Verdict::PassedWithFallbacks || again.verdict >= out.verdict))
        continue;
      out = std::move(again);
      for (const std::string &input : kept)
        out.kept += (out.kept.empty() ? "" : ", ") + input;
    }
  }
  out.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return out;
}

} // namespace pliant::conformance
