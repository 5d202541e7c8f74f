// SPDX-License-Identifier: Apache-2.0
// The structs are DLPack's ABI (versions 0 and 1): github.com/dmlc/dlpack.
#include "pliant/dlpack.h"
#include "api/record.h"
#include <cstring>

struct DLDevice {
  int32_t type, id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; ///< in elements; null: row-major
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensor *);
};
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensorVersioned *);
  uint64_t flags;
  DLTensor dl_tensor;
};

namespace pliant {
namespace {

constexpr int32_t cpu = 1, pinned = 3; ///< devices whose memory we may read
constexpr uint64_t readOnly = 1;
enum Code : uint8_t { Int = 0, UInt = 1, Float = 2, Bfloat = 4, Bool = 6 };

DLDataType typeOf(DType type) {
  const auto bits = static_cast<uint8_t>(8 * byteSize(type));
  if (type == DType::Bool)
    return {Bool, 8, 1};
  if (type == DType::BF16)
    return {Bfloat, 16, 1};
  return {static_cast<uint8_t>(isFloat(type) ? Float : isSigned(type) ? Int : UInt), bits, 1};
}

DType typeOf(const DLDataType &type, Site site) {
  for (uint8_t i = 0; i <= static_cast<uint8_t>(DType::Bool); ++i) {
    const DLDataType own = typeOf(static_cast<DType>(i));
    if (own.code == type.code && own.bits == type.bits && type.lanes == 1)
      return static_cast<DType>(i);
  }
  api::raise("dlpack",
             "elements of code " + std::to_string(type.code) + ", " + std::to_string(type.bits) + " bits and " +
                 std::to_string(type.lanes) + " lanes",
             site, "see pliant::DType for the types that are known");
}

/// What is handed out, with what it keeps alive.
template <class Managed> struct Held {
  Managed managed{};
  Array array;
  std::vector<int64_t> strides;
  std::unique_ptr<std::byte[]> copy;

  static Managed *make(Array elements, bool own) {
    auto held = std::make_unique<Held>();
    held->array = std::move(elements);
    Array &array = held->array;
    const auto rank = array.shape.size();
    held->strides.assign(rank, 1);
    for (size_t i = rank; i-- > 1;)
      held->strides[i - 1] = held->strides[i] * array.shape[i];
    void *data = const_cast<void *>(array.data.get());
    if (own) {
      const size_t bytes = static_cast<size_t>(api::checked(elementCount(array.shape))) * byteSize(array.dtype);
      held->copy.reset(new std::byte[bytes ? bytes : 1]);
      if (bytes)
        std::memcpy(held->copy.get(), data, bytes);
      data = held->copy.get();
      array.data.reset();
    }
    held->managed.dl_tensor = {
        data, {cpu, 0}, static_cast<int32_t>(rank), typeOf(array.dtype), array.shape.data(), held->strides.data(), 0};
    held->managed.manager_ctx = held.get();
    held->managed.deleter = [](Managed *each) { delete static_cast<Held *>(each->manager_ctx); };
    return &held.release()->managed;
  }
};

bool contiguous(const DLTensor &tensor) {
  int64_t expected = 1;
  for (int32_t i = tensor.ndim; tensor.strides && i-- > 0;) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected)
      return false;
    expected *= tensor.shape[i];
  }
  return true;
}

/// The elements in row-major order.
void gather(const DLTensor &tensor, const std::byte *from, std::byte *to, int64_t count, size_t width) {
  std::vector<int64_t> at(static_cast<size_t>(tensor.ndim), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i, to += width) {
    std::memcpy(to, from + offset * static_cast<int64_t>(width), width);
    for (int32_t axis = tensor.ndim; axis-- > 0;) {
      const auto a = static_cast<size_t>(axis);
      offset += tensor.strides[axis];
      if (++at[a] < tensor.shape[axis])
        break;
      offset -= at[a] * tensor.strides[axis];
      at[a] = 0;
    }
  }
}

template <class Managed>
Tensor imported(Managed *taken, bool share, std::function<void(Managed *)> release, Site site) {
  const DLTensor &from = taken->dl_tensor;
  if (from.device.type != cpu && from.device.type != pinned)
    api::raise("dlpack", "memory of device type " + std::to_string(from.device.type), site, "copy it to the CPU first");
  Array array;
  array.dtype = typeOf(from.dtype, site);
  array.shape.assign(from.shape, from.shape + from.ndim);
  const int64_t count = api::checked(elementCount(array.shape), site);
  const auto *data = static_cast<const std::byte *>(from.data) + from.byte_offset;
  if (share && !contiguous(from))
    api::raise("dlpack", "elements that are not row-major and contiguous cannot be shared", site, "copy them");
  if (share && count) {
    if (!release)
      release = [](Managed *each) { releaseDlpack(each); };
    array.data =
        std::shared_ptr<const void>(data, [taken, release = std::move(release)](const void *) { release(taken); });
    return Tensor::of(std::move(array), site);
  }
  const size_t width = byteSize(array.dtype);
  std::shared_ptr<std::byte[]> copy(new std::byte[count ? static_cast<size_t>(count) * width : 1]);
  if (count && contiguous(from))
    std::memcpy(copy.get(), data, static_cast<size_t>(count) * width);
  else if (count)
    gather(from, data, copy.get(), count, width);
  array.data = std::move(copy);
  Tensor out = Tensor::of(std::move(array), site);
  releaseDlpack(taken);
  return out;
}

} // namespace

DLManagedTensor *toDlpack(const Tensor &x, Site site) { return Held<DLManagedTensor>::make(x.array(site), true); }
DLManagedTensorVersioned *toDlpackVersioned(const Tensor &x, Site site) {
  auto *out = Held<DLManagedTensorVersioned>::make(x.array(site), false);
  out->major = 1;
  out->flags = readOnly;
  return out;
}

Tensor fromDlpack(DLManagedTensor *taken, bool share, std::function<void(DLManagedTensor *)> release, Site site) {
  return imported(taken, share, std::move(release), site);
}
Tensor fromDlpack(DLManagedTensorVersioned *taken, bool share, std::function<void(DLManagedTensorVersioned *)> release,
                  Site site) {
  if (taken->major != 1)
    api::raise("dlpack", "version " + std::to_string(taken->major) + ": 1 is known", site);
  return imported(taken, share, std::move(release), site);
}

void releaseDlpack(DLManagedTensor *taken) {
  if (taken && taken->deleter)
    taken->deleter(taken);
}
void releaseDlpack(DLManagedTensorVersioned *taken) {
  if (taken && taken->deleter)
    taken->deleter(taken);
}

} // namespace pliant
