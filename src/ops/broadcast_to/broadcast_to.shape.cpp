// SPDX-License-Identifier: Apache-2.0
// Type rule of broadcast_to.
#include "ops/rules.h"

namespace pliant::ops::broadcast_to {

/// Whoever forms a broadcast of extents owes the check that they do: here nobody else does.
static void requireBroadcasts(const ShapeContext &c, const Expr &extent) {
  using Op = Expr::Op;
  std::vector<Expr> made; // by step
  for (const Expr::Step &step : extent.steps()) {
    const Expr lhs = step.lhs >= 0 ? made[step.lhs] : Expr(0), rhs = step.rhs >= 0 ? made[step.rhs] : Expr(0);
    switch (step.op) {
    case Op::Constant:
      made.emplace_back(step.value);
      break;
    case Op::Symbol:
      made.push_back(Expr::symbol(step.symbol));
      break;
    case Op::Add:
      made.push_back(lhs + rhs);
      break;
    case Op::Mul:
      made.push_back(lhs * rhs);
      break;
    case Op::FloorDiv:
      made.push_back(floorDiv(lhs, rhs));
      break;
    case Op::Mod:
      made.push_back(mod(lhs, rhs));
      break;
    case Op::Min:
      made.push_back(min(lhs, rhs));
      break;
    case Op::Max:
      made.push_back(max(lhs, rhs));
      break;
    case Op::Broadcast:
      c.require(lhs, rhs, true);
      made.push_back(broadcast(lhs, rhs));
    }
  }
}

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &x = c.operand(0);
  const Extents &target = c.as<BroadcastToAttrs>().shape;
  if (target.size() < x.shape.size())
    return c.error("shape " + str(x.shape) + " cannot be broadcast to the smaller rank of " + str(target), "C1");
  for (const Expr &extent : target) {
    const Interval bounds = c.facts.bounds(extent);
    if (bounds.hi < 0)
      return c.error("the target " + str(target) + " has a negative extent", "C2");
    if (bounds.lo < 0)
      c.require(min(extent, 0), 0, false);
  }
  const size_t skip = target.size() - x.shape.size();
  for (size_t i = 0; i < x.shape.size(); ++i) {
    const Expr &from = x.shape[i], &to = target[skip + i];
    if (c.open)
      requireBroadcasts(c, to);
    const Proof equal = c.facts.equal(from, to), one = c.facts.equal(from, 1);
    if (equal == Proof::Unknown && one != Proof::Yes) {
      c.require(from, to, true); // but for a target of 1, which what is not 1 does not broadcast to
      if (c.facts.equal(pliant::broadcast(from, to), to) != Proof::Yes)
        c.require(pliant::broadcast(from, to), to, false);
    }
    if (one == Proof::No && equal == Proof::No)
      return c.error("shape " + str(x.shape) + " cannot be broadcast to " + str(target) + ": extent " + from.str() +
                         " of axis " + std::to_string(i) + " is neither 1 nor " + to.str(),
                     "C2");
  }
  return std::vector<TensorType>{{x.dtype, target}};
}

} // namespace pliant::ops::broadcast_to
