// SPDX-License-Identifier: Apache-2.0
// The functions that NumPy has by these names, made of ops.
#include "pliant/functions.h"
#include "api/promote.h"
#include "api/record.h"
#include <algorithm>

namespace pliant {

using namespace api;

namespace {

Tensor made(const trace::Handle &value) { return Access::make(value); }
/// Two operands of one element type, at least `floats` if it says so.
struct Pair {
  Operands<2> in;
  Pair(const Operand &lhs, const Operand &rhs, bool floats = false) : in({&lhs, &rhs}, 3, floats) {}
  DType dtype() const { return in[0]->dtype; }
  template <class A> Tensor op(const A &attrs) const { return recorded(attrs, in); }
};

template <class Logical, class Bitwise> Tensor bitwise(const char *op, const Operand &lhs, const Operand &rhs) {
  const Pair pair(lhs, rhs);
  if (pair.dtype() == DType::Bool)
    return pair.op(Logical{});
  if (isFloat(pair.dtype()))
    raise(op, "elements of " + std::string(name(pair.dtype())) + ": bool or integers are needed", lhs.site);
  return pair.op(Bitwise{});
}

DType unsignedOf(DType type) {
  switch (type) {
  case DType::I64:
    return DType::U64;
  case DType::I32:
    return DType::U32;
  case DType::I16:
    return DType::U16;
  case DType::I8:
    return DType::U8;
  default:
    return type;
  }
}

/// The operand as a tensor, numbers with the type of their own.
struct One {
  Operands<1> in;
  explicit One(const Operand &x) : in({&x}, 0, false) {}
  std::span<const int64_t> dims() const { return in[0]->dims(); }
  int64_t rank() const { return in[0]->rank; }
  Site site() const { return in.site(); }
  trace::Handle value() const {
    trace::retain(in[0]);
    return trace::Handle(in[0]);
  }
  template <class A> Tensor op(const A &attrs) const { return recorded(attrs, in); }
  Tensor shaped(std::span<const int64_t> dims) const { return op(ReshapeAttrs{Extents(dims.begin(), dims.end())}); }
};

Shape shapeOf(const One &x) { return {x.dims().begin(), x.dims().end()}; }

/// x[begin:begin+size] along the axis.
Tensor part(const One &x, int64_t axis, int64_t begin, int64_t size) {
  const auto dims = x.dims();
  SliceAttrs attrs{Extents(dims.size()), std::vector<int64_t>(dims.size(), 1), Extents(dims.begin(), dims.end())};
  attrs.starts[static_cast<size_t>(axis)] = begin;
  attrs.sizes[static_cast<size_t>(axis)] = size;
  return x.op(attrs);
}

Tensor joined(const char *op, std::span<const Tensor> tensors, int64_t axis, Site site) {
  const auto values = valuesOf(op, tensors, true, site);
  const auto nodes = nodesOf(values);
  return recordedAll<1>(ConcatAttrs{axisOf(op, axis, values.front()->rank, site)}, nodes, site)[0];
}

} // namespace

Tensor operator/(const Operand &lhs, const Operand &rhs) { return trueDivide(lhs, rhs); }
Tensor operator%(const Operand &lhs, const Operand &rhs) { return remainder(lhs, rhs); }
Tensor operator&(const Operand &lhs, const Operand &rhs) {
  return bitwise<LogicalAndAttrs, BitAndAttrs>("&", lhs, rhs);
}
Tensor operator|(const Operand &lhs, const Operand &rhs) { return bitwise<LogicalOrAttrs, BitOrAttrs>("|", lhs, rhs); }
Tensor operator^(const Operand &lhs, const Operand &rhs) {
  return bitwise<LogicalXorAttrs, BitXorAttrs>("^", lhs, rhs);
}
Tensor operator~(const Operand &x) {
  const One one(x);
  if (one.in[0]->dtype == DType::Bool)
    return one.op(LogicalNotAttrs{});
  if (isUnsigned(one.in[0]->dtype))
    return x ^ Operand(UINT64_MAX >> (64 - 8 * byteSize(one.in[0]->dtype)), x.site);
  return x ^ Operand(-1, x.site);
}

Tensor operator<<(const Operand &lhs, const Operand &rhs) {
  const Pair pair(lhs, rhs);
  const DType type = pair.dtype(), bits = unsignedOf(type);
  if (type == bits)
    return pair.op(ShiftLeftAttrs{});
  const auto x = record(CastAttrs{bits}, {pair.in[0]}, lhs.site),
             count = record(CastAttrs{bits}, {pair.in[1]}, lhs.site);
  return made(record(CastAttrs{type}, {record(ShiftLeftAttrs{}, {x.get(), count.get()}, lhs.site).get()}, lhs.site));
}

Tensor operator>>(const Operand &lhs, const Operand &rhs) {
  const Pair pair(lhs, rhs);
  const DType type = pair.dtype(), bits = unsignedOf(type);
  if (type == bits)
    return pair.op(ShiftRightAttrs{});
  // Of a negative number the complement is shifted, so that ones come in from the left.
  const Site site = lhs.site;
  const auto zero = Access::scalar(type, Operand(0, site)), ones = Access::scalar(type, Operand(-1, site));
  const auto negative = record(LessAttrs{}, {pair.in[0], zero.get()}, site);
  auto flipped = [&](trace::Node *x) {
    return record(SelectAttrs{}, {negative.get(), record(BitXorAttrs{}, {x, ones.get()}, site).get(), x}, site);
  };
  const auto x = api::cast(flipped(pair.in[0]), bits, site), count = record(CastAttrs{bits}, {pair.in[1]}, site);
  const auto shifted = api::cast(record(ShiftRightAttrs{}, {x.get(), count.get()}, site), type, site);
  return made(flipped(shifted.get()));
}

Tensor trueDivide(const Operand &lhs, const Operand &rhs) {
  auto isReal = [](const Operand &x) { return x.tensor ? isFloat(x.tensor->dtype()) : x.kind == Operand::Kind::Real; };
  if (isReal(lhs) || isReal(rhs))
    return Pair(lhs, rhs).op(DivAttrs{});
  // In f64 from the start: a number need not fit the integers beside it.
  auto wide = [](const Operand &x) {
    return x.tensor ? api::cast(Access::value(*x.tensor, x.site), DType::F64, x.site) : Access::scalar(DType::F64, x);
  };
  return made(record(DivAttrs{}, {wide(lhs).get(), wide(rhs).get()}, lhs.site));
}

namespace {
/// fmod, and whether its sign is not that of the divisor.
struct Remainder {
  Tensor x, y, rest, other;
  explicit Remainder(const Pair &pair)
      : x(Access::make(shared(pair.in[0]))), y(Access::make(shared(pair.in[1]))), rest(pair.op(FmodAttrs{})),
        other(unlike(rest, y, pair.in.site())) {}
  static Tensor unlike(const Tensor &rest, const Tensor &y, Site site) {
    const Operand zero(0, site);
    const Tensor below = Operand(y, site) < zero, under = Operand(rest, site) < zero, any = Operand(rest, site) != zero;
    const Tensor differ = Operand(below, site) != Operand(under, site);
    return Operand(any, site) & Operand(differ, site);
  }
  static trace::Handle shared(trace::Node *node) {
    trace::retain(node);
    return trace::Handle(node);
  }
};
} // namespace

Tensor floorDivide(const Operand &lhs, const Operand &rhs) {
  const Pair pair(lhs, rhs);
  if (!isFloat(pair.dtype())) {
    const auto rest = record(ModAttrs{}, {pair.in[0], pair.in[1]}, lhs.site);
    return made(
        record(DivAttrs{}, {record(SubAttrs{}, {pair.in[0], rest.get()}, lhs.site).get(), pair.in[1]}, lhs.site));
  }
  const Remainder r(pair);
  const At at{lhs.site};
  const Tensor multiple = at(r.x) - at(r.rest), quotient = at(multiple) / at(r.y), less = at(quotient) - at(1);
  const Tensor below = where(at(r.other), at(less), at(quotient)), whole = floor(at(below));
  const Tensor over = at(below) - at(whole), more = at(whole) + at(1), round = at(over) > at(0.5);
  const Tensor near = where(at(round), at(more), at(whole));
  // A zero has the sign that the division gives it.
  const Tensor exact = at(r.x) / at(r.y), zero = at(exact) * at(0.0), none = at(below) == at(0),
               byZero = at(r.y) == at(0);
  const Tensor signedNear = where(at(none), at(zero), at(near));
  return where(at(byZero), at(exact), at(signedNear));
}

Tensor remainder(const Operand &lhs, const Operand &rhs) {
  const Pair pair(lhs, rhs);
  if (!isFloat(pair.dtype()))
    return pair.op(ModAttrs{});
  const Remainder r(pair);
  const At at{lhs.site};
  const Tensor moved = at(r.rest) + at(r.y), none = at(r.rest) == at(0), below = at(r.y) < at(0);
  const Tensor size = abs(at(r.rest)), zero = at(size) * at(0.0), signedZero = where(at(below), at(-0.0), at(zero));
  const Tensor kept = where(at(none), at(signedZero), at(r.rest));
  return where(at(r.other), at(moved), at(kept));
}

Tensor square(const Operand &x) { return mul(x, x); }
Tensor rsqrt(const Operand &x) { return reciprocal(Operand(sqrt(x), x.site)); }
Tensor clip(const Operand &x, const Operand &low, const Operand &high) {
  return min(Operand(max(x, low), x.site), high);
}

static Tensor summedUp(const Operand &x, const Axes &axes, bool keepDims, bool product) {
  const One one(x);
  const Tensor wide = made(api::cast(one.value(), summed(one.in[0]->dtype), x.site));
  const Operand operand(wide, Site(x.site));
  return product ? reduceProd(operand, axes, keepDims) : reduceSum(operand, axes, keepDims);
}
Tensor sum(const Operand &x, Axes axes, bool keepDims) { return summedUp(x, axes, keepDims, false); }
Tensor prod(const Operand &x, Axes axes, bool keepDims) { return summedUp(x, axes, keepDims, true); }

static Tensor real(const Operand &x) {
  const One one(x);
  const DType type = one.in[0]->dtype;
  return isFloat(type) ? made(one.value()) : one.op(CastAttrs{DType::F64});
}
Tensor mean(const Operand &x, Axes axes, bool keepDims) {
  return reduceMean(Operand(real(x), Site(x.site)), axes, keepDims);
}
Tensor var(const Operand &x, Axes axes, bool keepDims) {
  const At at{x.site};
  const Tensor value = real(x), middle = mean(at(value), axes, true), apart = at(value) - at(middle);
  return mean(at(square(at(apart))), axes, keepDims);
}

Tensor stddev(const Operand &x, Axes axes, bool keepDims) {
  return sqrt(Operand(var(x, std::move(axes), keepDims), Site(x.site)));
}

static void notEmpty(const char *op, const One &x, const Axes &axes) {
  for (int64_t axis : foldedAxes(op, axes, x.rank(), x.site()))
    if (x.dims()[static_cast<size_t>(axis)] == 0)
      raise(op, "shape " + str(shapeOf(x)) + " has no element to give along axis " + std::to_string(axis), x.site());
}
/// Whether elements are not 0, as 0 and 1.
static Tensor truth(const Operand &x) {
  const Tensor set = cast(x, DType::Bool);
  return cast(Operand(set, x.site), DType::U8);
}
Tensor amax(const Operand &x, Axes axes, bool keepDims) {
  const One one(x);
  notEmpty("amax", one, axes);
  if (one.in[0]->dtype == DType::Bool)
    return any(x, axes, keepDims);
  return reduceMax(x, axes, keepDims);
}
Tensor amin(const Operand &x, Axes axes, bool keepDims) {
  const One one(x);
  notEmpty("amin", one, axes);
  if (one.in[0]->dtype == DType::Bool)
    return all(x, axes, keepDims);
  return reduceMin(x, axes, keepDims);
}
Tensor all(const Operand &x, Axes axes, bool keepDims) {
  const Tensor set = truth(x);
  return cast(Operand(reduceMin(Operand(set, x.site), axes, keepDims), x.site), DType::Bool);
}
Tensor any(const Operand &x, Axes axes, bool keepDims) {
  const Tensor set = truth(x);
  return cast(Operand(reduceMax(Operand(set, x.site), axes, keepDims), x.site), DType::Bool);
}

/// The folded axes as one, the last one; then the op along it.
static Tensor positions(const char *name, const Operand &x, const Axes &axes, bool keepDims, bool largest) {
  const One one(x);
  const std::vector<int64_t> folded = foldedAxes(name, axes, one.rank(), x.site);
  notEmpty(name, one, axes);
  std::vector<int64_t> order;
  Shape kept, result;
  int64_t count = 1;
  for (int64_t axis = 0; axis < one.rank(); ++axis) {
    const int64_t extent = one.dims()[static_cast<size_t>(axis)];
    const bool folds = std::ranges::count(folded, axis) > 0;
    if (folds)
      count *= extent;
    else
      order.push_back(axis), kept.push_back(extent);
    if (!folds || keepDims)
      result.push_back(folds ? 1 : extent);
  }
  kept.push_back(count);
  for (int64_t axis = 0; axis < one.rank(); ++axis) // row-major, in whatever order they are named
    if (std::ranges::count(folded, axis))
      order.push_back(axis);
  const At at{x.site};
  const DType type = one.in[0]->dtype;
  const Tensor numbers = made(api::cast(one.value(), type == DType::Bool ? DType::U8 : type, x.site));
  const Tensor turned = std::ranges::is_sorted(order) ? numbers : transpose(at(numbers), std::move(order));
  const Tensor rows = reshape(at(turned), std::move(kept));
  const Tensor found = largest ? argMax(at(rows)) : argMin(at(rows));
  return reshape(at(found), std::move(result));
}
Tensor argmax(const Operand &x, Axes axes, bool keepDims) { return positions("argmax", x, axes, keepDims, true); }
Tensor argmin(const Operand &x, Axes axes, bool keepDims) { return positions("argmin", x, axes, keepDims, false); }

Tensor reshape(const Operand &x, Shape shape) {
  const One one(x);
  return one.shaped(resolved(shapeOf(one), std::move(shape), x.site));
}
Tensor transpose(const Operand &x, std::vector<int64_t> perm) {
  const One one(x);
  return one.op(TransposeAttrs{permutation(std::move(perm), one.rank(), x.site)});
}
Tensor squeeze(const Operand &x, Axes axes) {
  const One one(x);
  const std::vector<int64_t> named = axesOf("squeeze", axes, one.rank(), x.site);
  Shape shape;
  for (int64_t i = 0; i < one.rank(); ++i) {
    const int64_t extent = one.dims()[static_cast<size_t>(i)];
    const bool drop = named.empty() ? extent == 1 : std::ranges::count(named, i) > 0;
    if (drop && extent != 1)
      raise("squeeze", "axis " + std::to_string(i) + " of shape " + str(shapeOf(one)) + " is not 1", x.site);
    if (!drop)
      shape.push_back(extent);
  }
  return one.shaped(shape);
}
Tensor expandDims(const Operand &x, int64_t axis) {
  const One one(x);
  Shape shape = shapeOf(one);
  shape.insert(shape.begin() + axisOf("expand_dims", axis, one.rank() + 1, x.site), 1);
  return one.shaped(shape);
}
Tensor flatten(const Operand &x, int64_t from, int64_t to) {
  const One one(x);
  if (one.rank() == 0)
    return one.shaped(std::array{int64_t(1)});
  from = axisOf("flatten", from, one.rank(), x.site), to = axisOf("flatten", to, one.rank(), x.site);
  if (from > to)
    raise("flatten", "axis " + std::to_string(from) + " comes after axis " + std::to_string(to), x.site);
  Shape shape = shapeOf(one);
  for (; to > from; --to) {
    shape[static_cast<size_t>(from)] *= shape[static_cast<size_t>(from) + 1];
    shape.erase(shape.begin() + from + 1);
  }
  return one.shaped(shape);
}
Tensor flip(const Operand &x, Axes axes) {
  const One one(x);
  const std::vector<int64_t> turned = foldedAxes("flip", axes, one.rank(), x.site);
  SliceAttrs attrs;
  for (int64_t i = 0; i < one.rank(); ++i) {
    const int64_t extent = one.dims()[static_cast<size_t>(i)];
    const bool turn = std::ranges::count(turned, i) > 0;
    attrs.starts.push_back(turn ? std::max<int64_t>(extent - 1, 0) : 0);
    attrs.steps.push_back(turn ? -1 : 1);
    attrs.sizes.push_back(extent);
  }
  return one.op(attrs);
}
Tensor roll(const Operand &x, int64_t shift, int64_t axis) {
  const One one(x);
  axis = axisOf("roll", axis, one.rank(), x.site);
  const int64_t extent = one.dims()[static_cast<size_t>(axis)];
  const int64_t by = extent ? (shift % extent + extent) % extent : 0;
  const std::array parts{part(one, axis, extent - by, by), part(one, axis, 0, extent - by)};
  return joined("roll", parts, axis, x.site);
}

Tensor concat(std::span<const Tensor> tensors, int64_t axis, Site site) {
  return joined("concat", tensors, axis, site);
}
Tensor concat(std::initializer_list<Tensor> tensors, int64_t axis, Site site) {
  return joined("concat", tensors, axis, site);
}
Tensor stack(std::span<const Tensor> tensors, int64_t axis, Site site) {
  std::vector<Tensor> columns;
  for (const Tensor &tensor : tensors) {
    if (tensor.shape() != tensors.front().shape())
      raise("stack", "tensors of shapes " + str(tensors.front().shape()) + " and " + str(tensor.shape()), site,
            "stack joins equal shapes; concat extends an axis");
    columns.push_back(expandDims(Operand(tensor, site), axis));
  }
  return joined("stack", columns, axis, site);
}
Tensor stack(std::initializer_list<Tensor> tensors, int64_t axis, Site site) {
  return stack(std::span<const Tensor>(tensors), axis, site);
}

std::vector<Tensor> split(const Operand &x, int64_t parts, int64_t axis) {
  const One one(x);
  axis = axisOf("split", axis, one.rank(), x.site);
  const int64_t extent = one.dims()[static_cast<size_t>(axis)];
  if (parts <= 0 || extent % parts)
    raise("split",
          "axis " + std::to_string(axis) + " of shape " + str(shapeOf(one)) + " into " + std::to_string(parts) +
              " equal parts",
          x.site, "give the positions at which parts begin");
  std::vector<Tensor> out;
  for (int64_t i = 0; i < parts; ++i)
    out.push_back(part(one, axis, i * (extent / parts), extent / parts));
  return out;
}
std::vector<Tensor> split(const Operand &x, std::span<const int64_t> positions, int64_t axis) {
  const One one(x);
  axis = axisOf("split", axis, one.rank(), x.site);
  const int64_t extent = one.dims()[static_cast<size_t>(axis)];
  std::vector<Tensor> out;
  int64_t begin = 0;
  auto until = [&](int64_t end) {
    end = std::clamp<int64_t>(end < 0 ? end + extent : end, 0, extent);
    out.push_back(part(one, axis, std::min(begin, end), std::max<int64_t>(end - begin, 0)));
    begin = end;
  };
  for (int64_t position : positions)
    until(position);
  until(extent);
  return out;
}
std::vector<Tensor> split(const Operand &x, std::initializer_list<int64_t> positions, int64_t axis) {
  return split(x, std::span(positions.begin(), positions.size()), axis);
}

/// Values and positions: all of them as the k best.
static std::array<Tensor, 2> ordered(const char *op, const Operand &x, int64_t axis, bool descending) {
  const One one(x);
  axis = axisOf(op, axis, one.rank(), x.site);
  const int64_t count = one.dims()[static_cast<size_t>(axis)];
  const DType type = one.in[0]->dtype;
  const Tensor numbers = made(api::cast(one.value(), type == DType::Bool ? DType::U8 : type, x.site));
  return topK(Operand(numbers, x.site), {count}, axis, descending);
}
Tensor sort(const Operand &x, int64_t axis, bool descending) {
  const Tensor values = ordered("sort", x, axis, descending)[0];
  return x.tensor && x.tensor->dtype() == DType::Bool ? cast(Operand(values, x.site), DType::Bool) : values;
}
Tensor argsort(const Operand &x, int64_t axis, bool descending) { return ordered("argsort", x, axis, descending)[1]; }

Tensor matmul(const Operand &lhs, const Operand &rhs) {
  const Pair pair(lhs, rhs);
  const bool row = pair.in[0]->rank == 1, column = pair.in[1]->rank == 1;
  for (int i = 0; i < 2; ++i)
    if (pair.in[static_cast<size_t>(i)]->rank == 0)
      raise("matmul", std::string(i ? "rhs" : "lhs") + " is a scalar", lhs.site, "multiply with *");
  if (!row && !column)
    return pair.op(MatmulAttrs{});
  auto shaped = [&](trace::Node *x, bool vector, size_t at) {
    if (!vector)
      return trace::Handle((trace::retain(x), x));
    Extents shape(x->dims().begin(), x->dims().end());
    shape.insert(shape.begin() + static_cast<ptrdiff_t>(at), Expr(1));
    return record(ReshapeAttrs{std::move(shape)}, {x}, lhs.site);
  };
  const auto a = shaped(pair.in[0], row, 0), b = shaped(pair.in[1], column, 1);
  const auto product = record(MatmulAttrs{}, {a.get(), b.get()}, lhs.site);
  Extents shape(product->dims().begin(), product->dims().end());
  if (column)
    shape.pop_back();
  if (row)
    shape.erase(shape.end() - (column ? 1 : 2));
  return made(record(ReshapeAttrs{std::move(shape)}, {product.get()}, lhs.site));
}

Tensor nonZero(const Operand &x) {
  const One one(x);
  const Tensor set = one.op(CastAttrs{DType::Bool});
  const auto counted = Access::value(sum(Operand(set, x.site)), x.site);
  const DenseTensor count = checked(Session::value(counted.get(), x.site, Cut::Extent));
  return one.op(NonZeroAttrs{{Expr(*count.as<int64_t>())}});
}

} // namespace pliant
