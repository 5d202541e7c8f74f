// SPDX-License-Identifier: Apache-2.0
// IR to IR. Each function is one pass over one function; `pipeline.cpp` is the only schedule.
#pragma once
#include "ir/convert.h"
#include "ir/facts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "plan/program.h"

namespace pliant::passes {

/// A value that one group stores and another reads: why the two are not one. `rule` names the reason's kind, `why` says
/// it of these two; producer and consumer are the ops at the ends of the edge.
struct Unfused {
  mlir::Operation *producer, *consumer;
  std::string rule, why;
};

/// What passes work on: one function and the weight table its `weight` ops index.
struct Unit {
  mlir::func::FuncOp function;
  std::vector<Weight> &weights;
  std::vector<Unfused> *unfused = nullptr; ///< filled by `fuse` when asked for
};

/// Results get the extents that their ops' rules give: for programs read from text. Not in the pipeline, since the
/// value builder has done it for all others.
Status refine(Unit &unit);
/// Products of dequantised bytes become integer contractions.
Status integers(Unit &unit);
/// Composites become the ops they stand for.
Status decompose(Unit &unit);
/// Convolutions and what stands between them work with channels last.
Status layout(Unit &unit);
/// Equal pure ops are shared, dead ones vanish. No recursion by graph size.
Status simplify(Unit &unit);
/// Ops on weights alone become weights that are computed when the program is loaded.
Status foldWeights(Unit &unit);
/// Gives each op that runs in a kernel the number of its fused group (`pliant.group`).
Status fuse(Unit &unit);

/// Where a compilation may stop or print, in order.
struct PassInfo {
  const char *name;
  const char *summary;
  Status (*run)(Unit &);
  bool optional = true; ///< left out when the program only serves as the oracle
};
std::span<const PassInfo> pipeline();

} // namespace pliant::passes
