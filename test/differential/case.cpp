// SPDX-License-Identifier: Apache-2.0
// What rows ask about a node.
#include "case.h"
#include "compare.h"
#include "files/tensor_proto.h"
#include "ops/dispatch.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant::differential {

DenseTensor initializerOf(const onnx::GraphProto &graph, const std::string &name) {
  for (const auto &proto : graph.initializer())
    if (proto.name() == name) {
      const std::string bytes = proto.SerializeAsString();
      if (auto tensor = files::parseTensorProto(bytes.data(), bytes.size(), name))
        return tensor->second;
    }
  return {};
}

std::vector<double> numbersOf(const DenseTensor &tensor) {
  std::vector<double> out;
  for (int64_t k = 0; tensor && k < tensor.size(); ++k)
    out.push_back(tool::elementAsDouble(tensor, k));
  return out;
}

int64_t broadcastFrom(int64_t at, const Dims &result, const Dims &operand) {
  int64_t from = 0, stride = 1;
  for (size_t i = 0; i < result.size(); ++i) {
    const int64_t extent = result[result.size() - 1 - i], index = at % extent;
    at /= extent;
    if (i >= operand.size())
      continue;
    const int64_t own = operand[operand.size() - 1 - i];
    from += own == 1 ? 0 : index * stride;
    stride *= own;
  }
  return from;
}

std::vector<std::vector<int64_t>> folded(const Dims &dims, const std::set<int64_t> &axes) {
  int64_t size = 1, results = 1;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    size *= dims[axis];
    results *= axes.contains(static_cast<int64_t>(axis)) ? 1 : dims[axis];
  }
  std::vector<std::vector<int64_t>> lines(static_cast<size_t>(results));
  for (int64_t i = 0; i < size; ++i) {
    int64_t rest = i, line = 0, stride = 1;
    for (size_t axis = dims.size(); axis-- > 0; rest /= dims[axis])
      if (!axes.contains(static_cast<int64_t>(axis))) {
        line += rest % dims[axis] * stride;
        stride *= dims[axis];
      }
    lines[static_cast<size_t>(line)].push_back(i);
  }
  return lines;
}

std::pair<double, double> rangeOf(DType type) {
  if (type == DType::F16)
    return {-65504, 65504};
  if (type == DType::BF16 || type == DType::F32)
    return {-3.3895313892515355e38, 3.3895313892515355e38}; // the largest of bf16, which f32 holds
  return dispatch(type, [&]<class T>(Type<T>) -> std::pair<double, double> {
    if constexpr (isFloatStorage<T>)
      return {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
    else
      return {static_cast<double>(std::numeric_limits<T>::lowest()),
              static_cast<double>(std::numeric_limits<T>::max())};
  });
}

Case::Case(const Finding &finding, const onnx::NodeProto &node, const std::string &ort)
    : finding(finding), node(node), ort(ort), found(nullptr) {
  for (const std::string &name : node.input()) {
    const auto value = finding.values.find(name);
    inputs.push_back(value == finding.values.end() ? initializerOf(graph(), name) : value->second);
  }
  if (finding.found &&
      std::find(node.output().begin(), node.output().end(), finding.found->output) != node.output().end())
    found = &*finding.found;
}

const onnx::AttributeProto *Case::attribute(const std::string &name) const {
  for (const auto &a : node.attribute())
    if (a.name() == name)
      return &a;
  return nullptr;
}
int64_t Case::integer(const std::string &name, int64_t otherwise) const {
  return attribute(name) ? attribute(name)->i() : otherwise;
}
double Case::number(const std::string &name, double otherwise) const {
  return attribute(name) ? static_cast<double>(attribute(name)->f()) : otherwise;
}
Dims Case::integers(const std::string &name) const {
  const auto *a = attribute(name);
  return a ? Dims(a->ints().begin(), a->ints().end()) : Dims();
}

const DenseTensor &Case::in(size_t i) const {
  static const DenseTensor none;
  return i < inputs.size() ? inputs[i] : none;
}
bool Case::any(size_t i, bool (*holds)(double)) const {
  const std::vector<double> elements = list(i);
  return std::any_of(elements.begin(), elements.end(), holds);
}
const onnx::NodeProto *Case::makerOf(const std::string &name) const {
  for (const onnx::NodeProto &each : graph().node())
    if (std::find(each.output().begin(), each.output().end(), name) != each.output().end())
      return &each;
  return nullptr;
}

int Case::output() const {
  for (int i = 0; found && i < node.output_size(); ++i)
    if (node.output(i) == found->output)
      return i;
  return -1;
}
double Case::ours(int64_t at) const { return tool::elementAsDouble(found->ours, at); }
double Case::theirs(int64_t at) const { return tool::elementAsDouble(found->theirs, at); }
double Case::reference(int64_t at) const { return tool::elementAsDouble(found->reference, at); }
bool Case::each(const std::function<bool(int64_t)> &holds) const {
  return found && !found->elements.empty() && std::all_of(found->elements.begin(), found->elements.end(), holds);
}
bool Case::oursIs(const std::optional<std::vector<DenseTensor>> &answer) const {
  const int at = output();
  return answer && at >= 0 && static_cast<size_t>(at) < answer->size() &&
         tool::compare(found->ours, (*answer)[static_cast<size_t>(at)], tool::ortSlack).holds;
}

std::set<int64_t> Case::reducedAxes() const {
  const int64_t rank = in(0).rank();
  std::vector<double> given = list(1);
  for (int64_t axis : integers("axes"))
    given.push_back(static_cast<double>(axis));
  if (starts("Arg"))
    given = {static_cast<double>(integer("axis", 0))};
  std::set<int64_t> axes;
  for (double axis : given)
    axes.insert(static_cast<int64_t>(axis) + (axis < 0 ? rank : 0));
  for (int64_t axis = 0; given.empty() && integer("noop_with_empty_axes", 0) == 0 && axis < rank; ++axis)
    axes.insert(axis);
  return axes;
}
std::vector<std::vector<double>> Case::reducedLines() const {
  const std::vector<double> elements = list(0);
  std::vector<std::vector<double>> lines;
  for (const auto &line : folded(in(0).dims(), reducedAxes())) {
    lines.emplace_back();
    for (int64_t i : line)
      lines.back().push_back(elements[static_cast<size_t>(i)]);
  }
  return lines;
}

} // namespace pliant::differential
