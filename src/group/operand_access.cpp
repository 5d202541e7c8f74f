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
      if (group.isInput(x)) {
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
    linear = linearize(map, rowMajor(group.type(value).shape), domain.size());
  return OperandAccess{value, *linear};
}

} // namespace pliant
