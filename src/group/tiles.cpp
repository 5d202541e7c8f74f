// SPDX-License-Identifier: Apache-2.0
// Which contractions have a kernel of register tiles.
#include "group/tiles.h"
#include <algorithm>

namespace pliant {

bool hasTiles(OpId op, const Attrs &attrs, std::span<const TensorType> operands) {
  if (op == OpId::MatmulInteger)
    return true;
  if (op != OpId::ConvInteger && !isFloat(operands[0].dtype))
    return false;
  if (op == OpId::Matmul)
    return true;
  const bool channelsLast = std::visit(
      [](const auto &a) {
        if constexpr (requires { a.channelsLast; })
          return a.channelsLast;
        else
          return false;
      },
      attrs);
  const Extents &filters = operands[1].shape;
  return channelsLast && filters.size() <= 4 &&
         std::all_of(filters.begin(), filters.end(), [](const Expr &e) { return e.constant().has_value(); });
}

} // namespace pliant
