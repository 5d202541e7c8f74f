// SPDX-License-Identifier: Apache-2.0
// The C surface: tensors, their memory, indices and writes.
#include "api/c.h"
#include <algorithm>
#include <cstring>
#include <utility>

using namespace pliant;
using namespace pliant::api::c;

namespace {

size_t bytesOf(const Array &array) {
  size_t count = byteSize(array.dtype);
  for (int64_t extent : array.shape)
    count *= static_cast<size_t>(extent);
  return count;
}

std::vector<Index> indicesOf(const pliant_index *indices, size_t count, pliant_site site) {
  std::vector<Index> out;
  for (const pliant_index &index : listOf(indices, count, "the indices", site)) {
    const Site at = siteOf(site);
    switch (index.kind) {
    case PLIANT_INDEX_NUMBER:
      out.emplace_back(index.start, at);
      break;
    case PLIANT_INDEX_SLICE:
      out.emplace_back(Slice{index.has_start ? std::optional(index.start) : std::nullopt,
                             index.has_stop ? std::optional(index.stop) : std::nullopt, index.step ? index.step : 1},
                       at);
      break;
    case PLIANT_INDEX_ELLIPSIS:
      out.emplace_back(ellipsis, at);
      break;
    case PLIANT_INDEX_NEW_AXIS:
      out.emplace_back(newAxis, at);
      break;
    case PLIANT_INDEX_TENSOR:
      out.emplace_back(tensorOf(index.tensor, site), at);
      break;
    default:
      refuse("index", "an index of kind " + std::to_string(index.kind), site);
    }
  }
  return out;
}

/// In place, by the letters of the header.
constexpr std::pair<char, Tensor &(Tensor::*)(const Operand &)> updates[] = {{'+', &Tensor::operator+= },
                                                                              {'-', &Tensor::operator-= },
                                                                               {'*', &Tensor::operator*= },
                                                                                {'/', &Tensor::operator/= },
                                                                                 {'%', &Tensor::operator%= },
                                                                                  {'&', &Tensor::operator&= },
                                                                                   {'|', &Tensor::operator|= },
                                                                                    {'^', &Tensor::operator^= },
                                                                                     {'<', &Tensor::operator<<= },
                                                                                      {
                                                                                          '>',
                                                                                          &Tensor::operator>>= },
                                                                                     };

} // namespace

