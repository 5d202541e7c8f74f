// SPDX-License-Identifier: Apache-2.0
// Tensors from nothing: filled, counted, evenly spaced.
#include "api/record.h"
#include "pliant/functions.h"
#include <cmath>

namespace pliant {

using namespace api;

namespace {

/// The operand as a tensor, a number with the type of its own.
trace::Handle handleOf(const Operand &x) {
  const Operands<1> in({&x}, 0, false);
  trace::retain(in[0]);
  return trace::Handle(in[0]);
}

/// More of them than memory can address are nobody's intention.
void checkCount(const char *op, double count, Site site) {
  if (!(count <= static_cast<double>(INT64_MAX / 8))) // also NaN
    raise(op, "more elements than memory can hold", site);
}

/// first, first + step, ... in a type that holds all of them.
Tensor counted(int64_t count, const Operand &first, const Operand &step, DType type, Site site) {
  const auto steps = record(IotaAttrs{{Expr(count)}, type}, {}, site);
  const auto by = Access::scalar(type, step), from = Access::scalar(type, first);
  const auto scaled = record(MulAttrs{}, {steps.get(), by.get()}, site);
  return Access::make(record(AddAttrs{}, {scaled.get(), from.get()}, site));
}

Tensor converted(const Tensor &x, DType dtype, Site site) {
  return x.dtype() == dtype ? x : cast(Operand(x, site), dtype);
}

double realOf(const Operand &number) {
  return number.kind == Operand::Kind::Real ? number.real
         : number.above                     ? static_cast<double>(static_cast<uint64_t>(number.integer))
                                            : static_cast<double>(number.integer);
}

} // namespace

Tensor full(Shape shape, const Operand &value, std::optional<DType> dtype) {
  trace::Handle one = !value.tensor && dtype ? Access::scalar(*dtype, value) : handleOf(value);
  if (dtype)
    one = api::cast(std::move(one), *dtype, value.site);
  return Access::make(record(BroadcastToAttrs{extentsOf("full", shape, value.site)}, {one.get()}, value.site));
}
Tensor zeros(Shape shape, DType dtype, Site site) { return full(std::move(shape), Operand(0, site), dtype); }
Tensor ones(Shape shape, DType dtype, Site site) { return full(std::move(shape), Operand(1, site), dtype); }
Tensor fullLike(const Operand &x, const Operand &value, std::optional<DType> dtype) {
  const trace::Handle like = handleOf(x);
  const std::span<const int64_t> dims = like->dims();
  return full({dims.begin(), dims.end()}, value, dtype.value_or(like->dtype));
}
Tensor zerosLike(const Operand &x, std::optional<DType> dtype) { return fullLike(x, Operand(0, x.site), dtype); }
Tensor onesLike(const Operand &x, std::optional<DType> dtype) { return fullLike(x, Operand(1, x.site), dtype); }

Tensor arange(const Operand &stop, std::optional<DType> dtype) {
  return arange(Operand(0, stop.site), stop, Operand(1, stop.site), dtype);
}
Tensor arange(const Operand &start, const Operand &stop, const Operand &step, std::optional<DType> dtype) {
  const Site site = start.site;
  bool reals = false;
  for (const Operand *each : {&start, &stop, &step}) {
    if (each->tensor)
      raise("arange", "a tensor in the place of a number", site, "x.item() gives the number of a tensor");
    if (each->above)
      raise("arange", "an integer beyond 64 bits with a sign", site);
    reals |= each->kind == Operand::Kind::Real;
  }
  if (realOf(step) == 0)
    raise("arange", "the step is 0", site);
  if (reals) {
    const double from = realOf(start), by = realOf(step), count = std::ceil((realOf(stop) - from) / by);
    checkCount("arange", count, site);
    if (!std::isfinite(from) || !std::isfinite(by))
      raise("arange", "a start or a step that is no finite number", site);
    const auto whole = static_cast<int64_t>(std::max(count, 0.0));
    return converted(counted(whole, Operand(from, site), Operand(by, site), DType::F64, site),
                     dtype.value_or(DType::F32), site);
  }
  // In 128 bits: the distance of two integers may need 65.
  const bool up = step.integer > 0;
  const auto distance = static_cast<__int128>(up ? stop.integer : start.integer) - (up ? start.integer : stop.integer);
  const auto stride = up ? static_cast<__int128>(step.integer) : -static_cast<__int128>(step.integer);
  const __int128 count = distance > 0 ? (distance - 1) / stride + 1 : 0;
  checkCount("arange", static_cast<double>(count), site);
  const DType type = dtype.value_or(DType::I64), exact = type == DType::Bool ? DType::I64 : type;
  return converted(
      counted(static_cast<int64_t>(count), Operand(start.integer, site), Operand(step.integer, site), exact, site),
      type, site);
}

Tensor linspace(double start, double stop, int64_t count, bool endpoint, DType dtype, Site site) {
  if (count < 0)
    raise("linspace", std::to_string(count) + " elements", site);
  checkCount("linspace", static_cast<double>(count), site);
  const At at{site};
  const double parts = static_cast<double>(std::max<int64_t>(count - endpoint, 1));
  Tensor out = counted(count, at(start), at((stop - start) / parts), DType::F64, site);
  if (endpoint && count > 1) { // exactly
    const Tensor place = Access::make(record(IotaAttrs{{Expr(count)}, DType::I64}, {}, site)),
                 last = equal(at(place), at(count - 1));
    out = where(at(last), at(stop), at(out));
  }
  return converted(isFloat(dtype) ? out : floor(at(out)), dtype, site);
}

Tensor eye(int64_t n, DType dtype, Site site) {
  const Extents extent = extentsOf("eye", std::array{n}, site);
  const auto at = record(IotaAttrs{extent, DType::I64}, {}, site);
  const auto column = record(ReshapeAttrs{{extent[0], Expr(1)}}, {at.get()}, site);
  return Access::make(api::cast(record(EqualAttrs{}, {column.get(), at.get()}, site), dtype, site));
}

} // namespace pliant
