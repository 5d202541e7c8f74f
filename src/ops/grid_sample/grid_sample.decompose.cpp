// SPDX-License-Identifier: Apache-2.0
// grid_sample: per axis one, two or four taps, each an index and a weight; per combination of taps one gather from x
// with its spatial axes merged.
#include "ops/compose.h"

namespace pliant::ops::grid_sample {
namespace {

struct Tap {
  Value index;  ///< i64, padded into the axis
  Value weight; ///< none for nearest
  Value inside; ///< bool; none where every index is
};

class Sampler {
public:
  Sampler(ValueBuilder &b, const GridSampleAttrs &a, Value x, Value grid) : b(b), a(a), x(x), grid(grid) {}

  Value run() {
    const Extents shape = b.shape(x), places = b.shape(grid);
    const size_t axes = shape.size() - 2;
    const Extents spatial(shape.begin() + 2, shape.end());
    count = product(Extents(places.begin() + 1, places.end() - 1));
    flat = b.reshape(x, {shape[0], shape[1], product(spatial)});
    std::vector<std::vector<Tap>> taps;
    Expr stride = 1;
    for (size_t axis = axes; axis-- > 0;) {
      taps.push_back(tapsOf(coordinate(axes - 1 - axis, spatial[axis]), spatial[axis], stride));
      stride = stride * spatial[axis];
    }
    Value sum = combine(taps, 0, {});
    if (b.failed())
      return {};
    Extents result{shape[0], shape[1]};
    result.insert(result.end(), places.begin() + 1, places.end() - 1);
    return b.reshape(sum, std::move(result));
  }

private:
  ValueBuilder &b;
  const GridSampleAttrs &a;
  Value x, grid, flat;
  Expr count; ///< places per image

  Value number(DType type, double value) { return b.scalar(type, value); }
  Value extent(const Expr &e, DType type) { return compose::extentAs(b, e, type); }

  /// Positions in elements along the axis that entry `part` of the grid names: (N, 1, count).
  Value coordinate(size_t part, const Expr &size) {
    const Extents places = b.shape(grid);
    Extents starts(places.size(), 0), sizes = places;
    starts.back() = static_cast<int64_t>(part), sizes.back() = 1;
    Value c = b.slice(grid, starts, std::vector<int64_t>(places.size(), 1), sizes);
    c = compose::widen(b, b.reshape(c, {places[0], 1, count}));
    const DType type = b.dtype(c);
    Value one = number(type, 1), half = number(type, 0.5), whole = extent(size, type);
    c = b.add(c, one);
    c = a.alignCorners ? b.mul(b.mul(c, half), b.sub(whole, one)) : b.mul(b.sub(b.mul(c, whole), one), half);
    // Far away but finite: there floor and the conversion to an index are exact, and what is left over is 0.
    Value far = number(type, 1 << 30), near = b.neg(far);
    return b.select(b.isNan(c), near, b.max(b.min(c, far), near));
  }

  std::vector<Tap> tapsOf(Value at, const Expr &size, const Expr &stride) {
    if (a.mode == "nearest")
      return {padded(b.cast(b.round(at), DType::I64), {}, size, stride)};
    Value base = b.floor(at), t = b.sub(at, base), first = b.cast(base, DType::I64);
    const DType type = compose::wide(b.dtype(x));
    t = compose::castTo(b, t, type);
    Value one = number(type, 1);
    std::vector<Value> weights;
    int64_t lowest = 0;
    if (a.mode == "linear") {
      weights = {b.sub(one, t), t};
    } else {
      lowest = -1;
      auto c = [&](double v) { return number(type, v); };
      constexpr double k = -0.75;
      auto near = [&](Value d) { // ((k + 2) d - (k + 3)) d^2 + 1
        return b.add(b.mul(b.mul(b.sub(b.mul(c(k + 2), d), c(k + 3)), d), d), one);
      };
      auto beyond = [&](Value d) { // ((k d - 5 k) d + 8 k) d - 4 k
        return b.sub(b.mul(b.add(b.mul(b.sub(b.mul(c(k), d), c(5 * k)), d), c(8 * k)), d), c(4 * k));
      };
      Value rest = b.sub(one, t);
      weights = {beyond(b.add(t, one)), near(t), near(rest), beyond(b.add(rest, one))};
    }
    std::vector<Tap> taps;
    for (size_t i = 0; i < weights.size(); ++i) {
      const int64_t step = lowest + static_cast<int64_t>(i);
      Value index = step == 0 ? first : b.add(first, number(DType::I64, static_cast<double>(step)));
      taps.push_back(padded(index, weights[i], size, stride));
    }
    return taps;
  }

