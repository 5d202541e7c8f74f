// SPDX-License-Identifier: Apache-2.0
// Type and content rules of conversions.
#include "ops/content.h"
#include "ops/rules.h"

namespace pliant::ops::cast {

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  if (c.as<CastAttrs>().dtype == DType::String)
    return c.error("a cast gives numbers, not strings", "", "format_text gives strings");
  return std::vector<TensorType>{{c.as<CastAttrs>().dtype, c.operand(0).shape}};
}

static Interval range(DType type) {
  if (type == DType::U64)
    return {0, INT64_MAX};
  if (type == DType::I64)
    return {};
  const int bits = static_cast<int>(byteSize(type)) * 8;
  return isSigned(type) ? Interval{-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1}
                        : Interval{0, (int64_t(1) << bits) - 1};
}

std::optional<Content> content(ContentContext &c) {
  const DType to = c.result.dtype;
  return elementwise(c, [&](std::span<const Expr> x) -> std::optional<Expr> {
    const Interval known = c.facts.bounds(x[0]);
    if (to == DType::Bool) {
      const Proof zero = c.facts.equal(x[0], 0);
      return zero == Proof::Unknown ? std::nullopt : std::optional(Expr(zero == Proof::No ? 1 : 0));
    }
    const Interval fits = range(to);
    const bool proved = known.lo >= fits.lo && known.hi <= fits.hi;
    // Exporters compute extents in 32 bits: what is not proved to overflow is taken to fit (see symbolicType).
    const bool assumed = to == DType::I32 && !x[0].constant() && known.lo <= fits.hi && known.hi >= fits.lo;
    return proved || assumed ? std::optional(x[0]) : std::nullopt;
  });
}

} // namespace pliant::ops::cast
