// SPDX-License-Identifier: Apache-2.0
// A fused group as plain data: what one kernel computes. Made by fusion, read by code generation, no MLIR.
#pragma once
#include "ops/op.h"

namespace pliant {

struct GroupNode {
  OpId op;
  Attrs attrs;
  std::vector<int> operands; ///< values of the group: inputs first, then nodes in order
  TensorType type;           ///< of the first result
  std::string place;         ///< the user's node or line, for symbols and messages
};

/// Where an output is stored: dense row-major, or with strides and an offset into a larger buffer (a part of a concat).
struct GroupOutput {
  int value;
  Extents strides; ///< empty: dense
  Expr offset;
  int result = 0; ///< of a node with several; only kernel ops have more than one
};

struct Group {
  std::vector<TensorType> inputs;
  std::vector<bool> weights; ///< per input: constant for the program's life, so a kernel may ask for it packed
  /// Per input: the extents of the memory it begins, where they are larger than its own along one axis (a state with
  /// room to grow); empty where it is dense. No list when all inputs are.
  std::vector<Extents> rooms;
  std::vector<GroupNode> nodes;
  std::vector<GroupOutput> outputs;

  int values() const { return static_cast<int>(inputs.size() + nodes.size()); }
  bool isInput(int value) const { return value < static_cast<int>(inputs.size()); }
  const GroupNode &node(int value) const { return nodes[value - inputs.size()]; }
  const TensorType &type(int value) const { return isInput(value) ? inputs[value] : node(value).type; }
  bool isDense(int input) const { return rooms.empty() || rooms[input].empty(); }
  /// How many elements apart neighbours along each axis of an input lie.
  Extents strides(int input) const;

  /// Canonical text: structure, types and attributes, no names or places. Groups with equal text share a kernel.
  std::string text() const;
  /// "matmul+add+gelu": for kernel symbols and `explain`.
  std::string name() const;
};

/// The same group with symbols renamed s0, s1, ... in order of first occurrence; `symbols[i]` is what s_i stood for.
struct CanonicalGroup {
  Group group;
  std::vector<std::string> symbols;
};
CanonicalGroup canonicalize(const Group &group);
/// Every expression of the group replaced by `rename`, in a fixed order.
Group mapExprs(const Group &group, const std::function<Expr(const Expr &)> &rename);

} // namespace pliant
