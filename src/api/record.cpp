// SPDX-License-Identifier: Apache-2.0
#include "api/record.h"
#include "api/place.h"
#include "api/promote.h"
#include "ops/dispatch.h"
#include <algorithm>
#include <numeric>
#include <utility>

namespace pliant::api {

void raise(Error error) {
  std::string text = error.text(), where = error.where;
  if (error.kind == Error::Kind::Internal)
    throw InternalException(std::move(text), std::move(where), std::move(error.op));
  if (error.kind == Error::Kind::Memory)
    throw MemoryException(std::move(text), std::move(where), std::move(error.op));
  throw Exception(std::move(text), std::move(where), std::move(error.op));
}

void raise(const char *op, std::string message, Site site, std::string hint) {
  raise(userError(op, std::move(message), "", std::move(hint)).at(trace::str(site)));
}

trace::Handle Access::value(const Tensor &tensor, Site site) {
  if (tensor.place)
    return tensor.place->read(site);
  if (!tensor.node)
    raise("tensor", "an operand is not defined", site, "a default-constructed pliant::Tensor has no value");
  trace::retain(tensor.node);
  return trace::Handle(tensor.node);
}

trace::Handle Access::like(const Tensor &tensor, Site site) {
  return tensor.place ? tensor.place->like() : value(tensor, site);
}

Tensor Access::view(const Tensor &base, ViewStep step, Site site) {
  Tensor out;
  out.place = shared(base, site).view(std::move(step), site);
  return out;
}

Selection Access::selection(Tensor value, std::shared_ptr<const Picks> picks) {
  Selection out;
  static_cast<Tensor &>(out) = std::move(value);
  if (picks) {
    Place *picked = shared(out, {}).selection(std::move(picks));
    std::exchange(out.place, picked)->release();
  }
  return out;
}

Place &Access::shared(const Tensor &tensor, Site site) {
  if (!tensor.place) {
    tensor.place = Place::variable(value(tensor, site));
    trace::release(std::exchange(tensor.node, nullptr));
  }
  return *tensor.place;
}

void Access::write(Tensor &tensor, trace::Handle value, Site site) {
  if (tensor.place)
    return tensor.place->write(std::move(value), site);
  value = broadcastLike(std::move(value), tensor.node->dims(), site);
  trace::release(std::exchange(tensor.node, value.take()));
}

/// Whether an integer is one of T.
template <class T> static bool fits(const Operand &number) {
  if (number.above)
    return std::is_unsigned_v<T> && sizeof(T) == 8;
  return std::in_range<T>(number.integer);
}
static std::string text(const Operand &number) {
  return number.above ? std::to_string(static_cast<uint64_t>(number.integer)) : std::to_string(number.integer);
}

trace::Handle Access::scalar(DType dtype, const Operand &number) {
  if (dtype == DType::String)
    raise("tensor", "the elements of a tensor are numbers, not strings", number.site);
  if (number.kind == Operand::Kind::Real && isInteger(dtype)) // as `cast`: truncated, saturated
    return cast(scalar(DType::F64, number), dtype, number.site);
  std::array<std::byte, 8> bits{};
  auto put = [&](const auto &value) { std::memcpy(bits.data(), &value, sizeof(value)); };
  dispatch(dtype, [&]<class T>(Type<T>) {
    if constexpr (isIntegerStorage<T>) {
      if (number.kind == Operand::Kind::Integer && !fits<T>(number))
        raise("tensor", "the number " + text(number) + " is out of the range of " + std::string(name(dtype)),
              number.site, "give a tensor of a wider type");
      put(static_cast<T>(number.integer));
    } else if constexpr (std::is_same_v<T, bool>) {
      put(number.kind == Operand::Kind::Real ? number.real != 0 : number.integer != 0);
    } else {
      put(static_cast<T>(number.real));
    }
  });
  return Session::current().scalar(dtype, bits.data());
}

static DType ownType(Operand::Kind kind) {
  return kind == Operand::Kind::Bool ? DType::Bool : kind == Operand::Kind::Integer ? DType::I64 : DType::F32;
}

void align(const Operand *const *given, trace::Node **nodes, trace::Handle *kept, size_t count, uint32_t together,
           bool floats, Site site) {
  for (size_t i = 0; i < count; ++i) {
    const Tensor *tensor = given[i]->tensor;
    if (!tensor || nodes[i])
      continue;
    if (!tensor->defined())
      raise("tensor", "operand " + std::to_string(i + 1) + " is not defined", site,
            "a default-constructed pliant::Tensor has no value");
    kept[i] = Access::value(*tensor, site);
    nodes[i] = kept[i].get();
  }
  std::optional<DType> common;
  for (size_t i = 0; i < count; ++i)
    if (nodes[i] && (together >> i & 1))
      common = common ? promoted(*common, nodes[i]->dtype) : nodes[i]->dtype;
  const bool tensors = common.has_value();
  for (size_t i = 0; i < count; ++i)
    if (!nodes[i] && (together >> i & 1))
      common = tensors  ? promotedWith(*common, given[i]->kind)
               : common ? promoted(*common, ownType(given[i]->kind))
                        : ownType(given[i]->kind);
  if (common && floats)
    common = floating(*common);
  for (size_t i = 0; i < count; ++i) {
    const bool joins = together >> i & 1;
    if (!nodes[i]) {
      kept[i] = Access::scalar(joins ? *common : ownType(given[i]->kind), *given[i]);
    } else if (joins && nodes[i]->dtype != *common) {
      kept[i] = record(CastAttrs{*common}, {nodes[i]}, site);
    } else {
      continue;
    }
    nodes[i] = kept[i].get();
  }
}

std::vector<trace::Handle> valuesOf(const char *op, std::span<const Tensor> tensors, bool together, Site site) {
  if (tensors.empty())
    raise(op, "no tensors were given", site);
  std::vector<trace::Handle> values;
  std::optional<DType> common;
  for (const Tensor &tensor : tensors) {
    values.push_back(Access::value(tensor, site));
    common = common ? promoted(*common, values.back()->dtype) : values.back()->dtype;
  }
  if (together)
    for (trace::Handle &value : values)
      value = cast(std::move(value), *common, site);
  return values;
}

std::vector<trace::Node *> nodesOf(const std::vector<trace::Handle> &handles) {
  std::vector<trace::Node *> nodes;
  for (const trace::Handle &handle : handles)
    nodes.push_back(handle.get());
  return nodes;
}

int64_t axisOf(const char *op, int64_t axis, int64_t rank, Site site) {
  if (axis < -rank || axis >= rank)
    raise(op, "axis " + std::to_string(axis) + " is out of range for a tensor of rank " + std::to_string(rank), site);
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> axesOf(const char *op, std::span<const int64_t> axes, int64_t rank, Site site) {
  std::vector<int64_t> out;
  for (int64_t axis : axes) {
    out.push_back(axisOf(op, axis, rank, site));
    if (std::count(out.begin(), out.end(), out.back()) > 1)
      raise(op, "axis " + std::to_string(axis) + " is named twice", site);
  }
  return out;
}

std::vector<int64_t> foldedAxes(const char *op, std::span<const int64_t> axes, int64_t rank, Site site) {
  if (!axes.empty())
    return axesOf(op, axes, rank, site);
  std::vector<int64_t> all(static_cast<size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<int64_t> perSpatialAxis(const char *op, std::span<const int64_t> values, int64_t fallback, int64_t count,
                                    Site site) {
  const auto wanted = static_cast<size_t>(std::max<int64_t>(count, 0));
  if (values.empty())
    return std::vector<int64_t>(wanted, fallback);
  if (values.size() == 1)
    return std::vector<int64_t>(wanted, values.front());
  if (values.size() != wanted)
    raise(op,
          std::to_string(values.size()) + " numbers for " + std::to_string(wanted) +
              " places: " + str(std::vector<int64_t>(values.begin(), values.end())),
          site, "give one for all, or one for each");
  return {values.begin(), values.end()};
}

Shape resolved(const Shape &from, Shape target, Site site) {
  const int64_t count = checked(elementCount(from), site);
  int64_t known = 1;
  auto open = target.end();
  for (auto at = target.begin(); at != target.end(); ++at)
    if (*at == -1 && open == target.end())
      open = at;
    else if (*at < 0)
      raise("reshape", "target shape " + str(target) + ": one extent may be -1, no other negative", site);
    else if (__builtin_mul_overflow(known, *at, &known))
      raise("reshape", "target shape " + str(target) + " is too large", site);
  if (open == target.end())
    return target;
  if (known == 0 || count % known)
    raise("reshape",
          "shape " + str(from) + " into " + str(target) + ": " + std::to_string(count) +
              " elements cannot be divided by " + std::to_string(known),
          site);
  *open = count / known;
  return target;
}

std::vector<int64_t> permutation(std::vector<int64_t> perm, int64_t rank, Site site) {
  if (!perm.empty() || rank == 0)
    return axesOf("transpose", perm, rank, site);
  for (int64_t i = rank; i--;)
    perm.push_back(i);
  return perm;
}

Extents extentsOf(const char *op, std::span<const int64_t> values, Site site) {
  Extents out;
  for (int64_t value : values) {
    if (value < 0)
      raise(op, "the extent or position " + std::to_string(value) + " is negative", site);
    out.push_back(value);
  }
  return out;
}

} // namespace pliant::api
