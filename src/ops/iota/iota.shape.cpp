// SPDX-License-Identifier: Apache-2.0
// Type and content rules of iota.
#include "ops/content.h"
#include "ops/rules.h"

namespace pliant::ops::iota {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const IotaAttrs &a = c.as<IotaAttrs>();
  if (a.shape.size() != 1 || c.facts.bounds(a.shape[0]).hi < 0)
    return c.error("shape " + str(a.shape) + " must be one extent that is not negative", "C1");
  if (a.dtype == DType::Bool || a.dtype == DType::String)
    return c.error("element type " + std::string(name(a.dtype)) + " cannot count", "C1");
  if (c.facts.bounds(a.shape[0]).lo < 0)
    c.require(min(a.shape[0], 0), 0, false);
  return std::vector<TensorType>{{a.dtype, a.shape}};
}

std::optional<Content> content(ContentContext &c) {
  Content elements;
  const int64_t count = c.result.shape[0].constant().value_or(0);
  if (byteSize(c.result.dtype) == 1 && count > 127)
    return std::nullopt;
  for (int64_t i = 0; i < count; ++i)
    elements.emplace_back(i);
  return elements;
}

} // namespace pliant::ops::iota
