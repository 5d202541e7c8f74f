// SPDX-License-Identifier: Apache-2.0
// Text and renaming of groups.
#include "group/group.h"
#include "group/index_map.h"
#include <map>

namespace pliant {

std::string Group::text() const {
  std::string out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    out += (weights[i] ? "weight " : "in ") + inputs[i].str();
    out += isDense(static_cast<int>(i)) ? "\n" : " in " + pliant::str(rooms[i]) + "\n";
  }
  int value = static_cast<int>(inputs.size());
  for (const GroupNode &node : nodes) {
    out += "%" + std::to_string(value++) + " = " + info(node.op).name + pliant::str(node.attrs);
    for (int operand : node.operands)
      out += " %" + std::to_string(operand);
    out += " : " + node.type.str() + "\n";
  }
  for (const GroupOutput &output : outputs) {
    out += "out %" + std::to_string(output.value);
    if (output.result)
      out += "#" + std::to_string(output.result);
    if (!output.strides.empty())
      out += " strides " + pliant::str(output.strides) + " offset " + output.offset.str();
    out += "\n";
  }
  return out;
}

std::string Group::name() const {
  std::string out;
  size_t named = 0, skipped = 0;
  for (const GroupNode &node : nodes) {
    Pattern pattern = info(node.op).pattern;
    if (pattern == Pattern::Source || pattern == Pattern::Host)
      continue;
    if (named == 6) {
      ++skipped;
      continue;
    }
    out += (named++ ? "+" : "") + std::string(info(node.op).name);
  }
  return skipped ? out + "+" + std::to_string(skipped) + "_more" : out.empty() ? "copy" : out;
}

Extents Group::strides(int input) const { return rowMajor(isDense(input) ? inputs[input].shape : rooms[input]); }

Group mapExprs(const Group &group, const std::function<Expr(const Expr &)> &rename) {
  Group result = group;
  auto renameAll = [&](Extents &list) {
    for (Expr &each : list)
      each = rename(each);
  };
  for (TensorType &input : result.inputs)
    renameAll(input.shape);
  for (Extents &room : result.rooms)
    renameAll(room);
  for (GroupNode &node : result.nodes) {
    renameAll(node.type.shape);
    node.attrs = mapExprs(node.attrs, rename);
  }
  for (GroupOutput &output : result.outputs) {
    renameAll(output.strides);
    output.offset = rename(output.offset);
  }
  return result;
}

CanonicalGroup canonicalize(const Group &group) {
  CanonicalGroup result;
  std::map<std::string, Expr> renamed;
  result.group = mapExprs(group, [&](const Expr &e) {
    // Order of first occurrence in the walk, not in the expression's own (name-dependent) order, would need a name-free
    // traversal; sorted symbols inside one expression are enough because the walk itself is structural.
    for (const std::string &symbol : e.symbols())
      if (renamed.emplace(symbol, Expr::symbol("s" + std::to_string(renamed.size()))).second)
        result.symbols.push_back(symbol);
    return e.substitute([&](const std::string &symbol) -> std::optional<Expr> { return renamed.at(symbol); });
  });
  return result;
}

} // namespace pliant