extern "C" {

pliant_status pliant_from_memory(pliant_dtype dtype, size_t rank, const int64_t *shape, const void *data,
                                 pliant_tensor **out, pliant_site site) {
  return giving(out, site, [&] {
    const Array array{dtypeOf(dtype, site), shapeOf(rank, shape, site),
                      std::shared_ptr<const void>(data, [](const void *) {})};
    return Tensor::copied(array, siteOf(site));
  });
}

pliant_status pliant_borrow(pliant_dtype dtype, size_t rank, const int64_t *shape, const void *data,
                            void (*release)(void *context), void *context, pliant_tensor **out, pliant_site site) {
  return guarded([&] {
    std::shared_ptr<const void> memory(data, [release, context](const void *) {
      if (release)
        release(context);
    });
    put(resultOf(out, site),
        Tensor::of({dtypeOf(dtype, site), shapeOf(rank, shape, site), std::move(memory)}, siteOf(site)));
  });
}

pliant_status pliant_copy(const pliant_tensor *x, pliant_tensor **out) {
  return giving(out, [&] { return tensorOf(x); });
}

void pliant_release(pliant_tensor *x) { delete x; }

pliant_status pliant_dtype_of(const pliant_tensor *x, pliant_dtype *out) {
  return giving(out, [&] { return tensorOf(x).dtype(); });
}
pliant_status pliant_dtype_name(pliant_dtype dtype, const char **out) {
  return giving(out, [&] { return name(dtypeOf(dtype)).data(); });
}
pliant_status pliant_dtype_from_name(const char *name, pliant_dtype *out) {
  return giving(out, [&] {
    const auto found = dtypeFromName(name ? name : "");
    if (!found || *found == DType::String)
      refuse("tensor", "no element type is called '" + std::string(name ? name : "") + "'");
    return *found;
  });
}
pliant_status pliant_dtype_bytes(pliant_dtype dtype, size_t *out) {
  return giving(out, [&] { return byteSize(dtypeOf(dtype)); });
}
pliant_status pliant_rank(const pliant_tensor *x, size_t *out) {
  return giving(out, [&] { return tensorOf(x).rank(); });
}
pliant_status pliant_shape(const pliant_tensor *x, size_t capacity, int64_t *out) {
  return guarded([&] {
    const Shape shape = tensorOf(x).shape();
    if (shape.size() > capacity)
      refuse("shape",
             "room for " + std::to_string(capacity) + " extents of a tensor of rank " + std::to_string(shape.size()));
    std::ranges::copy(shape, listOf(out, shape.size(), "the extents").begin());
  });
}
pliant_status pliant_size(const pliant_tensor *x, int64_t *out) {
  return giving(out, [&] { return tensorOf(x).size(); });
}
pliant_status pliant_ready(const pliant_tensor *x, bool *out) {
  return giving(out, [&] { return tensorOf(x).ready(); });
}

pliant_status pliant_read(const pliant_tensor *x, void *out, size_t bytes, pliant_site site) {
  return guarded([&] {
    const Array array = tensorOf(x, site).array(siteOf(site));
    if (bytesOf(array) != bytes)
      refuse("read", "room for " + std::to_string(bytes) + " bytes, " + std::to_string(bytesOf(array)) + " are needed",
             site);
    if (bytes)
      std::memcpy(&resultOf(static_cast<std::byte *>(out), site), array.data.get(), bytes);
  });
}

pliant_status pliant_data(const pliant_tensor *x, pliant_array *out, pliant_site site) {
  return guarded([&] {
    pliant_array &place = resultOf(out, site);
    auto owner = std::make_unique<Array>(tensorOf(x, site).array(siteOf(site)));
    place = arrayOf(*owner);
    place.owner = owner.release();
  });
}
void pliant_array_release(pliant_array *array) {
  if (array)
    delete static_cast<Array *>(std::exchange(array->owner, nullptr));
}

pliant_status pliant_text(const pliant_tensor *x, char **out) {
  return giving(out, [&] { return tensorOf(x).str(Site()); });
}

pliant_status pliant_get(const pliant_tensor *x, const pliant_index *indices, size_t count, pliant_tensor **out,
                         pliant_site site) {
  return giving(out, site, [&] {
    const std::vector<Index> all = indicesOf(indices, count, site);
    return Tensor(tensorOf(x, site)(std::span<const Index>(all)));
  });
}

pliant_status pliant_set(pliant_tensor *x, const pliant_index *indices, size_t count, pliant_operand value,
                         pliant_site site) {
  return guarded([&] {
    const std::vector<Index> all = indicesOf(indices, count, site);
    tensorOf(x, site)(std::span<const Index>(all)) = operandOf(value, site);
  });
}

pliant_status pliant_assign(pliant_tensor *x, pliant_operand value, pliant_site site) {
  return guarded([&] {
    (void)tensorOf(x, site);
    x->value.assign(operandOf(value, site));
  });
}

pliant_status pliant_update(pliant_tensor *x, char op, pliant_operand value, pliant_site site) {
  return guarded([&] {
    (void)tensorOf(x, site);
    const Operand rhs = operandOf(value, site);
    for (const auto &[letter, update] : updates)
      if (letter == op)
        return void((x->value.*update)(rhs));
    refuse("update",
           std::string("the operator '") + op + "' is not among '+', '-', '*', '/', '%', '&', '|', '^', '<', '>'",
           site);
  });
}

pliant_status pliant_reshape(const pliant_tensor *x, size_t rank, const int64_t *shape, pliant_tensor **out,
                             pliant_site site) {
  return giving(out, site, [&] { return tensorOf(x, site).reshape(shapeOf(rank, shape, site), siteOf(site)); });
}

pliant_status pliant_transpose(const pliant_tensor *x, size_t count, const int64_t *permutation, pliant_tensor **out,
                               pliant_site site) {
  return giving(out, site,
                [&] { return tensorOf(x, site).transpose(shapeOf(count, permutation, site), siteOf(site)); });
}

pliant_status pliant_broadcast_view(const pliant_tensor *x, size_t rank, const int64_t *shape, pliant_tensor **out,
                                    pliant_site site) {
  return giving(out, site, [&] { return tensorOf(x, site).broadcastTo(shapeOf(rank, shape, site), siteOf(site)); });
}
}
