// SPDX-License-Identifier: Apache-2.0
// The three runs and their comparison.
#include "judge.h"
#include "apart.h"
#include "api/compiler.h"
#include "compare.h"
#include "executable/executable.h"
#include "files/tensor_proto.h"
#include "ort.h"
#include "through_bytes.h"
#include <algorithm>
#include <cstring>

namespace pliant::differential {
namespace {

using Named = std::vector<std::pair<std::string, DenseTensor>>;

Result<std::unique_ptr<Executable>> compile(const Model &model, bool reference) {
  PLIANT_TRY(const driver::CompilerApi *api, compiler());
  driver::Options options;
  options.reference = reference;
  options.cache = false;
  PLIANT_TRY(driver::Compiled compiled, api->bytes(model.bytes(), options));
  PLIANT_TRY(compiled, test::throughBytes(std::move(compiled)));
  return Executable::load(compiled.program, compiled.image, {}, std::move(compiled.weights));
}

Result<Named> run(Executable &executable, const Named &inputs) {
  std::vector<RunValue> values;
  for (const Argument &argument : executable.program().inputs)
    for (const auto &[name, tensor] : inputs)
      if (name == argument.name)
        values.push_back({tensor, std::nullopt});
  PLIANT_TRY(std::vector<RunValue> outputs, executable.runValues(values));
  Named out;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!outputs[i].list)
      out.emplace_back(executable.program().outputs[i].name, outputs[i].tensor);
    else if (outputs[i].list->items.size() == 1) // an optional; ONNX Runtime gives its tensor
      out.emplace_back(executable.program().outputs[i].name, outputs[i].list->items.front());
  return out;
}

std::string difference(const Named &ours, const Named &theirs, double slack) {
  for (const auto &[name, tensor] : theirs) {
    auto mine = std::find_if(ours.begin(), ours.end(), [&](const auto &o) { return o.first == name; });
    if (mine == ours.end())
      return name + " is missing";
    if (auto agreement = tool::compare(mine->second, tensor, slack); !agreement.holds)
      return name + ": " + agreement.reason;
  }
  return {};
}

/// Which of the results have no element: " (nothing in v1, v2,)".
std::string withoutElements(const Named &results) {
  std::string names;
  for (const auto &[name, tensor] : results)
    if (tensor.size() == 0)
      names += " " + name + ",";
  return names.empty() ? names : " (nothing in" + names + ")";
}

/// Tensors as records of a size and a TensorProto.
std::string bytesOf(const Named &tensors) {
  std::string all;
  for (const auto &tensor : tensors)
    if (auto bytes = files::tensorProtoBytes("", tensor)) {
      const uint64_t size = bytes->size();
      all.append(reinterpret_cast<const char *>(&size), sizeof size) += *bytes;
    }
  return all;
}
/// What ONNX Runtime computes.
std::string bytesOf(const std::string &model, const Named &inputs, const std::string &ort) {
  Named named;
  auto session = OrtSession::openBytes(ort, model);
  auto outputs = session ? session->run(inputs) : Result<std::vector<DenseTensor>>(session.error());
  for (size_t i = 0; outputs && i < outputs->size(); ++i)
    named.emplace_back(session->outputNames()[i], (*outputs)[i]);
  return bytesOf(named);
}
Named tensorsOf(const std::string &bytes) {
  Named out;
  uint64_t size = 0;
  for (size_t at = 0; at + sizeof size <= bytes.size(); at += size) {
    std::memcpy(&size, bytes.data() + at, sizeof size);
    at += sizeof size;
    if (auto tensor = files::parseTensorProto(bytes.data() + at, size, "ONNX Runtime"))
      out.push_back(std::move(*tensor));
  }
  return out;
}

} // namespace

