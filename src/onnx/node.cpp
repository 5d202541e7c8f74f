// SPDX-License-Identifier: Apache-2.0
// Attributes and inputs of a node as the rows see them.
#include "onnx/node_state.h"
#include "onnx/rows.h"
#include "ops/content.h"
#include <unordered_map>

namespace pliant::onnx_import {

const Row *findRow(std::string_view op, int64_t opset) {
  static const auto index = [] {
    std::unordered_map<std::string_view, std::vector<const Row *>> byName;
    for (std::span<const Row> rows : allRows())
      for (const Row &row : rows)
        byName[row.op].push_back(&row);
    return byName;
  }();
  auto found = index.find(op);
  const Row *best = nullptr;
  if (found != index.end())
    for (const Row *row : found->second)
      if (row->since <= opset && (!best || row->since > best->since))
        best = row;
  return best;
}

std::string NodeImport::label() const {
  return node.name().empty() && node.output_size() ? node.output(0) : node.name();
}
size_t NodeImport::inputs() const {
  size_t count = static_cast<size_t>(node.input_size());
  while (count > 0 && node.input(static_cast<int>(count) - 1).empty())
    --count;
  return count;
}
bool NodeImport::has(size_t i) const {
  return i < static_cast<size_t>(node.input_size()) && !node.input(static_cast<int>(i)).empty();
}
Value NodeImport::in(size_t i) const {
  if (b.failed())
    return {};
  if (!has(i)) {
    b.fail(error("input " + std::to_string(i) + " is missing"));
    return {};
  }
  const std::string &name = node.input(static_cast<int>(i));
  Value v = state.lookup(name);
  if (!v)
    b.fail(error("input " + std::to_string(i) + " reads " + onnx_file::quote(name) + ", which is no tensor value"));
  return v;
}

static const ::onnx::AttributeProto *find(const ::onnx::NodeProto &node, std::string_view name) {
  for (const auto &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}
bool NodeImport::hasAttr(std::string_view name) const { return find(node, name) != nullptr; }
int64_t NodeImport::intAttr(std::string_view name, int64_t otherwise) const {
  auto *a = find(node, name);
  return a ? a->i() : otherwise;
}
double NodeImport::floatAttr(std::string_view name, double otherwise) const {
  auto *a = find(node, name);
  return a ? static_cast<double>(a->f()) : otherwise;
}
std::string NodeImport::strAttr(std::string_view name, std::string_view otherwise) const {
  auto *a = find(node, name);
  return a ? a->s() : std::string(otherwise);
}
std::optional<std::vector<int64_t>> NodeImport::intsAttr(std::string_view name) const {
  auto *a = find(node, name);
  if (!a)
    return std::nullopt;
  return std::vector<int64_t>(a->ints().begin(), a->ints().end());
}
std::optional<std::vector<double>> NodeImport::floatsAttr(std::string_view name) const {
  auto *a = find(node, name);
  if (!a)
    return std::nullopt;
  return std::vector<double>(a->floats().begin(), a->floats().end());
}
std::optional<std::vector<std::string>> NodeImport::stringsAttr(std::string_view name) const {
  auto *a = find(node, name);
  if (!a)
    return std::nullopt;
  return std::vector<std::string>(a->strings().begin(), a->strings().end());
}
Result<DenseTensor> NodeImport::tensorAttr(std::string_view name) const {
  auto *a = find(node, name);
  if (!a || !a->has_t())
    return error("attribute '" + std::string(name) + "' holds no tensor");
  return state.file.tensor(a->t());
}

Extents NodeImport::ints(size_t i, Interval bounds, std::string_view hint) {
  Value v = in(i);
  if (!v)
    return {};
  if (!isInteger(b.dtype(v))) {
    b.fail(error("input " + std::to_string(i) + " must hold integers, not " + std::string(name(b.dtype(v)))));
    return {};
  }
  return b.bind(v, bounds, node.name().empty() ? std::string(hint) : node.name() + "." + std::string(hint));
}
std::optional<std::vector<int64_t>> NodeImport::constInts(size_t i) const {
  if (!has(i))
    return std::nullopt;
  Value v = in(i);
  const Content *content = v ? b.content(v) : nullptr;
  if (!content)
    return std::nullopt;
  std::vector<int64_t> values;
  for (const Expr &e : *content) {
    auto constant = e.constant();
    if (!constant)
      return std::nullopt;
    values.push_back(*constant);
  }
  return values;
}
std::optional<std::vector<double>> NodeImport::constFloats(size_t i) const {
  if (!has(i))
    return std::nullopt;
  Value v = in(i);
  const DenseTensor *tensor = v ? state.constant(v) : nullptr;
  if (!tensor)
    return std::nullopt;
  std::vector<double> values;
  for (int64_t k = 0; k < tensor->size(); ++k)
    if (tensor->dtype() == DType::F32)
      values.push_back(static_cast<double>(tensor->as<float>()[k]));
    else if (tensor->dtype() == DType::F64)
      values.push_back(tensor->as<double>()[k]);
    else
      return std::nullopt;
  return values;
}

size_t NodeImport::outputs() const { return static_cast<size_t>(node.output_size()); }
bool NodeImport::wants(size_t i) const {
  return i < static_cast<size_t>(node.output_size()) && !node.output(static_cast<int>(i)).empty();
}
void NodeImport::out(Value v) { state.results.push_back(v); }
Error NodeImport::error(std::string message, std::string hint) const {
  return userError(node.op_type(), std::move(message), "", std::move(hint));
}
Error NodeImport::unsupported(std::string what) const { return userError(node.op_type(), what + " is not supported"); }

} // namespace pliant::onnx_import
