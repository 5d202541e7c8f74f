// SPDX-License-Identifier: Apache-2.0
// ONNX ops that repeat elements: Expand, Tile, ConstantOfShape.
#include "ops/extent_math.h"
#include "ops/onnx_util.h"

namespace pliant::ops::broadcast_to {
using namespace onnx_import;

/// The larger of two broadcast extents where facts decide, else the symbolic broadcast.
static Expr joined(const Facts &facts, const Expr &own, const Expr &wanted) {
  if (wanted.isConstant(1) || facts.equal(own, wanted) == Proof::Yes)
    return informative(own, wanted);
  if (own.isConstant(1) || facts.equal(wanted, 1) == Proof::No)
    return wanted;
  return facts.equal(own, 1) == Proof::No ? own : broadcast(own, wanted);
}

static Status expand(NodeImport &n) {
  Value x = n.in(0);
  Extents target = n.ints(1, extentBounds, "shape");
  if (n.b.failed())
    return n.b.status();
  const Extents shape = n.b.shape(x);
  for (const Expr &extent : target)
    if (n.b.facts().bounds(extent).hi < 0)
      return n.error("the target " + str(target) + " has the negative extent " + extent.str(),
                     "write 1 for an axis that keeps its extent");
  while (target.size() < shape.size())
    target.insert(target.begin(), Expr(1));
  for (size_t i = 0; i < shape.size(); ++i) {
    Expr &wanted = target[target.size() - 1 - i];
    const Expr &own = shape[shape.size() - 1 - i];
    wanted = wanted.isConstant(1) ? own : joined(n.b.facts(), own, wanted);
  }
  n.out(target == shape ? x : n.b.broadcastTo(x, std::move(target)));
  return n.b.status();
}

/// Each repeated axis gets a new axis before it, which is broadcast and merged.
static Status repeat(NodeImport &n, Value x, const Extents &repeats) {
  if (n.b.failed())
    return n.b.status();
  const Extents shape = n.b.shape(x);
  if (repeats.size() != shape.size())
    return n.error(std::to_string(repeats.size()) + " repeats do not fit the shape " + str(shape));
  Extents split, wide, merged;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (n.b.facts().bounds(repeats[i]).hi < 0)
      return n.error("axis " + std::to_string(i) + " is repeated " + repeats[i].str() + " times");
    if (!repeats[i].isConstant(1)) {
      split.emplace_back(1);
      wide.push_back(repeats[i]);
    }
    split.push_back(shape[i]);
    wide.push_back(shape[i]);
    merged.push_back(repeats[i] * shape[i]);
  }
  n.out(split == shape ? x : n.b.reshape(n.b.broadcastTo(n.b.reshape(x, split), wide), merged));
  return n.b.status();
}

static Status tile(NodeImport &n) {
  Value x = n.in(0);
  return repeat(n, x, n.ints(1, extentBounds, "repeats"));
}

/// Version 1 repeats one axis: inputs are the number of tiles and the axis.
static Status tileAxis(NodeImport &n) {
  Value x = n.in(0);
  const Extents tiles = n.ints(1, extentBounds, "tiles");
  const std::optional<std::vector<int64_t>> axis = n.constInts(2);
  if (n.b.failed())
    return n.b.status();
  if (!axis || axis->size() != 1 || tiles.size() != 1)
    return n.unsupported("tiles or an axis that are no scalars");
  PLIANT_TRY(int64_t at, axisOf(n, axis->front(), n.b.rank(x)));
  Extents repeats(n.b.shape(x).size(), 1);
  repeats[static_cast<size_t>(at)] = tiles[0];
  return repeat(n, x, repeats);
}

static Status constantOfShape(NodeImport &n) {
  const Extents shape = n.ints(0, extentBounds, "shape");
  if (n.b.failed())
    return n.b.status();
  Value value;
  if (n.hasAttr("value")) {
    PLIANT_TRY(DenseTensor given, n.tensorAttr("value"));
    if (given.size() != 1)
      return n.error("value has " + std::to_string(given.size()) + " elements instead of 1");
    value = n.b.constant(DenseTensor::borrow(given.dtype(), {}, given.data(), std::make_shared<DenseTensor>(given)));
  } else {
    value = n.b.scalar(DType::F32, 0);
  }
  n.out(shape.empty() ? value : n.b.broadcastTo(value, shape));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"Expand", 8, expand}, {"Tile", 1, tileAxis}, {"Tile", 6, tile}, {"ConstantOfShape", 9, constantOfShape}};
  return rows;
}

} // namespace pliant::ops::broadcast_to
