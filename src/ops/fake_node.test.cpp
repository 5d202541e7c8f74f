// SPDX-License-Identifier: Apache-2.0
// NodeImport over plain lists, for tests of importer rows. Not to be linked with the importer itself.
#include "ops/record.test.h"

namespace pliant::onnx_import {

std::string NodeImport::label() const { return state.op; }
size_t NodeImport::inputs() const { return state.in.size(); }
bool NodeImport::has(size_t i) const { return i < state.in.size() && state.in[i]; }
Value NodeImport::in(size_t i) const {
  if (has(i))
    return state.in[i];
  b.fail(error("input " + std::to_string(i) + " is absent"));
  return {};
}
bool NodeImport::hasAttr(std::string_view name) const {
  const std::string key(name);
  return state.ints.count(key) || state.floats.count(key) || state.strings.count(key) || state.tensors.count(key);
}
int64_t NodeImport::intAttr(std::string_view name, int64_t otherwise) const {
  auto it = state.ints.find(std::string(name));
  return it == state.ints.end() ? otherwise : it->second.at(0);
}
double NodeImport::floatAttr(std::string_view name, double otherwise) const {
  auto it = state.floats.find(std::string(name));
  return it == state.floats.end() ? otherwise : it->second;
}
std::string NodeImport::strAttr(std::string_view name, std::string_view otherwise) const {
  auto it = state.strings.find(std::string(name));
  return it == state.strings.end() ? std::string(otherwise) : it->second;
}
std::optional<std::vector<int64_t>> NodeImport::intsAttr(std::string_view name) const {
  auto it = state.ints.find(std::string(name));
  return it == state.ints.end() ? std::nullopt : std::optional(it->second);
}
std::optional<std::vector<double>> NodeImport::floatsAttr(std::string_view name) const {
  auto it = state.floats.find(std::string(name));
  return it == state.floats.end() ? std::nullopt : std::optional(std::vector{it->second});
}
std::optional<std::vector<std::string>> NodeImport::stringsAttr(std::string_view name) const {
  auto it = state.strings.find(std::string(name));
  return it == state.strings.end() ? std::nullopt : std::optional(std::vector{it->second});
}
Result<DenseTensor> NodeImport::tensorAttr(std::string_view name) const { return state.tensors.at(std::string(name)); }
Extents NodeImport::ints(size_t i, Interval bounds, std::string_view hint) { return b.bind(in(i), bounds, hint); }
std::optional<std::vector<int64_t>> NodeImport::constInts(size_t i) const {
  const Content *content = b.content(in(i));
  if (!content)
    return std::nullopt;
  std::vector<int64_t> values;
  for (const Expr &element : *content) {
    if (!element.constant())
      return std::nullopt;
    values.push_back(*element.constant());
  }
  return values;
}
std::optional<std::vector<double>> NodeImport::constFloats(size_t) const { return std::nullopt; }
size_t NodeImport::outputs() const { return state.outputCount; }
bool NodeImport::wants(size_t i) const { return i < state.outputCount; }
void NodeImport::out(Value v) { state.out.push_back(v); }
Error NodeImport::error(std::string message, std::string hint) const {
  return userError(state.op, std::move(message), {}, std::move(hint));
}
Error NodeImport::unsupported(std::string what) const { return userError(state.op, "unsupported: " + std::move(what)); }

} // namespace pliant::onnx_import
