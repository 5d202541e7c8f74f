// SPDX-License-Identifier: Apache-2.0
// ONNX ops that give the same elements other extents: Reshape, Flatten, Squeeze, Unsqueeze, and the two that move
// blocks between channels and space.
#include "ops/extent_math.h"
#include "ops/onnx_list.h"
#include "ops/onnx_run_axes.h"
#include <algorithm>

namespace pliant::ops::reshape {
using namespace onnx_import;

/// A target read at run time: each element may turn out 0 (copy the input's extent) or -1 (infer). Small tensor
/// arithmetic decides both, and the host reads the outcome. A -1 beside extents that multiply to 0 divides by zero,
/// which is the error it should be. Extents that are copied take no part in the division.
static Extents runTimeTarget(NodeImport &n, Value target, size_t rank, Extents from, bool allowZero) {
  ValueBuilder &b = n.b;
  const Value zero = b.scalar(DType::I64, 0), one = b.scalar(DType::I64, 1), negative = b.scalar(DType::I64, -1);
  Value wanted = b.dtype(target) == DType::I64 ? target : b.cast(target, DType::I64);
  const Value open = b.equal(wanted, negative), opens = b.reduceSum(b.cast(open, DType::I64), {0}, false);
  (void)b.bind(opens, {0, 1}, "the number of -1");
  Value count = b.extents({product(from)}, true), rest = b.select(open, one, wanted);
  if (!allowZero) {
    const Value copied = b.equal(wanted, zero);
    const size_t own = std::min(rank, from.size());
    const Expr beyond = product(Extents(from.begin() + static_cast<int64_t>(own), from.end()));
    from.resize(rank, 1);
    count = b.mul(b.reduceProd(b.select(copied, one, b.extents(from)), {0}, false), b.extents({beyond}, true));
    std::fill(from.begin() + static_cast<int64_t>(own), from.end(), Expr(-2)); // nothing to copy there: no extent
    rest = b.select(copied, one, rest);
    wanted = b.select(copied, b.extents(from), wanted);
  }
  rest = b.reduceProd(rest, {0}, false);
  if (allowZero) {
    const Value nothing = b.equal(rest, zero);
    (void)b.bind(b.mul(opens, b.cast(nothing, DType::I64)), {0, 0}, "the number of -1 beside a 0 under allowzero=1");
    rest = b.select(nothing, one, rest);
  }
  Value inferred = b.div(count, b.max(rest, b.sub(one, opens)));
  (void)b.bind(b.mul(opens, b.sub(count, b.mul(inferred, rest))), {0, 0}, "the rest of the division for -1");
  return b.bind(b.select(open, inferred, wanted), extentBounds, "an extent of the shape");
}

/// Known elements: literals are 0, -1 or extents, symbolic ones are extents.
static Result<Extents> knownTarget(NodeImport &n, const Extents &from, Extents target, bool allowZero) {
  std::optional<size_t> infer;
  bool zero = false;
  Expr count = 1, rest = 1; // of what is not copied: it would be 0 / 0 for an empty input
  for (size_t i = target.size(); i < from.size(); ++i)
    count = count * from[i];
  for (size_t i = 0; i < target.size(); ++i) {
    const std::optional<int64_t> literal = target[i].constant();
    if (literal == 0 && !allowZero) {
      if (i >= from.size())
        return n.error("the 0 at position " + std::to_string(i) + " of the target " + str(target) +
                           " copies an extent that the input's shape " + str(from) + " does not have",
                       "set allowzero=1 where an extent of 0 is meant");
      target[i] = from[i];
      continue;
    }
    if (i < from.size())
      count = count * from[i];
    if (literal != -1)
      rest = rest * target[i];
    if (literal == 0) {
      zero = true;
    } else if (literal == -1) {
      if (infer)
        return n.error("the target " + str(target) + " has more than one -1");
      infer = i;
    } else if (literal && *literal < 0) {
      return n.error("the target " + str(target) + " has the negative extent " + std::to_string(*literal));
    }
  }
  if (!infer)
    return target;
  if (zero)
    return n.error("the target " + str(target) + " has both 0 and -1 under allowzero=1");
  const std::string cannot = "cannot infer the -1 of " + str(target) + " from shape " + str(from) + ": ";
  if (rest.isConstant(0))
    return n.error(cannot + "the other extents multiply to 0");
  if (count.constant() && rest.constant() && *count.constant() % *rest.constant() != 0)
    return n.error(cannot + rest.str() + " does not divide " + count.str());
  target[*infer] = quotient(n.b.facts(), count, rest);
  return target;
}

static Status reshapeTo(NodeImport &n, Value x, Extents target) {
  if (n.b.failed())
    return n.b.status();
  PLIANT_TRY(target, knownTarget(n, n.b.shape(x), std::move(target), n.intAttr("allowzero", 0) != 0));
  n.out(n.b.reshape(x, std::move(target)));
  return n.b.status();
}

static Status reshapeByAttribute(NodeImport &n) {
  std::optional<std::vector<int64_t>> target = n.intsAttr("shape");
  if (!target)
    return n.error("the attribute shape is missing");
  return reshapeTo(n, n.in(0), Extents(target->begin(), target->end()));
}

static Status reshapeByInput(NodeImport &n) {
  Value x = n.in(0), target = n.in(1);
  if (n.b.failed())
    return n.b.status();
  if (const Content *known = n.b.content(target))
    return reshapeTo(n, x, *known);
  const std::optional<int64_t> rank = listLength(n, target);
  if (!rank)
    return n.error("the target has shape " + str(n.b.shape(target)) + ": its length, the rank, must be known");
  Extents extents = runTimeTarget(n, target, static_cast<size_t>(*rank), n.b.shape(x), n.intAttr("allowzero", 0) != 0);
  n.out(n.b.reshape(x, std::move(extents)));
  return n.b.status();
}

static Status flatten(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  const Extents shape = n.b.shape(x);
  const int64_t rank = n.b.rank(x), given = n.intAttr("axis", 1), axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis > rank)
    return n.error("axis " + std::to_string(given) + " is out of range for rank " + std::to_string(rank));
  n.out(n.b.reshape(
      x, {product(Extents(shape.begin(), shape.begin() + axis)), product(Extents(shape.begin() + axis, shape.end()))}));
  return n.b.status();
}

