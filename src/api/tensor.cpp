// SPDX-License-Identifier: Apache-2.0
// Making, copying, asking and writing tensors.
#include "api/observe.h"
#include "api/place.h"
#include "api/promote.h"
#include "ops/dispatch.h"
#include "pliant/functions.h"
#include <algorithm>
#include <cstring>
#include <functional>

namespace pliant {

using api::Access;
using api::raise;

Tensor::Tensor(const Tensor &other) {
  if (other.place)
    node = Access::value(other, {}).take();
  else if ((node = other.node))
    trace::retain(node);
}
Tensor::Tensor(Selection &&picked) {
  if (picked.place && picked.place->copies())
    node = Access::value(picked, {}).take();
  else
    *this = static_cast<Tensor &&>(picked);
}
Tensor &Tensor::operator=(Selection &&picked) & { return *this = Tensor(std::move(picked)); }
Tensor &Tensor::operator=(const Tensor &other) & { return *this = Tensor(other); }
void Tensor::giveUp() {
  if (node)
    trace::release(node);
  if (place)
    place->release();
}

DType Tensor::dtype() const { return Access::like(*this)->dtype; }
Shape Tensor::shape() const {
  const trace::Handle value = Access::like(*this);
  return {value->dims().begin(), value->dims().end()};
}
int64_t Tensor::rank() const { return static_cast<int64_t>(Access::like(*this)->rank); }
int64_t Tensor::dim(int64_t axis, Site site) const {
  const trace::Handle value = Access::like(*this, site);
  return value->dims()[static_cast<size_t>(api::axisOf("tensor", axis, value->rank, site))];
}
int64_t Tensor::size() const { return *elementCount(shape()); }

Tensor Tensor::scalarOf(DType dtype, Number value) {
  Operand number(value.real, Site());
  number.kind = dtype == DType::F32    ? Operand::Kind::Real
                : dtype == DType::Bool ? Operand::Kind::Bool
                                       : Operand::Kind::Integer;
  number.integer = value.integer.value_or(0);
  return Access::make(Access::scalar(dtype, number));
}

/// Strings are those of ONNX models.
static void refuseStrings(DType dtype, Site site) {
  if (dtype == DType::String)
    raise("tensor", "the elements of a tensor are numbers, not strings", site);
}

Tensor Tensor::copyOf(const void *data, size_t count, DType dtype, Shape shape, Site site) {
  refuseStrings(dtype, site);
  auto made = DenseTensor::allocate(dtype, std::move(shape));
  if (!made)
    raise(made.takeError().at(trace::str(site)));
  if (static_cast<size_t>(made->size()) != count)
    raise("tensor", std::to_string(count) + " values for shape " + pliant::str(made->dims()), site);
  if (count)
    std::memcpy(made->data(), data, made->bytes());
  api::observe::handedIn(made->bytes());
  return Access::make(api::Session::current().leaf(std::move(*made)));
}

Tensor Tensor::copied(const Array &array, Site site) {
  const auto count = elementCount(array.shape);
  if (!count)
    raise(Error(count.error()).at(trace::str(site)));
  if (*count && !array.data)
    raise("tensor", "an array of shape " + pliant::str(array.shape) + " without memory", site);
  return copyOf(array.data.get(), static_cast<size_t>(*count), array.dtype, array.shape, site);
}

Tensor Tensor::of(Array array, Site site) {
  refuseStrings(array.dtype, site);
  if (auto count = elementCount(array.shape); !count)
    raise(count.takeError().at(trace::str(site)));
  else if (*count && !array.data)
    raise("tensor", "an array of shape " + pliant::str(array.shape) + " without memory", site);
  if (!array.data) // kernels are never handed a null pointer
    return copyOf(nullptr, 0, array.dtype, std::move(array.shape), site);
  // Nobody writes to leaves: states that grow in place are the run's own.
  auto memory = std::const_pointer_cast<void>(std::move(array.data));
  void *data = memory.get();
  DenseTensor shared = DenseTensor::borrow(array.dtype, std::move(array.shape), data, std::move(memory));
  api::observe::handedIn(shared.bytes());
  return Access::make(api::Session::current().leaf(std::move(shared)));
}

bool Tensor::ready() const { return api::Session::ready(*Access::value(*this, {}).get()); }

Array api::arrayOf(const trace::Handle &value, Site site) {
  const DenseTensor elements = api::checked(api::Session::value(value.get(), site));
  api::observe::handedOut(elements.bytes());
  auto keep = std::make_shared<DenseTensor>(elements);
  return {elements.dtype(), elements.dims(), std::shared_ptr<const void>(keep, elements.data())};
}
Array Tensor::elements(Site site) const { return api::arrayOf(Access::value(*this, site), site); }

Array Tensor::typed(DType wanted, Site site) const {
  if (dtype() != wanted)
    raise("values", "elements of " + std::string(name(dtype())) + " asked for as " + std::string(name(wanted)), site,
          "cast the tensor first");
  return elements(site);
}

Tensor::Number Tensor::only(Site site) const {
  if (size() != 1)
    raise("item", "a tensor of shape " + pliant::str(shape()) + " has " + std::to_string(size()) + " elements, not 1",
          site);
  const Array all = elements(site);
  Number out{};
  dispatch(all.dtype, [&]<class T>(Type<T>) {
    const T value = *all.as<T>();
    if constexpr (std::is_integral_v<T>)
      out = {static_cast<double>(value), static_cast<int64_t>(value)};
    else
      out = {static_cast<double>(value), std::nullopt};
  });
  return out;
}

/// Bool, unsigned, signed, float: a result may be written to its own kind or a later one, whatever the widths are.
static int kindOf(DType type) { return type == DType::Bool ? 0 : isUnsigned(type) ? 1 : isSigned(type) ? 2 : 3; }

/// What `made` becomes when it is written to elements of another type: as NumPy's in-place operators, only upwards.
static trace::Handle fitted(const char *op, const Tensor &target, trace::Handle made, Site site, bool any) {
  const trace::Handle old = Access::value(target, site);
  if (!any && kindOf(made->dtype) > kindOf(old->dtype))
    raise(op,
          "a result of " + std::string(name(made->dtype)) + " written to elements of " + std::string(name(old->dtype)),
          site, "cast explicitly, or write x = x " + std::string(op) + " y");
  if (!any && !std::ranges::equal(made->dims(), old->dims()))
    raise(op,
          "a result of shape " + pliant::str(Shape(made->dims().begin(), made->dims().end())) + " written to shape " +
              pliant::str(Shape(old->dims().begin(), old->dims().end())),
          site, "write x = x " + std::string(op) + " y");
  return api::cast(std::move(made), old->dtype, site);
}

template <class Made> static Tensor &inPlace(Tensor &target, const char *op, const Operand &rhs, const Made &make) {
  Access::write(target,
                fitted(op, target, Access::value(make(Operand(target, rhs.site), rhs), rhs.site), rhs.site, false),
                rhs.site);
  return target;
}
Tensor &Tensor::store(const char *op, const Operand &result) {
  return inPlace(*this, op, result, [](const Operand &target, const Operand &made) {
    return made.tensor ? *made.tensor : full({}, made, target.tensor->dtype());
  });
}
Tensor &Tensor::operator+=(const Operand &rhs) { return inPlace(*this, "+=", rhs, add); }
Tensor &Tensor::operator-=(const Operand &rhs) { return inPlace(*this, "-=", rhs, sub); }
Tensor &Tensor::operator*=(const Operand &rhs) { return inPlace(*this, "*=", rhs, mul); }
Tensor &Tensor::operator/=(const Operand &rhs) { return inPlace(*this, "/=", rhs, trueDivide); }
Tensor &Tensor::operator%=(const Operand &rhs) { return inPlace(*this, "%=", rhs, remainder); }
Tensor &Tensor::operator&=(const Operand &rhs) { return inPlace(*this, "&=", rhs, std::bit_and<>()); }
Tensor &Tensor::operator|=(const Operand &rhs) { return inPlace(*this, "|=", rhs, std::bit_or<>()); }
Tensor &Tensor::operator^=(const Operand &rhs) { return inPlace(*this, "^=", rhs, std::bit_xor<>()); }
Tensor &Tensor::operator<<=(const Operand &rhs) {
  return inPlace(*this, "<<=", rhs, [](const Operand &x, const Operand &count) { return x << count; });
}
Tensor &Tensor::operator>>=(const Operand &rhs) {
  return inPlace(*this, ">>=", rhs, [](const Operand &x, const Operand &count) { return x >> count; });
}

Tensor &Tensor::assign(const Operand &value) {
  const DType own = dtype();
  trace::Handle made = value.tensor ? Access::value(*value.tensor, value.site) : Access::scalar(own, value);
  Access::write(*this, fitted("=", *this, std::move(made), value.site, true), value.site);
  return *this;
}

Tensor Tensor::reshape(Shape target, Site site) const {
  const Shape dims = api::resolved(shape(), std::move(target), site);
  return Access::view(*this, ReshapeAttrs{Extents(dims.begin(), dims.end())}, site);
}

Tensor Tensor::transpose(std::vector<int64_t> perm, Site site) const {
  return Access::view(*this, TransposeAttrs{api::permutation(std::move(perm), rank(), site)}, site);
}

Tensor Tensor::broadcastTo(Shape target, Site site) const {
  return Access::view(*this, BroadcastToAttrs{api::extentsOf("broadcast_to", target, site)}, site);
}

} // namespace pliant
