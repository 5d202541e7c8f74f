// SPDX-License-Identifier: Apache-2.0
// A recorded segment as plain data with symbolic extents: what the compiler takes.
#pragma once
#include "ops/op.h"

namespace pliant::trace {

/// A value: of a leaf, or a result of an op.
struct Ref {
  bool leaf = false;
  uint32_t index = 0; ///< of the leaf, or of the value: results of all ops are numbered in order
  bool operator==(const Ref &) const = default;
};

struct Op {
  OpId id;
  Attrs attrs;
  std::vector<Ref> operands;
  uint32_t results = 1;
  std::string place; ///< "model.cpp:12"
};

/// A condition on the extents under which the trace was typed. It holds for all runs of the program.
struct Guard {
  Expr a, b;
};

struct Trace {
  std::vector<TensorType> leaves; ///< every extent a symbol, s0, s1, ... over all leaves in order, but for `fixed` ones
  uint32_t integers = 0;          ///< symbols n0, n1, ...: extents and positions that the user gave as numbers
  std::vector<Op> ops;
  std::vector<Ref> outputs;
  std::vector<Guard> guards;
  std::vector<Guard> fixed; ///< symbols whose numbers a rule needs: they stand in the trace as these
};

} // namespace pliant::trace