/// The number of axes in a run-time list, on which the rank depends.
static Result<int64_t> countOfAxes(NodeImport &n, Value axes) {
  if (n.b.failed())
    return int64_t(0);
  const std::optional<int64_t> count = listLength(n, axes);
  if (!count)
    return n.unsupported("a number of axes known only at run time, on which the rank of the result depends,");
  return *count;
}

static Status squeezeBy(NodeImport &n, Value x, Value axes) {
  ValueBuilder &b = n.b;
  PLIANT_TRY(int64_t count, countOfAxes(n, axes));
  const Extents shape = b.shape(x);
  const int64_t rank = b.rank(x);
  if (count > rank)
    return n.error(std::to_string(count) + " axes for shape " + str(shape));
  if (count == 0 || b.failed()) {
    n.out(x);
    return b.status();
  }
  (void)b.bind(b.gather(b.extents(shape), axes, 0), {1, 1}, "an axis to squeeze");
  n.out(b.reshape(x, keptExtents(b, shape, namedAxes(b, axes, rank), rank - count)));
  return b.status();
}

static Status unsqueezeBy(NodeImport &n, Value x, Value axes) {
  ValueBuilder &b = n.b;
  PLIANT_TRY(int64_t count, countOfAxes(n, axes));
  const Extents shape = b.shape(x);
  const int64_t rank = b.rank(x), wide = rank + count;
  if (count == 0 || b.failed()) {
    n.out(x);
    return b.status();
  }
  Value extents = b.scalar(DType::I64, 1);
  if (rank > 0) {
    Value named = namedAxes(b, axes, wide);
    Value from = b.cumsum(b.cast(b.logicalNot(named), DType::I64), 0, true, false); // how many axes of x came before
    from = b.min(from, b.scalar(DType::I64, static_cast<double>(rank - 1)));
    extents = b.select(named, extents, b.gather(b.extents(shape), from, 0));
  } else {
    extents = b.broadcastTo(extents, {wide});
  }
  n.out(b.reshape(x, b.bind(extents, extentBounds, "unsqueezed")));
  return b.status();
}

