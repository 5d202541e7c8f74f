// SPDX-License-Identifier: Apache-2.0
// Operands of contractions as strided views of an input's memory.
#include "group/schedule.h"
#include "ops/widening.h"

namespace pliant {

std::optional<OperandAccess> accessOf(const Group &group, int value, IndexMap map, const Extents &domain) {
  Facts facts;
  std::optional<Affine> linear; // set once a reshape of an input makes the axes unimportant
  while (!group.isInput(value)) {
    const GroupNode &node = group.node(value);
    int x = node.operands.empty() ? -1 : node.operands[0];
    if (x < 0)
      return std::nullopt;
    const Extents &shape = group.type(x).shape;
    if (node.op == OpId::Reshape) {
      Affine flat = linearize(map, rowMajor(node.type.shape), domain.size());
      if (group.isInput(x) && group.isDense(x)) {
        linear = flat;
      } else {
        auto split = delinearize(flat, shape, domain, facts);
        if (!split)
          return std::nullopt;
        map = *split;
      }
    } else if (node.op == OpId::Transpose) {
      const auto &perm = std::get<TransposeAttrs>(node.attrs).perm;
      IndexMap moved(map.size());
      for (size_t i = 0; i < perm.size(); ++i)
        moved[perm[i]] = map[i];
      map = moved;
    } else if (node.op == OpId::BroadcastTo) {
      map = broadcastMap(map, shape, node.type.shape, domain.size());
    } else if (node.op == OpId::Cast && isWidening(group.type(x).dtype, node.type.dtype)) {
      // the reader widens
    } else if (node.op == OpId::Slice) {
      const auto &a = std::get<SliceAttrs>(node.attrs);
      for (size_t i = 0; i < map.size(); ++i)
        map[i] = map[i] * Expr(a.steps[i]) + a.starts[i];
    } else {
      return std::nullopt;
    }
    value = x;
  }
  if (!linear)
    linear = linearize(map, group.strides(value), domain.size());
  return OperandAccess{value, *linear};
}

bool readsInPlace(const Group &group) {
  for (const GroupNode &node : group.nodes) {
    if (info(node.op).pattern != Pattern::Contraction)
      continue;
    // Products read two matrices with strides; convolutions, and the zero points of integer products, dense memory.
    const size_t strided = node.op == OpId::Matmul || node.op == OpId::MatmulInteger ? 2 : 0;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const int operand = node.operands[i];
      if (i >= strided) {
        if (!group.isInput(operand) || !group.isDense(operand))
          return false;
        continue;
      }
      const Extents &shape = group.type(operand).shape;
      auto access = accessOf(group, operand, identityMap(shape.size()), shape);
      if (!access || !access->linear.terms.empty())
        return false;
      const size_t n = shape.size();
      if (!access->linear.coefficients[n - 1].isConstant(1) && !access->linear.coefficients[n - 2].isConstant(1))
        return false;
    }
  }
  return true;
}

} // namespace pliant