Verdict judge(const Model &model, const std::vector<Point> &points, const std::string &ort) {
  using Kind = Verdict::Kind;
  auto reference = compile(model, true);
  auto ours = compile(model, false);
  // What weights alone decide is computed when a program is loaded, by the references when it runs.
  if (reference && !ours) {
    for (size_t p = 0; p < points.size(); ++p)
      if (auto inputs = model.tensors(points[p], p); inputs && run(**reference, *inputs))
        return {Kind::Compiled, "only the compiler refuses: " + ours.error().text(), p};
    reference = ours.error();
  }
  if (!reference && ours)
    return {Kind::Compiled, "only the references refuse: " + reference.error().text()};
  Result<OrtSession> session = internalError("onnxruntime", "left out");
  if (!ort.empty())
    session = OrtSession::openBytes(ort, model.bytes());
  if (!session && !ours)
    return {Kind::BothRefuse, ours.error().text() + " | " + session.error().text()};
  std::string refusal = session ? "" : session.error().text(), lastError;
  bool ran = false;
  for (size_t p = 0; p < points.size(); ++p) {
    auto inputs = model.tensors(points[p], p);
    if (!inputs)
      continue; // an extent below 0
    Result<Named> theirs = internalError("", "");
    if (session) {
      if (auto outputs = session->run(*inputs)) {
        Named named;
        for (size_t i = 0; i < outputs->size(); ++i)
          named.emplace_back(session->outputNames()[i], (*outputs)[i]);
        theirs = std::move(named);
      } else {
        refusal = "run: " + outputs.error().text();
      }
    }
    if (!ours) {
      if (theirs)
        return {Kind::WeRefuse, "compile: " + ours.error().text(), p};
      lastError = ours.error().text();
      continue;
    }
    auto expected = run(**reference, *inputs), got = run(**ours, *inputs);
    if (bool(expected) != bool(got))
      return {Kind::Compiled,
              got ? "only the references refuse" + withoutElements(*got) + ": " + expected.error().text()
                  : "only compiled code refuses: " + got.error().text(),
              p};
    if (!got) {
      if (theirs)
        return {Kind::WeRefuse, "run: " + got.error().text(), p};
      lastError = got.error().text();
      continue;
    }
    ran = true;
    if (std::string what = difference(*got, *expected, 1e-6); !what.empty())
      return {Kind::Compiled, what, p};
    if (theirs)
      if (std::string what = difference(*got, *theirs, tool::ortSlack); !what.empty())
        return {Kind::Values, what, p};
  }
  if (!ran)
    return {Kind::BothRefuse, lastError + " | " + refusal};
  return {refusal.empty() ? Kind::Agree : Kind::TheyRefuse, refusal};
}

Verdict judgeApart(const Model &model, const std::vector<Point> &points, const std::string &ort) {
  std::string how;
  auto text = apart(
      mostSeconds,
      [&] {
        const Verdict verdict = judge(model, points, ort);
        return std::to_string(static_cast<int>(verdict.kind)) + " " + std::to_string(verdict.point) + " " +
               verdict.what;
      },
      how);
  if (!text)
    return {Verdict::Kind::Crash, how};
  const size_t first = text->find(' '), second = text->find(' ', first + 1);
  return {static_cast<Verdict::Kind>(std::atoi(text->c_str())), text->substr(second + 1),
          static_cast<size_t>(std::atoi(text->c_str() + first))};
}

std::optional<Disagreement> disagreementOf(const Model &model, const Point &point, const Verdict &verdict,
                                           const std::string &ort) {
  const std::string name = verdict.what.substr(0, verdict.what.find(':'));
  auto inputs = model.tensors(point, 0);
  if (!inputs)
    return std::nullopt;
  std::string how;
  auto bytes = apart(
      mostSeconds,
      [&] {
        Named all;
        auto take = [&](const char *side, const Named &from) {
          for (const auto &[output, tensor] : from)
            if (output == name)
              all.emplace_back(side, tensor);
        };
        for (bool reference : {false, true})
          if (auto executable = compile(model, reference))
            if (auto outputs = run(**executable, *inputs))
              take(reference ? "reference" : "ours", *outputs);
        if (!ort.empty())
          take("theirs", tensorsOf(bytesOf(model.bytes(), *inputs, ort)));
        return bytesOf(all);
      },
      how);
  if (!bytes)
    return std::nullopt;
  Disagreement found{name, {}, {}, {}, {}};
  for (auto &[side, tensor] : tensorsOf(*bytes))
    (side == "ours" ? found.ours : side == "theirs" ? found.theirs : found.reference) = std::move(tensor);
  const bool values = verdict.kind == Verdict::Kind::Values;
  (void)tool::compare(found.ours, values ? found.theirs : found.reference, values ? tool::ortSlack : 1e-6,
                      &found.elements);
  return found;
}

