// SPDX-License-Identifier: Apache-2.0
// Type rules of constants, weights, and values that the host computes or reads.
#include "ops/rules.h"

namespace pliant::ops::source {

static Result<std::vector<TensorType>> bound(ShapeContext &c) {
  const TensorType &x = c.operand(0);
  const BindAttrs &a = c.as<BindAttrs>();
  if (!isInteger(x.dtype))
    return c.error("the operand has element type " + std::string(name(x.dtype)) + " but an integer type is needed",
                   "C1");
  const std::optional<int64_t> count = product(x.shape).constant();
  if (!count)
    return c.error("the operand has shape " + str(x.shape) + ": its number of elements must be a constant", "C1",
                   "a list on which a rank depends needs a static length");
  if (*count != static_cast<int64_t>(a.symbols.size()))
    return c.error("shape " + str(x.shape) + " has " + std::to_string(*count) + " elements but " +
                       std::to_string(a.symbols.size()) + " symbols are declared",
                   "C1");
  for (const Expr &symbol : a.symbols)
    if (!symbol.symbolName())
      return c.error(symbol.str() + " is not a bare symbol", "C1");
  return std::vector<TensorType>{x};
}

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  switch (c.op) {
  case OpId::Constant: {
    const DenseTensor &value = c.as<ConstantAttrs>().value;
    return std::vector<TensorType>{{value.dtype(), Extents(value.dims().begin(), value.dims().end())}};
  }
  case OpId::Weight:
    return std::vector<TensorType>{{c.as<WeightAttrs>().dtype, c.as<WeightAttrs>().shape}};
  case OpId::Extents: {
    const ExtentsAttrs &a = c.as<ExtentsAttrs>();
    if (a.scalar && a.values.size() != 1)
      return c.error("a scalar needs one value, not " + std::to_string(a.values.size()));
    Extents extents;
    if (!a.scalar)
      extents.emplace_back(static_cast<int64_t>(a.values.size()));
    return std::vector<TensorType>{{DType::I64, std::move(extents)}};
  }
  default:
    return bound(c);
  }
}

} // namespace pliant::ops::source
