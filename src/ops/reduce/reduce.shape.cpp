// SPDX-License-Identifier: Apache-2.0
// Shape rule of the folds over axes, and the known content of products.
#include "ops/rules.h"
#include <algorithm>

namespace pliant::ops::reduce {

template <class A> static Result<std::vector<TensorType>> fold(ShapeContext &c, const A &a) {
  const TensorType &x = c.operand(0);
  if (x.dtype == DType::Bool)
    return c.error("x has element type bool", "C2", "cast it to a number first");
  std::vector<bool> folded(x.shape.size());
  for (int64_t axis : a.axes) {
    if (axis < 0 || axis >= x.rank())
      return c.error("axis " + std::to_string(axis) + " is outside x of shape " + str(x.shape), "C1",
                     "axes count from 0");
    if (folded[axis])
      return c.error("axis " + std::to_string(axis) + " occurs twice", "C1");
    folded[axis] = true;
  }
  Extents extents;
  for (size_t i = 0; i < folded.size(); ++i)
    if (!folded[i])
      extents.push_back(x.shape[i]);
    else if (a.keepDims)
      extents.push_back(1);
  return std::vector<TensorType>{{x.dtype, std::move(extents)}};
}

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  return std::visit(
      [&](const auto &a) -> Result<std::vector<TensorType>> {
        if constexpr (requires { a.axes; })
          return fold(c, a);
        else
          return internalError("reduce", "attributes of another op");
      },
      c.attrs);
}

std::optional<Content> content(ContentContext &c) {
  const auto &a = c.as<ReduceProdAttrs>();
  if (!c.contents[0] || c.result.dtype == DType::Bool)
    return std::nullopt;
  // Row-major strides of the result, 0 along folded axes.
  const Extents &shape = c.operands[0].shape;
  std::vector<int64_t> extents(shape.size()), steps(shape.size(), 0);
  int64_t size = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    std::optional<int64_t> extent = shape[i].constant();
    if (!extent)
      return std::nullopt;
    extents[i] = *extent;
    if (std::find(a.axes.begin(), a.axes.end(), static_cast<int64_t>(i)) == a.axes.end()) {
      steps[i] = size;
      if (__builtin_mul_overflow(size, *extent, &size) || size > contentLimit) // of nothing there may be any number
        return std::nullopt;
    }
  }
  Content products(static_cast<size_t>(size), Expr(1));
  for (size_t flat = 0; flat < c.contents[0]->size(); ++flat) {
    int64_t rest = static_cast<int64_t>(flat), to = 0;
    for (size_t i = shape.size(); i-- > 0; rest /= extents[i])
      to += rest % extents[i] * steps[i];
    products[to] = products[to] * (*c.contents[0])[flat];
  }
  return products;
}

} // namespace pliant::ops::reduce