  Tap padded(Value index, Value weight, const Expr &size, const Expr &stride) {
    Value zero = number(DType::I64, 0), whole = extent(size, DType::I64), last = extent(size - 1, DType::I64);
    Value inside;
    if (a.padding == "zeros") {
      inside = b.logicalAnd(b.greaterEqual(index, zero), b.less(index, whole));
    } else if (a.padding == "reflection") {
      const Expr period = a.alignCorners ? max(size * 2 - 2, Expr(1)) : size * 2;
      Value folded = b.mod(index, extent(period, DType::I64));
      Value mirrored = b.sub(extent(a.alignCorners ? size * 2 - 2 : size * 2 - 1, DType::I64), folded);
      index = b.min(folded, mirrored);
    }
    index = b.max(b.min(index, last), zero);
    return {b.mul(index, extent(stride, DType::I64)), weight, inside};
  }

  /// The weighted sum over the taps of the axes from `axis` on, added to what the axes before them chose.
  Value combine(const std::vector<std::vector<Tap>> &taps, size_t axis, const Tap &chosen) {
    if (axis == taps.size())
      return element(chosen);
    Value sum;
    for (const Tap &tap : taps[axis]) {
      Tap next = tap;
      if (chosen.index)
        next.index = b.add(chosen.index, tap.index);
      if (chosen.weight)
        next.weight = b.mul(chosen.weight, tap.weight);
      if (chosen.inside)
        next.inside = b.logicalAnd(chosen.inside, tap.inside);
      Value term = combine(taps, axis + 1, next);
      sum = sum ? b.add(sum, term) : term;
    }
    return sum;
  }
  Value element(const Tap &tap) {
    if (b.failed())
      return {};
    const Extents shape = b.shape(flat);
    Value value = b.gatherElements(flat, b.broadcastTo(tap.index, {shape[0], shape[1], count}), 2);
    if (tap.weight)
      value = b.mul(compose::widen(b, value), tap.weight);
    return tap.inside ? b.select(tap.inside, value, b.scalarLike(value, 0)) : value;
  }
};

bool check(ValueBuilder &b, const GridSampleAttrs &a, Value x, Value grid) {
  auto fail = [&](std::string message, const char *constraint) {
    b.fail(userError("grid_sample", std::move(message), constraint));
    return false;
  };
  if (b.failed())
    return false;
  const Extents &shape = b.shape(x), &places = b.shape(grid);
  const std::string shapes = "x is " + b.type(x).str() + " and the grid " + b.type(grid).str();
  if ((a.mode != "nearest" && !isFloat(b.dtype(x))) || !isFloat(b.dtype(grid)))
    return fail(shapes + ": float is needed", "grid_sample.C1");
  if (shape.size() < 3 || shape.size() != places.size() ||
      b.facts().equal(places.back(), static_cast<int64_t>(shape.size()) - 2) == Proof::No)
    return fail(shapes + ": equal ranks are needed and one coordinate per spatial axis", "grid_sample.C2");
  if (b.facts().equal(shape[0], places[0]) == Proof::No)
    return fail(shapes + ": the batches differ", "grid_sample.C3");
  if ((a.mode != "nearest" && a.mode != "linear" && a.mode != "cubic") ||
      (a.padding != "zeros" && a.padding != "border" && a.padding != "reflection"))
    return fail("mode \"" + a.mode + "\" with padding \"" + a.padding + "\" does not exist", "grid_sample.C4");
  return true;
}

} // namespace

std::vector<Value> gridSample(ValueBuilder &b, const Attrs &attrs, std::span<const Value> operands) {
  const auto &a = std::get<GridSampleAttrs>(attrs);
  if (!check(b, a, operands[0], operands[1]))
    return {};
  Value y = Sampler(b, a, operands[0], operands[1]).run();
  return {compose::castTo(b, y, b.dtype(operands[0]))};
}

} // namespace pliant::ops::grid_sample