std::optional<std::vector<DenseTensor>> answered(const onnx::NodeProto &node, const std::vector<DenseTensor> &operands,
                                                 int64_t opset, const std::string &ort) {
  Model model;
  model.proto.set_ir_version(opset >= 21 ? 10 : 8);
  model.proto.add_opset_import()->set_version(opset);
  auto &graph = *model.proto.mutable_graph();
  graph.set_name("answered");
  onnx::NodeProto &asked = *graph.add_node() = node;
  asked.clear_input();
  Named inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string name = operands[i] ? "x" + std::to_string(i) : "";
    asked.add_input(name);
    if (name.empty())
      continue;
    inputs.emplace_back(name, operands[i]);
    auto *info = graph.add_input();
    info->set_name(name);
    auto *type = info->mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnxType(operands[i].dtype()));
    type->mutable_shape();
    for (int64_t extent : operands[i].dims())
      type->mutable_shape()->add_dim()->set_dim_value(extent);
  }
  for (int i = 0; i < asked.output_size(); ++i) {
    asked.set_output(i, "y" + std::to_string(i));
    graph.add_output()->set_name(asked.output(i));
  }
  std::string how;
  auto bytes = apart(mostSeconds, [&] { return bytesOf(model.bytes(), inputs, ort); }, how);
  if (!bytes)
    return std::nullopt;
  std::vector<DenseTensor> results;
  for (auto &[name, tensor] : tensorsOf(*bytes))
    results.push_back(std::move(tensor));
  return results.size() == static_cast<size_t>(asked.output_size()) ? std::optional(std::move(results)) : std::nullopt;
}

using ByName = std::map<std::string, DenseTensor>;

/// What `compute` makes of the inputs, in a process of its own.
static ByName resultsOf(const Model &model, const Point &point,
                        const std::function<std::string(const Named &)> &compute) {
  ByName results;
  std::string how;
  if (auto inputs = model.tensors(point, 0))
    if (auto bytes = apart(mostSeconds, [&] { return compute(*inputs); }, how))
      for (auto &[name, tensor] : tensorsOf(*bytes))
        results[name] = std::move(tensor);
  return results;
}

ByName computed(const Model &model, const Point &point, bool reference) {
  return resultsOf(model, point, [&](const Named &inputs) {
    auto executable = compile(model, reference);
    auto outputs = executable ? run(**executable, inputs) : Result<Named>(executable.takeError());
    return outputs ? bytesOf(*outputs) : std::string();
  });
}
ByName answersTo(const Model &model, const Point &point, const std::string &ort) {
  return resultsOf(model, point, [&](const Named &inputs) { return bytesOf(model.bytes(), inputs, ort); });
}

std::map<std::string, DenseTensor> valuesOf(const Model &model, const Point &point, const std::string &ort) {
  std::map<std::string, DenseTensor> values;
  auto inputs = model.tensors(point, 0);
  if (!inputs)
    return values;
  for (const auto &[name, tensor] : *inputs)
    values[name] = tensor;
  Model all = model;
  auto &graph = *all.proto.mutable_graph();
  graph.clear_output();
  for (const auto &node : graph.node())
    for (const std::string &name : node.output())
      if (!name.empty())
        graph.add_output()->set_name(name);
  std::string how;
  auto references = [&]() -> std::string {
    if (auto executable = compile(all, true))
      if (auto outputs = run(**executable, *inputs))
        return bytesOf(*outputs);
    return {};
  };
  auto bytes = apart(mostSeconds, references, how);
  if ((!bytes || bytes->empty()) && !ort.empty())
    bytes = apart(mostSeconds, [&] { return bytesOf(all.bytes(), *inputs, ort); }, how);
  Named found;
  if (bytes)
    found = tensorsOf(*bytes);
  for (auto &[name, tensor] : found)
    values[name] = std::move(tensor);
  return values;
}

} // namespace pliant::differential