/// Without axes, the extents that are 1 for every input go: a symbol that happens to be 1 stays.
static Status squeeze(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  const Extents shape = n.b.shape(x);
  if (n.has(1) && !n.constInts(1))
    return squeezeBy(n, x, n.in(1));
  PLIANT_TRY(std::optional<std::vector<int64_t>> axes, constList(n, "axes", 1));
  PLIANT_TRY(std::vector<bool> drop, axisSet(n, axes.value_or(std::vector<int64_t>{}), n.b.rank(x)));
  Extents target;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool isOne = n.b.facts().equal(shape[i], 1) == Proof::Yes;
    if (axes && drop[i] && n.b.facts().equal(shape[i], 1) == Proof::No)
      return n.error("axis " + std::to_string(i) + " of shape " + str(shape) + " is not 1");
    if (axes ? !drop[i] : !isOne)
      target.push_back(shape[i]);
  }
  n.out(n.b.reshape(x, std::move(target)));
  return n.b.status();
}

static Status unsqueeze(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  const Extents shape = n.b.shape(x);
  if (n.has(1) && !n.constInts(1))
    return unsqueezeBy(n, x, n.in(1));
  PLIANT_TRY(std::optional<std::vector<int64_t>> axes, constList(n, "axes", 1));
  if (!axes)
    return n.error("the axes are missing");
  PLIANT_TRY(std::vector<bool> added, axisSet(n, *axes, n.b.rank(x) + static_cast<int64_t>(axes->size())));
  Extents target;
  for (size_t i = 0, from = 0; i < added.size(); ++i)
    target.push_back(added[i] ? Expr(1) : shape[from++]);
  n.out(n.b.reshape(x, std::move(target)));
  return n.b.status();
}

static Status blockShape(NodeImport &n, Value x, int64_t &block, Extents &shape) {
  block = n.intAttr("blocksize", 0);
  if (n.b.failed())
    return n.b.status();
  shape = n.b.shape(x);
  if (shape.size() != 4 || block < 1 || block > 65536)
    return n.error("input of shape " + str(shape) + " with blocksize " + std::to_string(block) +
                   ": rank 4 and a positive size are needed");
  return ok();
}

static Status depthToSpace(NodeImport &n) {
  Value x = n.in(0);
  int64_t k = 0;
  Extents s;
  PLIANT_CHECK(blockShape(n, x, k, s));
  const Expr channels = quotient(n.b.facts(), s[1], k * k);
  const bool columnsFirst = n.strAttr("mode", "DCR") == "CRD";
  Value split = columnsFirst ? n.b.reshape(x, {s[0], channels, k, k, s[2], s[3]})
                             : n.b.reshape(x, {s[0], k, k, channels, s[2], s[3]});
  Value moved = n.b.transpose(split, columnsFirst ? std::vector<int64_t>{0, 1, 4, 2, 5, 3}
                                                  : std::vector<int64_t>{0, 3, 4, 1, 5, 2});
  n.out(n.b.reshape(moved, {s[0], channels, s[2] * k, s[3] * k}));
  return n.b.status();
}

static Status spaceToDepth(NodeImport &n) {
  Value x = n.in(0);
  int64_t k = 0;
  Extents s;
  PLIANT_CHECK(blockShape(n, x, k, s));
  const Expr rows = quotient(n.b.facts(), s[2], k), columns = quotient(n.b.facts(), s[3], k);
  Value moved = n.b.transpose(n.b.reshape(x, {s[0], s[1], rows, k, columns, k}), {0, 3, 5, 1, 2, 4});
  n.out(n.b.reshape(moved, {s[0], s[1] * (k * k), rows, columns}));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"Reshape", 1, reshapeByAttribute},
      {"Reshape", 5, reshapeByInput},
      {"Flatten", 1, flatten},
      {"Squeeze", 1, squeeze},
      {"Unsqueeze", 1, unsqueeze},
      {"DepthToSpace", 1, depthToSpace},
      {"SpaceToDepth", 1, spaceToDepth},
  };
  return rows;
}

} // namespace pliant::ops::reshape
