// SPDX-License-Identifier: Apache-2.0
// Shape rules of scatter_elements and scatter_nd.
#include "ops/index.h"
#include "ops/rules.h"
#include <algorithm>

namespace pliant::ops::scatter {

static Status checkUpdates(ShapeContext &c, const std::string &reduction) {
  PLIANT_CHECK(indexType(c, 1, "C1"));
  const DType x = c.operand(0).dtype, updates = c.operand(2).dtype;
  if (x != updates)
    return c.error("x has element type " + std::string(name(x)) + " but updates have " + std::string(name(updates)),
                   "C5", "cast the updates");
  const char *known[] = {"none", "add", "mul", "min", "max"};
  if (std::find(std::begin(known), std::end(known), reduction) == std::end(known))
    return c.error("the reduction \"" + reduction + "\" does not exist", "C5", "use none, add, mul, min or max");
  if (!isFloat(x) && !isInteger(x) && reduction != "none")
    return c.error(std::string(name(x)) + " has no reduction \"" + reduction + "\"", "C5");
  return ok();
}
static std::string shapes(const ShapeContext &c) {
  return "x has shape " + str(c.operand(0).shape) + ", indices have " + str(c.operand(1).shape) + ", updates have " +
         str(c.operand(2).shape) + ": ";
}

/// An error where the extents differ for sure; a check at run time where that is undecided.
static Status equal(ShapeContext &c, const Expr &a, const Expr &b, const std::string &message, const char *constraint,
                    const char *hint) {
  return rules::mayEqual(c, a, b) ? ok() : Status(c.error(shapes(c) + message, constraint, hint));
}

static Status elements(ShapeContext &c, int64_t axis) {
  const Extents &x = c.operand(0).shape, &indices = c.operand(1).shape, &updates = c.operand(2).shape;
  if (x.empty() || x.size() != indices.size() || x.size() != updates.size())
    return c.error(shapes(c) + "the ranks must be equal and at least 1", "C3");
  if (axis < 0 || axis >= c.operand(0).rank())
    return c.error(shapes(c) + "there is no axis " + std::to_string(axis), "C3", "axes count from 0");
  for (size_t i = 0; i < x.size(); ++i) {
    PLIANT_CHECK(equal(c, indices[i], updates[i],
                       "extents " + indices[i].str() + " and " + updates[i].str() + " of indices and updates differ",
                       "C3", "give one index for each update"));
    if (static_cast<int64_t>(i) != axis && !rules::mayCover(c, indices[i], x[i]))
      return c.error(shapes(c) + "the indices reach beyond axis " + std::to_string(i) + " of x", "C3");
  }
  return ok();
}

static Status slices(ShapeContext &c) {
  const Extents &x = c.operand(0).shape, &indices = c.operand(1).shape, &updates = c.operand(2).shape;
  std::optional<int64_t> depth = indices.empty() ? std::nullopt : indices.back().constant();
  if (!depth || *depth < 0 || *depth > c.operand(0).rank())
    return c.error(shapes(c) + "the last axis of indices must be a constant from 0 to the rank of x", "C4");
  Extents expected(indices.begin(), indices.end() - 1);
  expected.insert(expected.end(), x.begin() + *depth, x.end());
  const std::string wanted = "updates must have shape " + str(expected);
  if (updates.size() != expected.size())
    return c.error(shapes(c) + wanted, "C4");
  for (size_t i = 0; i < expected.size(); ++i)
    PLIANT_CHECK(equal(c, updates[i], expected[i], wanted, "C4", ""));
  return ok();
}

Result<std::vector<TensorType>> shape(ShapeContext &c) {
  if (c.op == OpId::ScatterElements) {
    const auto &a = c.as<ScatterElementsAttrs>();
    PLIANT_CHECK(checkUpdates(c, a.reduction));
    PLIANT_CHECK(elements(c, a.axis));
  } else {
    PLIANT_CHECK(checkUpdates(c, c.as<ScatterNdAttrs>().reduction));
    PLIANT_CHECK(slices(c));
  }
  return std::vector<TensorType>{c.operand(0)};
}

} // namespace pliant::ops::scatter
