// SPDX-License-Identifier: Apache-2.0
// Shape rule of resize.
#include "ops/resize/resize_attrs.h"
#include "ops/rules.h"
#include <algorithm>

namespace pliant::ops::resize {

static bool oneOf(const std::string &text, std::initializer_list<const char *> known) {
  return std::find(known.begin(), known.end(), text) != known.end();
}

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  const TensorType &x = c.operand(0);
  const bool open = c.op == OpId::ResizeBy;
  const ResizeAttrs a = open ? attrsOf(c.as<ResizeByAttrs>(), x.shape.size()) : c.as<ResizeAttrs>();
  if (open) {
    const TensorType &factors = c.operand(1);
    const int64_t needed = x.rank() * (crops(a.coordinates) ? 3 : 1);
    if (factors.dtype != DType::F64 || factors.rank() != 1 || !rules::mayEqual(c, factors.shape[0], needed))
      return c.error("factors are " + factors.str() + " but a list of " + std::to_string(needed) + " f64 is needed",
                     "C5");
  }
  if (a.mode != "nearest" && !isFloat(x.dtype))
    return c.error("mode \"" + a.mode + "\" needs a float element type but x has " + std::string(name(x.dtype)), "C1",
                   "cast x, or use nearest");
  if (a.sizes.size() != x.shape.size() || a.scales.size() != x.shape.size())
    return c.error("x has shape " + str(x.shape) + " but there are " + std::to_string(a.sizes.size()) + " sizes and " +
                       std::to_string(a.scales.size()) + " scales",
                   "C2", "give one size and one scale (or 0) for each axis");
  for (size_t i = 0; i < a.sizes.size(); ++i) {
    if (c.facts.bounds(a.sizes[i]).hi < 0)
      return c.error("the size " + a.sizes[i].str() + " of axis " + std::to_string(i) + " is negative", "C2");
    if (!(a.scales[i] >= 0))
      return c.error("the scale of axis " + std::to_string(i) + " is not positive", "C2");
  }
  if (!oneOf(a.mode, {"nearest", "linear", "cubic"}))
    return c.error("the mode \"" + a.mode + "\" does not exist", "C3", "use nearest, linear or cubic");
  if (!oneOf(a.coordinates, {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "tf_crop_and_resize",
                             "tf_half_pixel_for_nn"}))
    return c.error("the coordinates \"" + a.coordinates + "\" do not exist", "C3");
  if (a.mode == "nearest" && !oneOf(a.rounding, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}))
    return c.error("the rounding \"" + a.rounding + "\" does not exist", "C3");
  if (a.roi.size() != (a.coordinates == "tf_crop_and_resize" ? 2 * x.shape.size() : 0))
    return c.error("roi has " + std::to_string(a.roi.size()) + " entries", "C3",
                   "give two entries per axis for tf_crop_and_resize, else none");
  return std::vector<TensorType>{{x.dtype, a.sizes}};
}

} // namespace pliant::ops::resize
