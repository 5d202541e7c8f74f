// SPDX-License-Identifier: Apache-2.0
// Type rules of ops on strings.
#include "ops/rules.h"

namespace pliant::ops::text {

static Status isText(const ShapeContext &c, size_t operand) {
  const DType type = c.operand(operand).dtype;
  return type == DType::String ? ok()
                               : Status(c.error("operand " + std::to_string(operand) + " has element type " +
                                                    std::string(name(type)) + " but string is needed",
                                                "C1"));
}

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &x = c.operand(0);
  switch (c.op) {
  case OpId::FormatText:
    if (x.dtype == DType::String)
      return c.error("the operand is a string already", "C1");
    return std::vector<TensorType>{{DType::String, x.shape}};
  case OpId::ParseText: {
    PLIANT_CHECK(isText(c, 0));
    const DType to = c.as<ParseTextAttrs>().dtype;
    if (to == DType::String)
      return c.error("the texts are strings already", "C1");
    return std::vector<TensorType>{{to, x.shape}};
  }
  case OpId::TextCase:
    PLIANT_CHECK(isText(c, 0));
    return std::vector<TensorType>{x};
  default:
    PLIANT_CHECK(isText(c, 0));
    PLIANT_CHECK(isText(c, 1));
    PLIANT_TRY(Extents extents, rules::broadcast(c, x.shape, c.operand(1).shape, "C2"));
    return std::vector<TensorType>{{c.op == OpId::TextEqual ? DType::Bool : DType::String, std::move(extents)}};
  }
}

} // namespace pliant::ops::text
