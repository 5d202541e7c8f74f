// SPDX-License-Identifier: Apache-2.0
// The order of a sum, and what cannot be fused with it.
#include "group/sum_order.h"
#include <algorithm>

namespace pliant {
namespace {

using Kind = Instance::Kind;

bool rounds(const GroupNode &node) {
  return isFloat(node.type.dtype) && (node.op == OpId::ReduceSum || node.op == OpId::ReduceProd);
}

/// Whether two dimensions can be walked as one everywhere.
bool nests(const Schedule &plan, int outer, int inner) {
  auto fits = [&](const Affine &a) {
    return a.coefficients.empty() || a.coefficients[outer] == a.coefficients[inner] * plan.domain[inner];
  };
  auto inside = [&](const Instance::Predicate &p) {
    return std::all_of(p.begin(), p.end(), [&](const Instance::Bound &bound) { return fits(bound.index); });
  };
  return std::all_of(plan.instances.begin(), plan.instances.end(),
                     [&](const Instance &i) {
                       return fits(i.linear) && inside(i.predicate) &&
                              std::all_of(i.choices.begin(), i.choices.end(), inside);
                     }) &&
         std::all_of(plan.stores.begin(), plan.stores.end(),
                     [&](const Schedule::Store &store) { return fits(store.linear); });
}

/// Whether memory is contiguous along dimensions that lanes cannot have, and strided along those that they can.
bool crossesLanes(const Schedule &plan, const Affine &a) {
  bool along = false, strided = false, elsewhere = false;
  for (size_t k = 0; k < a.coefficients.size(); ++k) {
    const int d = static_cast<int>(k);
    const Expr &c = a.coefficients[k];
    if ((plan.domain[k].isConstant(1) && d != plan.lastAxis) || c.isConstant(0))
      continue;
    const bool lanes = plan.lastAxis >= plan.parallel ? d == plan.lastAxis : d < plan.parallel;
    along |= lanes && c.isConstant(1);
    strided |= lanes && !c.isConstant(1) && !isZeroOrOne(c);
    elsewhere |= !lanes && c.isConstant(1);
  }
  return strided && elsewhere && !along;
}

} // namespace

Status orderSum(const Group &group, const Extents &anchor, const std::vector<int> &dimensionOf, Schedule &plan) {
  auto no = [](std::string why) { return userError("schedule", std::move(why)); };
  plan.joined.assign(plan.domain.size(), false);
  plan.ordered = std::any_of(group.nodes.begin(), group.nodes.end(), [&](const GroupNode &n) { return rounds(n); });
  if (!plan.ordered)
    return ok();
  const auto computed = std::count_if(group.nodes.begin(), group.nodes.end(), [](const GroupNode &node) {
    return info(node.op).pattern != Pattern::Source && info(node.op).pattern != Pattern::Host;
  });
  int next = -1; // the dimension of the axis behind
  for (size_t axis = anchor.size(); axis-- > 0;) {
    const int d = dimensionOf[axis];
    if (next < 0) {
      plan.lastAxis = d;
    } else if (d >= plan.parallel && next >= plan.parallel) {
      plan.joined[d] = nests(plan, d, next);
      if (!plan.joined[d] && computed > 1)
        return no("a sum over several axes would be added in another order");
    }
    next = d;
  }
  for (const Instance &load : plan.instances)
    if (load.kind == Kind::Load && computed > 1 && crossesLanes(plan, load.linear))
      return no("a sum's lanes would cross the rows of what it reads");
  return ok();
}

} // namespace pliant
