// SPDX-License-Identifier: Apache-2.0
// The planner's state, shared by its parts: plan.cpp orders the units of a block and launches them, regions.cpp plans
// branches, loops and lists.
#pragma once
#include "ir/group_of.h"
#include "ir/symbols.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <set>

namespace pliant::plan {

class Planner {
public:
  Planner(mlir::func::FuncOp function, std::vector<Weight> weights) : function(function) {
    program.weights = std::move(weights);
  }
  Result<Program> run();

private:
  using Steps = std::vector<Step>;

  mlir::func::FuncOp function;
  Program program;
  llvm::DenseMap<mlir::Value, int> buffers;
  std::map<std::string, int> groupByText;
  std::set<std::string> checked; ///< conditions that a check has settled where the planner is
  std::vector<std::pair<Expr, Expr>>
      equal;            ///< checked before what comes now: the first is the second, which is a constant if either is
  Facts known;          ///< of the function
  std::set<int> shared; ///< Dynamic buffers that only Share and Collect fill: results of loops
  std::vector<Append> appends;

  Result<Argument> argumentOf(mlir::Type type, size_t i, bool input); ///< name and type of an input or output
  int add(Buffer buffer);
  Result<int> arenaFor(mlir::Value value);
  Result<int> bufferOf(mlir::Value value); ///< made at first use for constants and weights
  int rootOf(int buffer) const;

  Status block(mlir::Block &block, Steps &steps);
  Status emit(int64_t unit, std::vector<mlir::Operation *> &ops, Steps &steps);
  Status factChecks();
  Status checks(mlir::Operation *op, Steps &steps);
  void unify(TensorType &type) const;
  Status launch(llvm::ArrayRef<mlir::Operation *> ops, Steps &steps);
  void addLaunch(const Group &group, Step step, Steps &steps);
  Status concat(ir::ConcatOp op, Steps &steps);
  Status copy(mlir::Value value, int to, Steps &steps);
  Status outputs();

  // regions.cpp
  Status conditional(ir::IfOp op, Steps &steps);
  Status loop(ir::LoopOp op, Steps &steps);
  Status list(mlir::Operation *op, Steps &steps);
  Status assign(mlir::TypeRange to, mlir::TypeRange from, Steps &steps);
  Result<int> held(mlir::Value value, Steps &steps);
  Status collected(mlir::Value value, int into, int inside, Steps &steps);
};

} // namespace pliant::plan
