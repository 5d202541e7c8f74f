// SPDX-License-Identifier: Apache-2.0
// nll_loss: the chosen elements by gather_elements, weighted, then folded.
#include "ops/compose.h"

namespace pliant::ops::loss {

static bool check(ValueBuilder &b, const NllLossAttrs &a, std::span<const Value> operands) {
  auto fail = [&](std::string message, const char *constraint) {
    b.fail(userError("nll_loss", std::move(message), constraint));
    return false;
  };
  if (operands.size() < 2 || operands.size() > 3)
    return fail(std::to_string(operands.size()) + " operands instead of x, targets and perhaps weights", "loss.C1");
  if (!compose::checkFloat(b, "nll_loss", "loss.C1", operands[0]))
    return false;
  const Extents &x = b.shape(operands[0]), &targets = b.shape(operands[1]);
  const std::string shapes = "x has shape " + str(x) + " but the targets have shape " + str(targets);
  if (x.size() < 2)
    return fail(shapes + ": x needs a batch and classes", "loss.C1");
  const DType index = b.dtype(operands[1]);
  bool fits = targets.size() + 1 == x.size() && (index == DType::I64 || index == DType::I32);
  for (size_t i = 0; fits && i < targets.size(); ++i)
    fits = b.facts().equal(targets[i], x[i ? i + 1 : 0]) != Proof::No;
  if (!fits)
    return fail(shapes + " of " + std::string(name(index)) + ": classes by i64 or i32 for each place are needed",
                "loss.C2");
  if (operands.size() == 3 && (b.dtype(operands[2]) != b.dtype(operands[0]) || b.rank(operands[2]) != 1 ||
                               b.facts().equal(b.shape(operands[2])[0], x[1]) == Proof::No))
    return fail("the weights are " + b.type(operands[2]).str() + " for " + x[1].str() + " classes", "loss.C3");
  if ((a.reduction != "none" && a.reduction != "sum" && a.reduction != "mean") || a.ignore.size() > 1)
    return fail("reduction \"" + a.reduction + "\", " + std::to_string(a.ignore.size()) + " ignored classes",
                "loss.C4");
  return true;
}

std::vector<Value> nllLoss(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const auto &a = std::get<NllLossAttrs>(attrs);
  if (b.failed() || !check(b, a, operands))
    return {};
  const DType dtype = b.dtype(operands[0]);
  Value x = compose::widen(b, operands[0]), targets = operands[1], ignored;
  const Extents places = b.shape(targets);
  if (!a.ignore.empty()) {
    ignored = b.equal(targets, b.scalarLike(targets, static_cast<double>(a.ignore[0])));
    targets = b.select(ignored, b.scalarLike(targets, 0), targets);
  }
  Extents column = places;
  column.insert(column.begin() + 1, Expr(1));
  Value loss = b.neg(b.reshape(b.gatherElements(x, b.reshape(targets, column), 1), places)), weight;
  if (operands.size() == 3) {
    weight = b.gather(compose::widen(b, operands[2]), targets, 0);
    loss = b.mul(loss, weight);
  }
  const Value zero = b.scalarLike(x, 0), one = b.scalarLike(x, 1);
  if (ignored) { // a select, since an infinite loss times 0 is NaN
    loss = b.select(ignored, zero, loss);
    weight = b.select(ignored, zero, weight ? weight : one);
  }
  if (a.reduction == "none")
    return {compose::castTo(b, loss, dtype)};
  const std::vector<int64_t> all = compose::axesFrom(b, loss, 0);
  Value sum = b.reduceSum(loss, all, false);
  if (a.reduction == "mean")
    sum = b.div(sum, weight ? b.reduceSum(weight, all, false)
                            : compose::extentAs(b, compose::countOf(b, loss, all), compose::wide(dtype)));
  return {compose::castTo(b, sum, dtype)};
}

} // namespace pliant::ops::loss
